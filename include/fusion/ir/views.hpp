#pragma once
// Which part of a node's matrix may be non-zero. A view follows from the operation and the views of its
// operands, and is part of what a node means: outside of it the value is exactly zero, whatever the operands
// hold there (docs/decisions/0019).

#include <fusion/ir/node_map.hpp>

namespace fusecl::ir {

/// View of a node that is no leaf, from those of its operands.
matrix_cl_view view_of(const graph& g, const node& n);

/// View of what an access map makes of a matrix with this view.
matrix_cl_view view_of_access(const access_map& m, matrix_cl_view operand);

/// Whether the operation gives zero outside of the node's view by itself. A product with what may be infinite
/// or NaN there, and a quotient, do not.
bool gives_own_zeros(const graph& g, const node& n);

/// Where the values of the nodes `within`, those reachable from `ids`, are looked at, if those of `ids` are
/// in their `parts` (everywhere, where there are fewer of these). Does not go on from nodes for which `stop`
/// holds.
template <class Ids, class Stop>
sparse_node_map<matrix_cl_view> needed_parts(const graph& g, const node_set& within, const Ids& ids,
                                             const std::vector<matrix_cl_view>& parts, Stop&& stop) {
  sparse_node_map<matrix_cl_view> needed;
  for (node_id id : within) needed[id] = matrix_cl_view::Diagonal;
  for (std::size_t k = 0; k < ids.size(); ++k)
    needed[ids[k]] = either(needed[ids[k]], k < parts.size() ? parts[k] : matrix_cl_view::Entire);
  for (auto at = within.rbegin(); at != within.rend(); ++at) {
    const node_id id = *at;
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

#ifndef FUSECL_SPLIT
#include <fusion/ir/views.ipp>
#endif
