#pragma once
// The same elements in another shape, and changes of a matrix in place that have names of their own.

#include <vector>

#include <fusion/eval/elements.hpp>
#include <fusion/expr/assembled.hpp>
#include <fusion/expr/reductions.hpp>
#include <fusion/runtime/cl.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument unless `view` is Lower or Upper.
void check_strict_triangle(const char* function, matrix_cl_view view);
/// Throws std::invalid_argument unless the sizes told a kernel are those of its matrix.
void check_stated(const char* function, std::int64_t rows, std::int64_t cols, std::int64_t own_rows,
                  std::int64_t own_cols);
/// Throws std::out_of_range unless a vector of this size has an element `s`, counted from 1.
void check_element(const char* function, std::int64_t size, std::int64_t s);
/// Whether a vector is one divisor per row; else per element of a vector. Throws std::invalid_argument where
/// it is neither.
bool divides_rows(std::int64_t rows, std::int64_t cols, std::int64_t b_rows, std::int64_t b_cols);

/// The elements of `m`, column by column, in another shape.
template <element T>
matrix_cl<T> reshaped(matrix_cl<T> m, std::int64_t rows, std::int64_t cols) {
  check_reshape("to_matrix", m.rows(), m.cols(), rows, cols);
  m.reshape(rows, cols);
  return m;
}

}  // namespace detail

/// What is given: a matrix, a vector or an expression of one.
template <detail::matrix_expression E>
E to_matrix(E&& x) {
  return std::forward<E>(x);
}
/// The elements of `x`, column by column, as a rows x cols matrix. It is evaluated at once and has memory of
/// its own; of an expression with variables a variable, so that derivatives pass. Throws
/// std::invalid_argument where the numbers of elements differ.
template <element T>
matrix_cl<T> to_matrix(const matrix_cl<T>& x, std::int64_t rows, std::int64_t cols) {
  detail::check_reshape("to_matrix", x.rows(), x.cols(), rows, cols);
  return detail::reshaped(x, rows, cols);
}
template <element T>
matrix_cl<T> to_matrix(matrix_cl<T>&& x, std::int64_t rows, std::int64_t cols) {
  detail::check_reshape("to_matrix", x.rows(), x.cols(), rows, cols);
  return detail::reshaped(std::move(x), rows, cols);
}
template <node E>
requires(!E::is_scalar) auto to_matrix(const E& x, std::int64_t rows, std::int64_t cols) {
  detail::check_reshape("to_matrix", x.rows(), x.cols(), rows, cols);
  return to_matrix(x.eval(), rows, cols);
}
/// The same with the elements taken and laid row by row unless `by_columns`.
template <detail::matrix_expression E>
auto to_matrix(const E& x, std::int64_t rows, std::int64_t cols, bool by_columns) {
  using Result = decltype(to_matrix(x, rows, cols));
  if (by_columns) return to_matrix(x, rows, cols);
  return Result(transpose(to_matrix(transpose(x), cols, rows)));
}
FUSECL_REFUSE_OPERANDS(to_matrix)
/// The elements, column by column, as a column and as a row.
template <detail::matrix_expression E>
auto to_vector(const E& x) {
  return to_matrix(x, x.size(), 1);
}
template <detail::matrix_expression E>
auto to_row_vector(const E& x) {
  return to_matrix(x, 1, x.size());
}

/// The elements of a std::vector as a column that refers to them; those of a temporary as a column of its
/// own.
template <class T>
auto as_column_vector_or_scalar(std::vector<T>& v) {
  return Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(v.data(), static_cast<Eigen::Index>(v.size()));
}
template <class T>
auto as_column_vector_or_scalar(const std::vector<T>& v) {
  return Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(v.data(), static_cast<Eigen::Index>(v.size()));
}
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, 1> as_column_vector_or_scalar(std::vector<T>&& v) {
  return as_column_vector_or_scalar(v);
}

/// The names of arrays: the same as to_vector, and what is given.
template <detail::matrix_expression E>
auto to_array_1d(const E& x) {
  return to_vector(x);
}
template <detail::matrix_expression E>
E to_array_2d(E&& x) {
  return std::forward<E>(x);
}

/// Number of elements of the vector `v` that are less than element `s`, counted from 1. Waits for the device.
/// Throws std::invalid_argument where `v` is no vector, std::out_of_range where it has no such element.
template <detail::matrix_expression E>
int rank(const E& v, std::int64_t s) {
  const auto column = as_column_vector_or_scalar(as_operation_cl(v));
  detail::check_element("rank", column.rows(), s);
  return static_cast<int>(sum(cast<int>(column < colwise_broadcast(block(column, s, 1, 1, 1)))));
}

/// Divides every column of `a` by the vector `b` of as many elements as it has rows, in place; a vector by
/// one of its size however both lie; by a scalar. Nothing happens where one of them is empty. Throws
/// std::invalid_argument for other sizes.
template <element T, operand B>
void divide_columns(matrix_cl<T>& a, const B& b) {
  if constexpr (node_of<const B&>::is_scalar) {
    a = elt_divide(a, b);
  } else {
    const auto divisor = as_operation_cl(b);
    if (a.size() == 0 || divisor.size() == 0) return;
    if (detail::divides_rows(a.rows(), a.cols(), divisor.rows(), divisor.cols()))
      a = elt_divide(a, rowwise_broadcast(as_column_vector_or_scalar(divisor)));
    else
      as_column_vector_or_scalar(a) =
          elt_divide(as_column_vector_or_scalar(a), as_column_vector_or_scalar(divisor));
  }
}

namespace detail {

template <element T>
void zero_strict_triangle(matrix_cl<T>& m, matrix_cl_view part) {
  check_strict_triangle("zeros_strict_tri", part);
  if (m.size() == 0 || !contains_nonzero(m.view(), part)) return;
  const view_unless_written kept(&m);
  m.view(both(m.view(), invert(part)));
  fill_outside_view(m);
}

}  // namespace detail

namespace opencl_kernels {

/// Stan Math's kernel of this name: puts `value` strictly below (Lower) or above (Upper) the diagonal, or
/// everywhere (Entire); for Diagonal nothing happens. `rows` and `cols` are those of `m`, else
/// std::invalid_argument; the range is not needed. The view widens to what was written.
template <element T>
void fill_strict_tri(const cl::NDRange&, matrix_cl<T>& m, std::type_identity_t<T> value, std::int64_t rows,
                     std::int64_t cols, matrix_cl_view part) {
  detail::check_stated("fill_strict_tri", rows, cols, m.rows(), m.cols());
  if (part == matrix_cl_view::Entire)
    m = constant(value, rows, cols);
  else if (part == matrix_cl_view::Lower)
    m = select(row_index(rows, cols) > col_index(rows, cols), value, m);
  else if (part == matrix_cl_view::Upper)
    m = select(row_index(rows, cols) < col_index(rows, cols), value, m);
}

}  // namespace opencl_kernels
}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/reshape.ipp>
#endif
