#pragma once
#include <fusion/base/list_of.hpp>
#include <fusion/ir/needed_parts.hpp>
#include <fusion/ir/views.hpp>

namespace fusecl::ir {

FUSECL_INLINE sparse_node_map<matrix_cl_view> needed_parts(const graph& g, const node_set& within,
                                                           std::span<const node_id> ids,
                                                           const list_of<matrix_cl_view>& parts,
                                                           node_test stop) {
  sparse_node_map<matrix_cl_view> needed;
  for (node_id id : within) needed[id] = matrix_cl_view::Diagonal;
  for (std::size_t k = 0; k < ids.size(); ++k)
    needed[ids[k]] = either(needed[ids[k]], k < parts.size() ? parts[k] : matrix_cl_view::Entire);
  for (auto at = within.end(); at != within.begin();) {
    const node_id id = *--at;
    if (stop(id)) continue;
    const node& n = g[id];
    const bool cut = !is_within(needed[id], n.view) && !gives_own_zeros(g, n);
    const matrix_cl_view own = cut ? both(needed[id], n.view) : needed[id];
    for (int k = 0; k < arity(n); ++k) {
      const node& operand = g[n.operands[k]];
      const bool in_place = n.op->kind == op_class::elementwise || n.op->kind == op_class::cast;
      const bool same = in_place && g.resolve(operand.rows) == g.resolve(n.rows) &&
                        g.resolve(operand.cols) == g.resolve(n.cols);
      const bool chosen = n.op->types == type_rule::selection && k == 1;
      const matrix_cl_view part = chosen ? both(own, g[n.operands[0]].view) : own;
      needed[n.operands[k]] = either(needed[n.operands[k]], same ? part : matrix_cl_view::Entire);
    }
  }
  return needed;
}

}  // namespace fusecl::ir
