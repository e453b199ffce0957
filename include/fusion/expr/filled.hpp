#pragma once
// Vectors of one number by their names in Stan Math: ones_vector<matrix_cl<double>>(n) and its like, with the
// type of the result spelled out. Arrays are columns.

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

}  // namespace fusecl
