#pragma once
// What of a product of matrices need not be computed: terms that are zero since an operand has a view, and
// half of the product of a matrix with its transpose. Only whole tiles are left out.

#include <algorithm>
#include <cstdint>
#include <span>

#include <fusion/ir/needed_parts.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/schedule/geometry.hpp>

namespace fusecl::kinds {

struct product_parts {
  matrix_cl_view first, second;  ///< views of the operands
  matrix_cl_view wanted;         ///< where anybody looks at the product
  bool symmetric;                ///< one operand is the transpose of the other

  // Whether a tile has terms from its first row or column on only, or to its last one.
  bool from_row() const { return !contains_nonzero(first, matrix_cl_view::Lower); }
  bool from_col() const { return !contains_nonzero(second, matrix_cl_view::Upper); }
  bool to_row() const { return !contains_nonzero(first, matrix_cl_view::Upper); }
  bool to_col() const { return !contains_nonzero(second, matrix_cl_view::Lower); }
  /// Whether some tiles have fewer terms than others.
  bool cut_terms() const {
    return from_row() || from_col() || to_row() || to_col() || wanted != matrix_cl_view::Entire;
  }
};

inline product_parts parts_of_product(const schedule::plan& p, const schedule::step& s) {
  const ir::graph& g = p.graph;
  const ir::node_id self = s.reductions[0];
  const ir::node& n = g[self];
  list_of<ir::node_id> ids;
  list_of<matrix_cl_view> looked_at;
  for (const schedule::store& result : s.epilogue) {
    ids.push_back(result.value);
    looked_at.push_back(is_read_in_full(result) ? matrix_cl_view::Entire : g[result.value].view);
  }
  for (ir::node_id id : s.sums) {
    ids.push_back(g[id].operands[0]);
    looked_at.push_back(g[ids.back()].view);
  }
  const auto is_given = [&](ir::node_id id) { return p.is_given(s, id); };
  const auto needed = ir::needed_parts(g, p.cone(s, ids), ids, looked_at, is_given);
  const matrix_cl_view* own = needed.find(self);
  matrix_cl_view wanted = own ? *own : matrix_cl_view::Entire;
  const bool symmetric = ops::is_transpose_of(g, n.operands[0], n.operands[1]);
  if (symmetric) wanted = either(wanted, transpose(wanted));  // an element is that of both places
  return {g[n.operands[0]].view, g[n.operands[1]].view, wanted, symmetric};
}

// Tiles of the product of a matrix with its transpose: those with elements on or below the diagonal. Groups
// go through panels of `high` rows of tiles, within these through columns of tiles, and the few tiles of a
// panel that are above the diagonal end at once.

/// Columns of tiles of a panel whose last row of tiles is the one before `end`.
inline std::int64_t panel_width(std::int64_t end, std::int64_t tile_rows, std::int64_t tile_cols,
                                std::int64_t col_tiles) {
  return std::min(col_tiles, schedule::divide_up(end * tile_rows, tile_cols));
}

/// Groups for all tiles that are computed.
inline std::int64_t tiles_of_product(const product_parts& parts, std::int64_t rows, std::int64_t cols,
                                     std::int64_t tile_rows, std::int64_t tile_cols, std::int64_t high) {
  const std::int64_t down = schedule::divide_up(rows, tile_rows),
                     across = schedule::divide_up(cols, tile_cols);
  if (!parts.symmetric) return down * across;
  std::int64_t tiles = 0;
  for (std::int64_t top = 0; top < down; top += high) {
    const std::int64_t end = std::min(down, top + high);
    tiles += (end - top) * panel_width(end, tile_rows, tile_cols, across);
  }
  return tiles;
}

/// Places (i, j) with i in [top, bottom), j in [left, right) and j <= i.
inline double places_below(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  const auto above = [&](std::int64_t end) {  // those with i < end
    const auto in_part = static_cast<double>(std::clamp<std::int64_t>(end - left, 0, right - left)),
               in_full = static_cast<double>(std::max<std::int64_t>(0, end - right));
    return in_part * (in_part + 1) / 2 + in_full * static_cast<double>(right - left);
  };
  return above(bottom) - above(top);
}

/// Multiplications and additions of what may be other than zero and is looked at, once for what is stored
/// twice.
inline double flops_of_product(const schedule::plan& p, const schedule::step& s,
                               std::span<const std::int64_t> extents) {
  const product_parts parts = parts_of_product(p, s);
  const ir::graph& g = p.graph;
  const std::int64_t rows = p.size_of(s.rows, extents), cols = p.size_of(s.cols, extents),
                     terms = p.size_of(g.resolve(g[g[s.reductions[0]].operands[0]].cols), extents);
  double products = 0;
  for (std::int64_t k = 0; k < terms; ++k) {
    // of column k of the first operand, and of row k of the second
    const std::int64_t first_row = parts.to_row() ? k : 0, last_row = parts.from_row() ? k + 1 : rows,
                       first_col = parts.to_col() ? k : 0, last_col = parts.from_col() ? k + 1 : cols;
    const std::int64_t bottom = std::max(first_row, std::min(rows, last_row)),
                       right = std::max(first_col, std::min(cols, last_col));
    if (parts.symmetric || parts.wanted == matrix_cl_view::Lower)
      products += places_below(first_row, bottom, first_col, right);
    else if (parts.wanted == matrix_cl_view::Upper)
      products += places_below(first_col, right, first_row, bottom);
    else
      products += static_cast<double>(bottom - first_row) * static_cast<double>(right - first_col);
  }
  return 2 * products;
}

}  // namespace fusecl::kinds
