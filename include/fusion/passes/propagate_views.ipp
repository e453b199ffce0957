#pragma once
// A triangle of a node is a structural zero when the operation's zero rule makes it one from the operands'.

#include <fusion/passes/pass.hpp>

namespace fusecl::passes {
namespace detail {

/// The part of an access that may be non-zero.
inline matrix_cl_view view_of_access(const ir::node& n, matrix_cl_view operand) {
  const ir::access_map& m = n.map;
  const bool swaps = m.row_by_i == 0 && m.row_by_j == 1 && m.col_by_i == 1 && m.col_by_j == 0;
  const bool keeps = m.row_by_i == 1 && m.row_by_j == 0 && m.col_by_i == 0 && m.col_by_j == 1;
  // a column on the diagonal of zeros: the column of the operand is the distance from the diagonal
  const bool spreads = m.is_guarded() && !m.has_offsets() && m.row_by_i == 1 && m.row_by_j == 0 &&
                       m.col_by_i == 1 && m.col_by_j == -1;
  if (spreads) return matrix_cl_view::Diagonal;
  if (!m.on_diagonal || !(swaps || keeps)) return matrix_cl_view::Entire;
  return swaps ? transpose(operand) : operand;
}

/// Whether `n` is zero in the strict triangle `part` (Lower or Upper).
inline bool is_zero_in(const ir::graph& g, const ir::node& n, matrix_cl_view part) {
  using ir::zero_rule;
  const auto outside_view = [&](int k) { return !contains_nonzero(g[n.operands[k]].view, part); };
  // a zero that is a number like any other: 0 * NaN and 0 / 0 stay NaN, so it decides nothing by itself
  const auto zero = [&](int k) {
    const ir::node& operand = g[n.operands[k]];
    return operand.is(ir::leaf_operations::constant) ? operand.value == 0 : outside_view(k);
  };
  switch (n.op->at_zero) {
    case zero_rule::never:
      return false;
    case zero_rule::all:
      for (int k = 0; k < ir::arity(n); ++k)
        if (!zero(k)) return false;
      return true;
    case zero_rule::any:
      for (int k = 0; k < ir::arity(n); ++k)
        if (outside_view(k)) return true;
      return false;
    case zero_rule::numerator:
      return outside_view(0) && !zero(1);
    case zero_rule::branches:
      return zero(1) && zero(2);
  }
  return false;
}

}  // namespace detail

FUSECL_INLINE ir::graph propagate_views(const ir::graph& g) {
  ir::graph result = g;
  for (ir::node_id id = 0; id < result.size(); ++id) {
    const ir::node n = result[id];
    matrix_cl_view view = matrix_cl_view::Entire;
    if (n.op->kind == ir::op_class::leaf) continue;
    if (n.op->kind == ir::op_class::cast) {
      view = result[n.operands[0]].view;
    } else if (n.op->kind == ir::op_class::access) {
      view = detail::view_of_access(n, result[n.operands[0]].view);
    } else if (n.op->kind == ir::op_class::elementwise) {
      if (detail::is_zero_in(result, n, matrix_cl_view::Lower)) view = both(view, matrix_cl_view::Upper);
      if (detail::is_zero_in(result, n, matrix_cl_view::Upper)) view = both(view, matrix_cl_view::Lower);
    }
    result.set_view(id, view);
  }
  return result;
}

}  // namespace fusecl::passes
