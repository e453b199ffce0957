#pragma once
#include <stdexcept>
#include <utility>

#include <fusion/base/fill.hpp>
#include <fusion/expr/factorizations.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_system(system_function function, std::int64_t rows, std::int64_t cols,
                                std::int64_t b_rows, std::int64_t b_cols) {
  if (function.transposed) {
    std::swap(rows, cols);
    std::swap(b_rows, b_cols);
  }
  check_square(function.name, rows, cols);
  check_known_size(function.name, b_rows, b_cols, "b");
  if ((function.transposed ? b_cols : b_rows) != rows)
    throw std::invalid_argument(
        text::fill("{}: a ({} x {}) and b ({} x {}) must have as many {}",
                   {function.name, rows, cols, b_rows, b_cols, function.transposed ? "columns" : "rows"}));
}

FUSECL_INLINE void state_square(ir::graph& g, ir::node_id a, bool single) {
  g.unify(g[a].rows, g[a].cols);
  if (single) g.unify(g[a].rows, ir::one);
}

FUSECL_INLINE ir::node_id lower_cholesky(ir::graph& g, ops::factored by, ir::node_id a, bool single) {
  state_square(g, a, single);
  return ops::cholesky(g, a, by);
}

FUSECL_INLINE void refuse_whole_view(const char* function) {
  throw std::invalid_argument(
      text::fill("{}: a must have a triangular view: Lower, Upper or Diagonal{}",
                 {function, function == std::string_view("log_determinant")
                                ? "; log_determinant_spd(a) is that of a symmetric positive definite matrix"
                                : ""}));
}

FUSECL_INLINE ir::node_id lower_triangle(ir::graph& g, const char* function, ir::node_id a, known_rows rows) {
  state_square(g, a, rows == known_rows::one);
  if (rows == known_rows::any && g[a].view == matrix_cl_view::Entire) refuse_whole_view(function);
  return a;
}

FUSECL_INLINE ir::node_id lower_inverse(ir::graph& g, const char* function, triangle_choice part,
                                        ir::node_id a, known_rows rows) {
  const bool single = rows == known_rows::one;
  state_square(g, a, single);
  // a single element has an inverse whatever its view is
  if (part == triangle_choice::by_view && !(single && g[a].view == matrix_cl_view::Entire)) {
    lower_triangle(g, function, a, rows);
    part = g[a].view == matrix_cl_view::Upper ? triangle_choice::upper : triangle_choice::lower;
  }
  if (single) {
    const ir::node_id inverse = g.apply(op::divide::record(), g.constant(floating(g[a].type), 1), a);
    if (part == triangle_choice::by_view) return inverse;
    const ir::node of_a = g[a];
    return ops::within_view(g, part == triangle_choice::upper ? matrix_cl_view::Upper : matrix_cl_view::Lower,
                            inverse, of_a);
  }
  return ops::triangular_inverse(
      g, part == triangle_choice::upper ? ops::triangle::upper : ops::triangle::lower, a);
}

FUSECL_INLINE ir::node_id lower_solve(ir::graph& g, triangle_choice part, ir::node_id a, ir::node_id b,
                                      bool single, bool single_side) {
  state_square(g, a, single);
  g.unify(g[a].rows, g[b].rows);
  if (single_side) g.unify(g[b].cols, ir::one);
  const scalar_type type = floating(promoted(g[a].type, g[b].type));
  if (single) {
    const ir::extent rows = g[b].rows, cols = g[b].cols;
    return g.apply(op::divide::record(), g.cast(type, b), g.broadcast(g.cast(type, a), rows, cols));
  }
  return ops::triangular_solve(
      g, part == triangle_choice::upper ? ops::triangle::upper : ops::triangle::lower, a, b);
}

}  // namespace fusecl::detail
