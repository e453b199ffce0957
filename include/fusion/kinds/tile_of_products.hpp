#pragma once
// When tensor cores multiply the matrix of a row tile, and the shape of these tiles: where rows join several
// linear predictors, and local memory has room for the tile, registers for coefficients and sums.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/kinds/tile_twice.hpp>
#include <fusion/schedule/row_products.hpp>

namespace fusecl::kinds::row_tile_walk {

// What may be tuned: the fewest predictors; the fewest columns, with less of which functions of rows take
// most of the time; rows of a tile and work-items of a group; doubles that a work-item holds; groups for each
// unit. H200, ten classes, 1e6 x 100: 458 us, 567 with two groups a unit and 671 with four, of which three
// have registers; 706 with 16 rows; 617 where the matrix is read from the caches instead; 1457 without tensor
// cores.
inline constexpr std::size_t fewest_predictors = 3;
inline constexpr std::int64_t fewest_product_columns = 16, product_rows = 32, product_items = 128,
                              product_doubles = 48, product_groups = 3;

/// Chooses such tiles if they are for this step and these sizes. `joined`: its rows, where they have no
/// chains of their own; `pairs`: whether all columns begin with a vector of two rows.
inline bool tile_of_products(schedule::geometry& g, const schedule::launch_request& r,
                             const schedule::row_chain& joined, std::int64_t rows,
                             const list_of<std::int64_t>& cols, bool pairs) {
  using schedule::divide_up;
  if (!r.device.tensor_cores || !r.device.async_copies || !r.device.shuffles || r.s.sections.empty())
    return false;
  if (cols.size() != 1 || cols[0] < fewest_product_columns || (!r.distinct && stores_rows(r.s))) return false;
  if (joined.along.size() < fewest_predictors) return false;
  if (schedule::products_of_rows(r.p, r.s, joined).matrix == ir::no_node) return false;
  const std::int64_t predictors = std::ssize(joined.along),
                     given_tiles = divide_up(std::ssize(joined.given), 8);
  constexpr std::int64_t warps = product_items / 32, parts = warps / (product_rows / 16);
  const std::int64_t column_tiles = divide_up(cols[0] + 1, 16), steps = divide_up(4 * column_tiles, parts);
  const std::int64_t columns = 4 * steps * parts;
  const std::int64_t doubles =
      steps * divide_up(predictors, 8) + 4 * given_tiles * divide_up(column_tiles, warps);
  const std::int64_t values = parts * std::max(predictors, 8 * given_tiles), stride = product_rows + 4;
  const std::int64_t bytes = 8 * (columns + values) * stride + 64;
  if (doubles > product_doubles || bytes > r.device.local_bytes) return false;
  g.kernel.width = 1;
  schedule::tile_variant& v = g.kernel.tile;
  v.multiplies = true;
  v.pairs = pairs;
  v.rows = product_rows;
  v.lanes = 1;
  v.slots = static_cast<std::uint16_t>(column_tiles);
  v.columns[0] = static_cast<std::uint16_t>(columns);
  v.shuffles = true;
  g.local = product_items;
  const std::int64_t tiles = divide_up(rows, product_rows);
  g.groups = std::min(tiles, product_groups * r.device.compute_units);
  g.sizes = {{"rows", rows}, {"tiles", tiles}};
  return true;
}

}  // namespace fusecl::kinds::row_tile_walk
