#pragma once
// When tensor cores multiply the matrix of a row tile, and the shape of these tiles: where rows join several
// linear predictors, and local memory has room for the tile, registers for coefficients and sums.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/kinds/tile_twice.hpp>
#include <fusion/schedule/row_products.hpp>

namespace fusecl::kinds::row_tile_walk {

// What may be tuned: the fewest predictors; the fewest columns, for many predictors and for less, as
// work-items with a row each take less time for few (H200, 1e6 rows: ten classes of 8 columns 132 us, 140 by
// them, of 4 columns 127 and 95; four classes of 12 columns 96 and 81, of 16 columns 108 and 161); and the
// fewest tiles of a group, as each leaves parts to finish (1e5 x 32 and four classes: 53 us, 63 with one).
inline constexpr std::size_t fewest_predictors = 3, many_predictors = 8;
inline constexpr std::int64_t fewest_columns_of_many = 8, fewest_product_columns = 16, fewest_tiles = 4;

/// How such tiles may be laid out.
struct product_layout {
  std::int64_t items, rows;   ///< work-items of a group, rows of a tile
  std::int64_t groups;        ///< for each unit
  std::int64_t most_doubles;  ///< that a work-item holds: coefficients and sums
};

// The first with room is taken. Where each work-item has a row, functions of rows keep none waiting. More
// groups than a unit has registers for take turns, and fewer leave it waiting for memory. H200, ten classes,
// 1e6 rows, by layout, in microseconds (of which some 30 are the host's):
//            8   16   24   32   47   48   64   71   80  100  120 columns
//   first  130  163  173  274  314  334  390  412  456  602  925
//   second 135  161  167  206  230  313
//   third  147  174  187  229  251  254  304  320  496  710  877
//   fourth 192  214  222  266  289  298  336  354  374  444  513
// With 128 work-items, 32 rows and three groups 225, 247, 256, 301, -, 291, 618, -, 387, 424, 681; at 100
// columns 617 where the matrix is read from the caches, 1457 without tensor cores.
inline constexpr product_layout product_layouts[] = {
    {32, 32, 12, 16}, {64, 64, 6, 40}, {32, 32, 8, 80}, {64, 32, 4, 96}};

/// Chooses such tiles if they are for this step and these sizes. `joined`: its rows, where they have no
/// chains of their own; `pairs`: whether all columns begin with a vector of two rows.
inline bool tile_of_products(schedule::geometry& g, const schedule::launch_request& r,
                             const schedule::row_chain& joined, std::int64_t rows,
                             const list_of<std::int64_t>& cols, bool pairs) {
  using schedule::divide_up;
  if (!r.device.tensor_cores || !r.device.async_copies || !r.device.shuffles || r.s.sections.empty())
    return false;
  if (cols.size() != 1 || (!r.distinct && stores_rows(r.s))) return false;
  if (joined.along.size() < fewest_predictors) return false;
  if (cols[0] < (joined.along.size() < many_predictors ? fewest_product_columns : fewest_columns_of_many))
    return false;
  if (schedule::products_of_rows(r.p, r.s, joined).matrix == ir::no_node) return false;
  const std::int64_t predictors = std::ssize(joined.along),
                     given_tiles = divide_up(std::ssize(joined.given), 8),
                     column_tiles = divide_up(cols[0] + 1, 16);
  for (const product_layout& layout : product_layouts) {
    const std::int64_t warps = layout.items / 32,
                       parts = std::max<std::int64_t>(warps / (layout.rows / 16), 1),
                       steps = divide_up(4 * column_tiles, parts), columns = 4 * steps * parts;
    const std::int64_t doubles =
        steps * divide_up(predictors, 8) + 4 * given_tiles * divide_up(column_tiles, warps);
    const std::int64_t values = parts * std::max(predictors, 8 * given_tiles), stride = layout.rows + 4;
    const std::int64_t bytes = 8 * (columns + values) * stride + 64;
    if (doubles > layout.most_doubles || bytes > r.device.local_bytes) continue;
    g.kernel.width = 1;
    schedule::tile_variant& v = g.kernel.tile;
    v.multiplies = true;
    v.pairs = pairs;
    v.rows = static_cast<std::uint16_t>(layout.rows);
    v.lanes = 1;
    v.slots = static_cast<std::uint16_t>(column_tiles);
    v.columns[0] = static_cast<std::uint16_t>(columns);
    v.shuffles = true;
    g.local = layout.items;
    const std::int64_t tiles = divide_up(rows, layout.rows);
    const std::int64_t units = r.device.compute_units;
    g.groups = std::min(tiles, std::clamp(tiles / fewest_tiles, units, layout.groups * units));
    g.sizes = {{"rows", rows}, {"tiles", tiles}};
    return true;
  }
  return false;
}

}  // namespace fusecl::kinds::row_tile_walk
