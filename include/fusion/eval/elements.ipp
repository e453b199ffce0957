#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/eval/elements.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_part_size(std::int64_t rows, std::int64_t cols, std::int64_t own_rows,
                                   std::int64_t own_cols) {
  if ((own_rows < 0 || own_rows == rows) && (own_cols < 0 || own_cols == cols)) return;
  throw std::invalid_argument(text::fill(
      "assignment: the part assigned to is {}, the expression is {}: they must have the same size{}",
      {shape_text(rows, cols), shape_text(own_rows, own_cols),
       broadcast_hint("the expression", own_rows, own_cols, rows, cols)}));
}

FUSECL_INLINE void check_part_within(const element_place& place, std::int64_t rows, std::int64_t cols,
                                     const matrix_base& m) {
  if (rows <= 0 || cols <= 0) return;
  // rows and columns of the matrix are linear in those of the part: their extremes are at the corners
  for (int corner = 0; corner < 4; ++corner) {
    const std::int64_t i = corner % 2 ? rows - 1 : 0, j = corner / 2 ? cols - 1 : 0;
    const std::int64_t row = place.row0 + place.row_by_i * i + place.row_by_j * j;
    const std::int64_t col = place.col0 + place.col_by_i * i + place.col_by_j * j;
    if (row >= 0 && row < m.rows() && col >= 0 && col < m.cols()) continue;
    throw std::out_of_range("assignment: the part reaches element (" + std::to_string(row + 1) + ", " +
                            std::to_string(col + 1) + ") of a matrix that is " + std::to_string(m.rows()) +
                            " x " + std::to_string(m.cols()) + " now");
  }
}

FUSECL_INLINE void matrix_is_gone() {
  throw std::logic_error("assignment: the matrix of which this is a part is gone, or was moved elsewhere");
}

FUSECL_INLINE matrix_cl_view view_of_part(const element_place& place, std::int64_t rows, std::int64_t cols) {
  // rows less columns, which is linear: its extremes are at the corners
  std::int64_t least = 0, most = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const std::int64_t i = corner % 2 ? rows - 1 : 0, j = corner / 2 ? cols - 1 : 0;
    const std::int64_t below = place.row0 - place.col0 + (place.row_by_i - place.col_by_i) * i +
                               (place.row_by_j - place.col_by_j) * j;
    least = corner == 0 ? below : std::min(least, below);
    most = corner == 0 ? below : std::max(most, below);
  }
  return either(most > 0 ? matrix_cl_view::Lower : matrix_cl_view::Diagonal,
                least < 0 ? matrix_cl_view::Upper : matrix_cl_view::Diagonal);
}

}  // namespace fusecl::detail
