#pragma once
#include <cmath>

#include <fusion/ir/views.hpp>

namespace fusecl::ir {
namespace detail {

/// Whether operand `k` has a view that leaves out the strict triangle `part` (Lower or Upper). A single
/// element stands for a whole matrix of equal ones.
FUSECL_INLINE bool is_outside_view(const graph& g, const node& n, int k, matrix_cl_view part) {
  const node& operand = g[n.operands[k]];
  const bool stands_for_all = operand.is_scalar() && !operand.is(leaf_operations::constant);
  return !stands_for_all && !contains_nonzero(operand.view, part);
}

/// Whether a test of row against column numbers fails in the triangle.
FUSECL_INLINE bool fails_in(const graph& g, const node& n, matrix_cl_view part) {
  if (n.op->types != type_rule::comparison || arity(n) != 2) return false;
  std::int64_t numbers[2];
  for (int k = 0; k < 2; ++k) {
    const node &operand = g[n.operands[k]], &other = g[n.operands[1 - k]];
    const bool row = operand.is(leaf_operations::row_index) && other.is(leaf_operations::col_index);
    const bool col = operand.is(leaf_operations::col_index) && other.is(leaf_operations::row_index);
    if (!row && !col) return false;
    numbers[k] = row == (part == matrix_cl_view::Lower);
  }
  return n.op->host_integer(numbers) == 0;
}

/// The constant that `n` is everywhere, or null.
FUSECL_INLINE const node* constant_in(const graph& g, const node& n) {
  const node* from = &n;
  while (from->is(leaf_operations::broadcast)) from = &g[from->operands[0]];
  return from->is(leaf_operations::constant) ? from : nullptr;
}

/// Whether `n` is zero in the strict triangle `part`. What a number is decides nothing: a plan may hold it as
/// a constant or as an argument.
FUSECL_INLINE bool is_zero_in(const graph& g, const node& n, matrix_cl_view part) {
  const auto outside_view = [&](int k) { return is_outside_view(g, n, k, part); };
  if (fails_in(g, n, part)) return true;
  switch (n.op->at_zero) {
    case zero_rule::never:
      return false;
    case zero_rule::all:
      for (int k = 0; k < arity(n); ++k)
        if (!outside_view(k)) return false;
      return true;
    case zero_rule::any:
      for (int k = 0; k < arity(n); ++k)
        if (outside_view(k)) return true;
      return false;
    case zero_rule::numerator:
      return outside_view(0) && !outside_view(1);
    case zero_rule::branches:
      return (outside_view(0) || outside_view(1)) && outside_view(2);
  }
  return false;
}

/// View of a block of a matrix with this view: a block that starts above the diagonal of a lower triangle has
/// its zeros at least where it is a lower triangle itself, and one that lies wholly above it nothing else.
FUSECL_INLINE matrix_cl_view seen_from(matrix_cl_view operand, diagonal_from start) {
  if (start == diagonal_from::itself) return operand;
  const bool wholly = start == diagonal_from::wholly_above || start == diagonal_from::wholly_below;
  const bool above = start == diagonal_from::above || start == diagonal_from::wholly_above;
  const matrix_cl_view beyond = above ? matrix_cl_view::Upper : matrix_cl_view::Lower;
  if (contains_nonzero(operand, beyond)) return matrix_cl_view::Entire;
  return wholly ? matrix_cl_view::Diagonal : transpose(beyond);
}

}  // namespace detail

FUSECL_INLINE matrix_cl_view view_of_access(const access_map& m, matrix_cl_view operand) {
  const bool swaps = m.row_by_i == 0 && m.row_by_j == 1 && m.col_by_i == 1 && m.col_by_j == 0;
  const bool keeps = m.row_by_i == 1 && m.row_by_j == 0 && m.col_by_i == 0 && m.col_by_j == 1;
  // a column on the diagonal of zeros: the column of the operand is the distance from the diagonal
  const bool spreads = m.is_guarded() && !m.has_offsets() && m.row_by_i == 1 && m.row_by_j == 0 &&
                       m.col_by_i == 1 && m.col_by_j == -1;
  if (spreads) return matrix_cl_view::Diagonal;
  if (m.from_diagonal == diagonal_from::anywhere || !(swaps || keeps)) return matrix_cl_view::Entire;
  const matrix_cl_view kept = detail::seen_from(operand, m.from_diagonal);
  return swaps ? transpose(kept) : kept;
}

FUSECL_INLINE matrix_cl_view view_of(const graph& g, const node& n) {
  if (n.is_scalar()) return matrix_cl_view::Entire;
  if (n.op->kind == op_class::cast) return g[n.operands[0]].view;
  if (maps_places(n)) {
    const node& from = g[n.operands[0]];
    return view_of_access(n.map, from.is_scalar() ? matrix_cl_view::Entire : from.view);
  }
  if (n.op->view) return n.op->view(g, n);
  matrix_cl_view view = matrix_cl_view::Entire;
  if (n.op->kind != op_class::elementwise) return view;
  if (detail::is_zero_in(g, n, matrix_cl_view::Lower)) view = both(view, matrix_cl_view::Upper);
  if (detail::is_zero_in(g, n, matrix_cl_view::Upper)) view = both(view, matrix_cl_view::Lower);
  return view;
}

FUSECL_INLINE bool gives_own_zeros(const graph& g, const node& n) {
  if (n.view == matrix_cl_view::Entire || n.op->kind != op_class::elementwise || !is_floating(n.type))
    return true;
  const auto is_number = [&](int k) {
    const node& operand = g[n.operands[k]];
    const node* number = detail::constant_in(g, operand);
    return !is_floating(operand.type) || (number && is_finite(number->value));
  };
  const auto divides_by_zero = [&] {
    const node* number = detail::constant_in(g, g[n.operands[1]]);
    return number && is_zero(number->value);
  };
  if (n.op->at_zero == zero_rule::numerator) return is_number(1) && !divides_by_zero();
  if (n.op->at_zero != zero_rule::any) return true;
  for (matrix_cl_view part : {matrix_cl_view::Lower, matrix_cl_view::Upper})
    for (int k = 0; k < arity(n) && !contains_nonzero(n.view, part); ++k)
      if (!detail::is_outside_view(g, n, k, part) && !is_number(k)) return false;
  return true;
}

}  // namespace fusecl::ir
