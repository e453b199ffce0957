#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/eval/reshape.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_strict_triangle(const char* function, matrix_cl_view view) {
  if (view == matrix_cl_view::Lower || view == matrix_cl_view::Upper) return;
  throw std::invalid_argument(
      text::fill("{}: the view has to be Lower or Upper, not {}", {function, view_name(view)}));
}

FUSECL_INLINE void check_stated(const char* function, std::int64_t rows, std::int64_t cols,
                                std::int64_t own_rows, std::int64_t own_cols) {
  if (rows == own_rows && cols == own_cols) return;
  throw std::invalid_argument(
      text::fill("{}: the sizes given ({} x {}) are not those of the matrix ({} x {})",
                 {function, rows, cols, own_rows, own_cols}));
}

FUSECL_INLINE void check_element(const char* function, std::int64_t size, std::int64_t s) {
  if (s >= 1 && s <= size) return;
  throw std::out_of_range(text::fill("{}: there is no element {} of the {} of v", {function, s, size}));
}

FUSECL_INLINE bool divides_rows(std::int64_t rows, std::int64_t cols, std::int64_t b_rows,
                                std::int64_t b_cols) {
  const bool vectors = rows == 1 || cols == 1;
  if (b_rows == 1 || b_cols == 1) {
    if (b_rows * b_cols == rows) return true;
    if (vectors && b_rows * b_cols == rows * cols) return false;
  }
  throw std::invalid_argument(
      text::fill("divide_columns: b ({} x {}) must be a vector with as many elements as a ({} x {}) has rows",
                 {b_rows, b_cols, rows, cols}));
}

}  // namespace fusecl::detail
