#pragma once
// Of a Cholesky factor that is needed for its inverse alone, kernels of a GPU compute the inverse at once.

#include <algorithm>

#include <fusion/ops/factorizations.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/structure.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {

FUSECL_INLINE ir::graph join_factors(const ir::graph& g) {
  const auto is_inverse = [&](const ir::node& n) {
    return n.is(op::triangular_inverse::record()) && !ops::is_upper(n) &&
           g[n.operands[0]].is(op::cholesky::record()) && g.resolve(n.rows) != ir::one;
  };
  const ir::node_set all = ir::reachable(g, g.roots);
  ir::node_map<char> needed(g, false);
  for (ir::node_id root : g.roots) needed[root] = true;
  for (ir::node_id id : all)
    for (int k = 0; !is_inverse(g[id]) && k < ir::arity(g[id]); ++k) needed[g[id].operands[k]] = true;
  const auto joins = [&](const ir::node& n) { return is_inverse(n) && !needed[n.operands[0]]; };
  if (std::none_of(all.begin(), all.end(), [&](ir::node_id id) { return joins(g[id]); })) return {};
  return merge_and_prune(
      sink_structure(rebuild(g, [&](ir::graph& to, const ir::node& n, const ir::node_id* operands) {
        if (!joins(n)) return to.copy(n, operands);
        const ir::node factor = to[operands[0]];
        const ir::node_id operand = factor.operands[0];
        return ops::transposed(
            to, to.indexed(op::inverse_factor::record(), &operand, factor.rows, factor.cols, factor.index));
      })));
}

}  // namespace fusecl::passes
