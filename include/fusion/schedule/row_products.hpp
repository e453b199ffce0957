#pragma once
// Rows whose reductions and column sums are products with one matrix, as the linear predictors of classes and
// their derivatives: what tensor cores multiply.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/plan.hpp>
#include <fusion/schedule/row_chains.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::schedule {

/// Of a row tile that has nothing else over rows and columns.
struct row_products {
  ir::node_id matrix = ir::no_node;   ///< that all of them read; none where the tile is of another shape
  list_of<ir::node_id> coefficients;  ///< of the columns, of each reduction along the rows (`joined_rows`)
  list_of<ir::node_id> sums;          ///< reductions of columns
  list_of<ir::node_id> factors;       ///< of the rows, of each of these
};

/// `joined`: the rows of the step (`joined_rows`).
row_products products_of_rows(const plan& p, const step& s, const row_chain& joined);

/// A tile of such rows on a GPU, in fragments: 8 predictors or values that rows give by 16 rows, 4 columns at
/// a step, or 16 columns of sums. Warps with the same rows have parts of the columns each.
struct product_tile {
  int items;         ///< work-items of a group
  int rows;          ///< of the tile
  int column_tiles;  ///< of 16 columns, with one of ones behind the matrix
  int predictors;
  int given;  ///< values of a row by which its columns are multiplied and added

  int warps() const { return items / 32; }
  int row_groups() const { return std::min(rows / 16, warps()); }  ///< of warps, 16 rows each
  int rounds() const { return rows / 16 / row_groups(); }          ///< of them that a warp takes
  int parts() const { return warps() / row_groups(); }             ///< of the columns
  int steps() const { return (4 * column_tiles + parts() - 1) / parts(); }
  int columns() const { return 4 * steps() * parts(); }
  int predictor_tiles() const { return (predictors + 7) / 8; }
  int given_tiles() const { return (given + 7) / 8; }
  int own_tiles() const { return (column_tiles + warps() - 1) / warps(); }  ///< of columns, of a warp
  int values() const { return std::max(predictors, 8 * given_tiles()); }    ///< that a row has
  int stride() const { return rows + 4; }  ///< from one to the next, so that warps meet all banks

  /// That a work-item holds: sums, and coefficients unless the group shares them.
  int doubles(bool shares) const {
    return (shares ? 0 : steps() * predictor_tiles()) + 4 * given_tiles() * own_tiles();
  }
  /// What sums are brought together in when all tiles are done.
  int tile_elements() const { return std::max(columns() * rows, static_cast<int>(together_bytes / 8)); }
  int value_elements() const { return parts() * values() * stride(); }
  /// With what predictors of no use read behind them.
  int coefficient_elements() const { return columns() * predictors + 8 * predictor_tiles(); }
  /// Of local memory.
  std::int64_t bytes(bool shares) const {
    return 64 + 8 * std::int64_t{tile_elements() + value_elements() + (shares ? coefficient_elements() : 0)};
  }
};

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/row_products.ipp>
#endif
