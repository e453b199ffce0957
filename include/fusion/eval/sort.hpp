#pragma once
// Sorted vectors, by a merge sort that is a hand-written kernel.

#include <fusion/eval/reshape.hpp>

namespace fusecl {
namespace detail {

/// A vector without its element type.
struct sortable {
  matrix_base* elements;
  matrix_base* other;  ///< of the same size; where the result is, unless it is in `elements`
  scalar_type type;
};

/// Throws std::invalid_argument unless the matrix is a vector.
void check_sortable(const char* function, std::int64_t rows, std::int64_t cols);
/// Sorts; gives the matrix that holds the result. NaN comes last. `order`, if not null, is a pair of vectors
/// of as many int, and `sorted_order` becomes the one with the places in `elements`, counted from 0, that the
/// results were at.
matrix_base* sort_elements(const sortable& s, bool descending, matrix_base* const* order = nullptr,
                           matrix_base** sorted_order = nullptr);
/// to[order[k]] = from[k].
void put_in_order(const matrix_base& from, const matrix_base& order, matrix_base& to, scalar_type type);

/// `m` sorted.
template <element T>
matrix_cl<T> sorted(const char* function, matrix_cl<T> m, bool descending) {
  const std::int64_t rows = m.rows(), cols = m.cols();
  check_sortable(function, rows, cols);
  if (m.view() != matrix_cl_view::Entire) m = reshaped(std::move(m), rows, cols);
  matrix_cl<T> other(rows, cols);
  return sort_elements({&m, &other, scalar_type_v<T>}, descending) == &m ? std::move(m) : std::move(other);
}

}  // namespace detail

/// The elements of a vector in ascending order, NaN last. It is evaluated at once; of a variable or of an
/// expression with variables a variable, so that derivatives pass. Throws std::invalid_argument where `x` is
/// no vector.
template <element T>
matrix_cl<T> sort_asc(const matrix_cl<T>& x) {
  return detail::sorted("sort_asc", x, false);
}
template <node E>
requires(!E::is_scalar) auto sort_asc(const E& x) { return sort_asc(x.eval()); }
/// The same in descending order; NaN last here, too.
template <element T>
matrix_cl<T> sort_desc(const matrix_cl<T>& x) {
  return detail::sorted("sort_desc", x, true);
}
template <node E>
requires(!E::is_scalar) auto sort_desc(const E& x) { return sort_desc(x.eval()); }

FUSECL_REFUSE_OPERANDS(sort_asc)
FUSECL_REFUSE_OPERANDS(sort_desc)

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/eval/sort.ipp>
#endif
