#pragma once
// Rebuilding through the value-numbering builder merges equal nodes; walking from the roots drops the rest.

#include <fusion/passes/pass.hpp>

namespace fusecl::passes {

FUSECL_INLINE ir::graph merge_and_prune(const ir::graph& g) {
  return rebuild(g, [](ir::graph& result, const ir::node& n, const ir::node_id* operands) {
    return result.copy(n, operands);
  });
}

}  // namespace fusecl::passes
