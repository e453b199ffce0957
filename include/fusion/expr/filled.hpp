#pragma once
// Vectors of one number by their names in Stan Math: ones_vector<matrix_cl<double>>(n) and its like, with the
// type of the result spelled out. Arrays are columns.

#include <cstdint>
#include <utility>
#include <vector>

#include <fusion/expr/operators.hpp>

namespace fusecl {

/// A column, or a row, of ones or zeros of the element type of `Result`. They throw std::domain_error for a
/// negative size.
template <matrix_like Result>
auto ones_vector(std::int64_t n) {
  return rep_vector<Result>(1, n);
}
template <matrix_like Result>
auto ones_row_vector(std::int64_t n) {
  return rep_row_vector<Result>(1, n);
}
template <matrix_like Result>
auto ones_array(std::int64_t n) {
  return rep_vector<Result>(1, n);
}
template <matrix_like Result>
auto ones_int_array(std::int64_t n) {
  return rep_vector<Result>(1, n);
}
template <matrix_like Result>
auto zeros_vector(std::int64_t n) {
  return rep_vector<Result>(0, n);
}
template <matrix_like Result>
auto zeros_row_vector(std::int64_t n) {
  return rep_row_vector<Result>(0, n);
}
template <matrix_like Result>
auto zeros_array(std::int64_t n) {
  return rep_vector<Result>(0, n);
}
template <matrix_like Result>
auto zeros_int_array(std::int64_t n) {
  return rep_vector<Result>(0, n);
}

/// A column of n elements 1 / n. Throws std::domain_error where n is not positive.
template <matrix_like Result>
auto uniform_simplex(std::int64_t n) {
  if (n < 1)
    throw std::domain_error("uniform_simplex: size is " + std::to_string(n) + ", but must be positive!");
  return rep_vector<Result>(1.0 / static_cast<double>(n), n);
}

/// Of any number, as rep_vector.
template <matrix_like Result, operand T>
auto rep_array(T&& value, std::int64_t n) {
  return rep_vector<Result>(std::forward<T>(value), n);
}

namespace detail {

/// What names a matrix as a result, rather than what stands in a list.
template <class T>
concept names_a_matrix = matrix_like<T> && !node_of<T>::is_scalar;

}  // namespace detail

/// On the host: a list of n copies, or of n lists of m copies. Throws std::domain_error for a negative size.
template <class T>
requires(!detail::names_a_matrix<T>) std::vector<T> rep_array(const T& value, std::int64_t n) {
  detail::check_not_negative("rep_array", "n", n);
  return std::vector<T>(static_cast<std::size_t>(n), value);
}
template <class T>
requires(!detail::names_a_matrix<T>) std::vector<std::vector<T>> rep_array(const T& value, std::int64_t n,
                                                                           std::int64_t m) {
  return rep_array(rep_array(value, m), n);
}

}  // namespace fusecl
