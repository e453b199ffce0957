#pragma once
// Lists of places are what derivatives of elements at indices read. A graph that is evaluated reads the
// indices.

#include <fusion/ops/gather.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {

FUSECL_INLINE ir::graph drop_lists(const ir::graph& g) {
  return rebuild(g, [](ir::graph& result, const ir::node& n, const ir::node_id* operands) {
    if (!n.is(op::listed_indexing::record())) return result.copy(n, operands);
    return ops::indexed(result, operands[0], operands[1], operands[2], result.resolve(n.rows),
                        result.resolve(n.cols));
  });
}

}  // namespace fusecl::passes
