#pragma once
// Triangular matrices that cross to and from the device packed: half the bytes.

#include <vector>

#include <fusion/eval/check_matrix.hpp>

namespace fusecl {
namespace detail {

/// `packed` becomes the triangle that the view of the square `from` names, column by column.
void pack(const matrix_base& from, matrix_base& packed, scalar_type type);
/// The square `to` becomes the triangle that its view names, with the elements of `packed` column by column,
/// and zeros elsewhere.
void unpack(const matrix_base& packed, matrix_base& to, scalar_type type);
/// Number of elements of a triangle with so many rows. Throws std::invalid_argument where `rows` is negative
/// or `given`, unless negative, is another number.
std::int64_t packed_size(std::int64_t rows, std::int64_t given = -1);

}  // namespace detail

/// The elements of a triangular matrix, column by column, without those outside of the triangle, as a
/// std::vector of rows * (rows + 1) / 2. Throws std::invalid_argument unless the matrix is square and its
/// view Lower or Upper. Waits.
template <element T>
std::vector<T> packed_copy(const matrix_cl<T>& m) {
  check_square("packed_copy", "m", m);
  check_triangular("packed_copy", "m", m);
  matrix_cl<T> packed(detail::packed_size(m.rows()), 1);
  if (packed.size() > 0) detail::pack(m, packed, scalar_type_v<T>);
  return from_matrix_cl<std::vector<T>>(packed);
}
template <node E>
requires(!E::is_scalar) std::vector<value_type_of<E>> packed_copy(const E& e) {
  return packed_copy(matrix_cl<value_type_of<E>>(e));
}

/// The rows x rows matrix with this view, Lower or Upper, and the elements of its triangle, column by column.
/// Throws std::invalid_argument unless there are rows * (rows + 1) / 2.
template <matrix_cl_view view, element T>
matrix_cl<T> packed_copy(const std::vector<T>& elements, std::int64_t rows) {
  static_assert(view == matrix_cl_view::Lower || view == matrix_cl_view::Upper,
                "packed_copy<view>(elements, rows): the view is matrix_cl_view::Lower or Upper");
  detail::packed_size(rows, static_cast<std::int64_t>(elements.size()));
  matrix_cl<T> m(rows, rows, view);
  if (rows > 0) detail::unpack(matrix_cl<T>(elements), m, scalar_type_v<T>);
  return m;
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/packed_copy.ipp>
#endif
