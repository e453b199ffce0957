#pragma once
// Checks of whole matrices by Stan Math's names: sizes and views, which the host knows, and elements, which a
// statement looks at and the host waits for. `check_cl` is for conditions of one's own and beside results.

#include <stdexcept>

#include <fusion/eval/check_cl.hpp>
#include <fusion/expr/assembled.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument "function: name (rows x cols) must be MUST_BE" unless `holds`.
void check_form(bool holds, const char* function, const char* name, std::int64_t rows, std::int64_t cols,
                const char* must_be);
/// The same of a view.
void check_view(bool holds, const char* function, const char* name, matrix_cl_view view, const char* must_be);

/// Elements that are no further than this from each other count as equal.
inline constexpr double symmetry_tolerance = 1e-8;

/// Throws std::out_of_range unless 1 <= index <= cols.
void check_index_of_column(const char* function, const char* name, std::int64_t cols, std::int64_t index);

}  // namespace detail

/// Throws std::invalid_argument, with the sizes, unless `y` has as many rows as columns.
template <detail::any_matrix Y>
void check_square(const char* function, const char* name, const Y& y) {
  detail::check_form(y.rows() == y.cols(), function, name, y.rows(), y.cols(), "square");
}
/// Throws std::invalid_argument, with the sizes, unless `y` has one row or one column.
template <detail::any_matrix Y>
void check_vector(const char* function, const char* name, const Y& y) {
  detail::check_form(y.rows() == 1 || y.cols() == 1, function, name, y.rows(), y.cols(), "a vector");
}
/// Throws std::invalid_argument, with the sizes, unless `y` is 1 x 1.
template <detail::any_matrix Y>
void check_mat_size_one(const char* function, const char* name, const Y& y) {
  detail::check_form(y.rows() == 1 && y.cols() == 1, function, name, y.rows(), y.cols(), "1 x 1");
}
/// Throws std::invalid_argument where `y` is 1 x 1.
template <detail::any_matrix Y>
void check_mat_not_size_one(const char* function, const char* name, const Y& y) {
  detail::check_form(y.rows() != 1 || y.cols() != 1, function, name, y.rows(), y.cols(), "other than 1 x 1");
}
/// Throws std::invalid_argument, with both sizes, unless `a` and `b` are equally large.
template <detail::any_matrix A, detail::any_matrix B>
void check_matching_dims(const char* function, const char* name_a, const A& a, const char* name_b,
                         const B& b) {
  detail::check_same_shape(function, name_a, a.rows(), a.cols(), name_b, b.rows(), b.cols());
}
/// Throws std::out_of_range unless `y` has a column of this number, counted from 1.
template <detail::any_matrix Y>
void check_column_index(const char* function, const char* name, const Y& y, std::int64_t index) {
  detail::check_index_of_column(function, name, y.cols(), index);
}
/// Throws std::invalid_argument unless `y` has the view Lower or Upper.
template <element T>
void check_triangular(const char* function, const char* name, const matrix_cl<T>& y) {
  detail::check_view(y.view() == matrix_cl_view::Lower || y.view() == matrix_cl_view::Upper, function, name,
                     y.view(), "Lower or Upper");
}
/// Throws std::invalid_argument where `y` has the view `invalid`.
template <element T>
void check_invalid_matrix_view(const char* function, const char* name, const matrix_cl<T>& y,
                               matrix_cl_view invalid) {
  detail::check_view(y.view() != invalid, function, name, y.view(), "another one");
}

/// Throws std::domain_error, with place and value of the first one, where an element is NaN. Waits.
template <detail::any_matrix Y>
void check_nan(const char* function, const char* name, Y&& y) {
  const auto e = as_operation_cl(std::forward<Y>(y));
  if constexpr (is_floating(decltype(e)::type)) check_cl(function, name, e, "not nan") = !isnan(e);
}
/// Throws std::invalid_argument unless `y` is square, and std::domain_error, with place and value of the
/// first such element, where one differs from that across the diagonal by more than 1e-8 or is NaN. Waits.
template <detail::any_matrix Y>
void check_symmetric(const char* function, const char* name, Y&& y) {
  const auto e = as_operation_cl(std::forward<Y>(y));
  check_square(function, name, e);
  const auto is_symmetric = [&] {
    if constexpr (is_floating(decltype(e)::type))
      return e == transpose(e) ||
             fabs(e - transpose(e)) <= static_cast<cpp_type<decltype(e)::type>>(detail::symmetry_tolerance);
    else
      return e == transpose(e);
  };
  check_cl(function, name, e, "equal to the element across the diagonal") = is_symmetric();
}
/// Throws std::domain_error, with its number, where an element of the diagonal is 0. Waits.
template <detail::any_matrix Y>
void check_diagonal_zeros(const char* function, const char* name, Y&& y) {
  const auto along = diagonal(as_operation_cl(std::forward<Y>(y)));
  check_cl(function, name, along, "other than 0 along the diagonal") = along != 0;
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/check_matrix.ipp>
#endif
