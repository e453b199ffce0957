#pragma once
// Where the elements of one matrix come from in another: element (i, j) is element (r, c) of the operand with
//   r = row0 + row_by_i i + row_by_j j,   c = col0 + col_by_i i + col_by_j j.
// Offsets are run-time sizes; coefficients in {-1, 0, 1} belong to the graph.

#include <cstdint>

namespace fusecl::ir {

/// Symbol of a run-time size: an index into the statement's table of extents.
using extent = std::int32_t;
inline constexpr extent one = -1;
/// No size at all.
inline constexpr extent no_extent = -2;

/// sign * size + plus elements, where the size is known at run time.
struct offset {
  extent size = no_extent;
  std::int32_t sign = 1;
  std::int32_t plus = 0;

  bool is_zero() const { return size == no_extent && plus == 0; }
  friend bool operator==(const offset&, const offset&) = default;
};

/// Where a map takes the diagonal of its result from: from the diagonal itself, so that triangles stay
/// triangles, from a line above or below it, of which little is known, or from anywhere. Of what lies wholly
/// on one side of the diagonal it is known that a triangle on the other has nothing there.
enum class diagonal_from : std::int8_t {
  above = -1,
  itself = 0,
  below = 1,
  anywhere = 2,
  wholly_above = 3,
  wholly_below = 4
};
/// The same of a block that starts at (row, col).
constexpr diagonal_from diagonal_of_block(std::int64_t row, std::int64_t col, std::int64_t rows,
                                          std::int64_t cols) {
  if (row == col) return diagonal_from::itself;
  if (row + rows <= col) return diagonal_from::wholly_above;
  if (col + cols <= row) return diagonal_from::wholly_below;
  return row < col ? diagonal_from::above : diagonal_from::below;
}
/// Of one map after `inner`, which may swap rows and columns.
constexpr diagonal_from diagonal_of_both(diagonal_from outer, diagonal_from inner, bool inner_swaps) {
  using enum diagonal_from;
  const auto is_wholly = [](diagonal_from d) { return d == wholly_above || d == wholly_below; };
  if (is_wholly(inner)) return inner;
  if (outer == anywhere || inner == anywhere) return anywhere;
  if (is_wholly(outer)) {
    const bool is_above = (outer == wholly_above) != inner_swaps;
    if (inner != itself && inner != (is_above ? above : below)) return anywhere;
    return is_above ? wholly_above : wholly_below;
  }
  const int by_inner = static_cast<int>(inner), by_outer = static_cast<int>(outer) * (inner_swaps ? -1 : 1);
  if (by_inner * by_outer < 0) return anywhere;
  return static_cast<diagonal_from>(by_inner != 0 ? by_inner : by_outer);
}

struct access_map {
  offset row0 = {};
  offset col0 = {};
  std::int8_t row_by_i = 1, row_by_j = 0;
  std::int8_t col_by_i = 0, col_by_j = 1;
  /// Sizes of the operand where a place outside of it counts as zero; no_extent where every place is inside.
  extent row_limit = no_extent;
  extent col_limit = no_extent;
  diagonal_from from_diagonal = diagonal_from::itself;

  static access_map transpose() { return {{}, {}, 0, 1, 1, 0}; }
  /// From an offset on. `from`: where that is.
  static access_map block(extent row0, extent col0, diagonal_from from) {
    return {{row0}, {col0}, 1, 0, 0, 1, no_extent, no_extent, from};
  }
  /// The diagonal as a column.
  static access_map diagonal() { return {{}, {}, 1, 0, 1, 0, no_extent, no_extent, diagonal_from::anywhere}; }
  /// The last row first.
  static access_map reversed_rows(extent rows) {
    return {{rows, 1, -1}, {}, -1, 0, 0, 1, no_extent, no_extent, diagonal_from::anywhere};
  }
  static access_map reversed_cols(extent cols) {
    return {{}, {cols, 1, -1}, 1, 0, 0, -1, no_extent, no_extent, diagonal_from::anywhere};
  }

  bool is_guarded() const { return row_limit != no_extent || col_limit != no_extent; }
  bool has_offsets() const { return !row0.is_zero() || !col0.is_zero(); }
  /// Whether it is a transpose and nothing else.
  bool is_transpose() const {
    return !has_offsets() && !is_guarded() && row_by_i == 0 && row_by_j == 1 && col_by_i == 1 &&
           col_by_j == 0;
  }
  bool is_identity() const {
    return !has_offsets() && !is_guarded() && row_by_i == 1 && row_by_j == 0 && col_by_i == 0 &&
           col_by_j == 1;
  }
  friend bool operator==(const access_map&, const access_map&) = default;
};

/// By how much row and column of what several maps together read move with those of the result, i and j.
struct map_directions {
  int row_by_i = 1, row_by_j = 0, col_by_i = 0, col_by_j = 1;

  /// With one more map, the one next to those so far and nearer to the elements.
  map_directions through(const access_map& m) const {
    return {m.row_by_i * row_by_i + m.row_by_j * col_by_i, m.row_by_i * row_by_j + m.row_by_j * col_by_j,
            m.col_by_i * row_by_i + m.col_by_j * col_by_i, m.col_by_i * row_by_j + m.col_by_j * col_by_j};
  }
};

}  // namespace fusecl::ir
