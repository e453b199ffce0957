#pragma once
// Which part of a matrix can be non-zero. The four views form a lattice under `either` and `both`.

#include <algorithm>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include <fusion/base/config.hpp>

namespace fusecl {

/// Part of a matrix that is stored; whatever a buffer holds outside of it reads as zero.
enum class matrix_cl_view : std::uint8_t { Diagonal = 0, Lower = 1, Upper = 2, Entire = 3 };

/// Smallest view that covers both: the view of a sum.
constexpr matrix_cl_view either(matrix_cl_view a, matrix_cl_view b) {
  return static_cast<matrix_cl_view>(static_cast<int>(a) | static_cast<int>(b));
}

/// Part covered by both: the view of an element-wise product.
constexpr matrix_cl_view both(matrix_cl_view a, matrix_cl_view b) {
  return static_cast<matrix_cl_view>(static_cast<int>(a) & static_cast<int>(b));
}

/// View of the transposed matrix.
constexpr matrix_cl_view transpose(matrix_cl_view view) {
  if (view == matrix_cl_view::Lower) return matrix_cl_view::Upper;
  if (view == matrix_cl_view::Upper) return matrix_cl_view::Lower;
  return view;
}

/// Whether anything of `part` off the diagonal may be non-zero under `view`.
constexpr bool contains_nonzero(matrix_cl_view view, matrix_cl_view part) {
  return both(view, part) != matrix_cl_view::Diagonal;
}

/// Whether `view` covers all of `part`.
constexpr bool is_within(matrix_cl_view part, matrix_cl_view view) { return both(part, view) == part; }

/// Whether element (i, j) is outside of the view, and so zero.
constexpr bool is_outside(matrix_cl_view view, std::int64_t i, std::int64_t j) {
  return (i > j && !contains_nonzero(view, matrix_cl_view::Lower)) ||
         (i < j && !contains_nonzero(view, matrix_cl_view::Upper));
}

/// Elements of a matrix of this size that are not outside of the view.
constexpr std::int64_t elements_in(matrix_cl_view view, std::int64_t rows, std::int64_t cols) {
  const std::int64_t square = std::min(rows, cols), side = square * (square - 1) / 2;
  std::int64_t elements = square;
  if (contains_nonzero(view, matrix_cl_view::Lower)) elements += side + (rows - square) * cols;
  if (contains_nonzero(view, matrix_cl_view::Upper)) elements += side + (cols - square) * rows;
  return elements;
}

/// The view that an Eigen::UpLoType names: Lower, Upper, else Entire.
constexpr matrix_cl_view from_eigen_uplo_type(int uplo) {
  constexpr int lower = 1, upper = 2;  // Eigen::Lower, Eigen::Upper
  return uplo == lower   ? matrix_cl_view::Lower
         : uplo == upper ? matrix_cl_view::Upper
                         : matrix_cl_view::Entire;
}

/// Lower for Upper and the other way round, Entire for Diagonal and the other way round.
constexpr matrix_cl_view invert(matrix_cl_view view) {
  return static_cast<matrix_cl_view>(static_cast<int>(matrix_cl_view::Entire) ^ static_cast<int>(view));
}

constexpr std::string_view view_name(matrix_cl_view view) {
  constexpr std::string_view names[] = {"Diagonal", "Lower", "Upper", "Entire"};
  return names[static_cast<int>(view)];
}
/// Prints the name.
std::ostream& operator<<(std::ostream& out, matrix_cl_view view);

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/base/view.ipp>
#endif
