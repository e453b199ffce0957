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
// Local memory and registers that the groups of a unit share.
inline constexpr std::int64_t unit_bytes = 220 * 1024, unit_registers = 65536;
inline constexpr std::int64_t fewest_columns_of_many = 8, fewest_product_columns = 16, fewest_tiles = 4;

/// How such tiles may be laid out.
struct product_layout {
  int items, rows;           ///< work-items of a group, rows of a tile
  int groups;                ///< for each unit
  int most_doubles;          ///< that a work-item holds: coefficients and sums
  bool shares_coefficients;  ///< which are in local memory then
};

// The first with room is taken. Where each work-item has a row, functions of rows keep none waiting. More
// groups than a unit has registers or local memory for take turns, and fewer leave it waiting for memory.
// H200, ten classes, 1e6 rows, by layout, in microseconds (of which some 30 are the host's):
//            12   24   40   64   80   90  100  110  120 columns
//   first   130  248  544  630
//   second  129  165  193  621
//   third   144  180  209  274 1049
//   fourth  173  191  230  286  332  323  468  474  496
//   fifth   193  216  255  330  331  335  347  355  382
//   sixth                  315  344       408       447
inline constexpr product_layout product_layouts[] = {{32, 32, 12, 16, false}, {64, 64, 6, 40, false},
                                                     {32, 32, 8, 80, false},  {128, 64, 3, 16, true},
                                                     {64, 32, 4, 32, true},   {64, 32, 4, 96, false}};

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
  for (const product_layout& layout : product_layouts) {
    const bool shares = layout.shares_coefficients;
    const schedule::product_tile tile{layout.items, layout.rows, static_cast<int>(divide_up(cols[0] + 1, 16)),
                                      static_cast<int>(joined.along.size()),
                                      static_cast<int>(joined.given.size())};
    if (tile.doubles(shares) > layout.most_doubles) continue;
    const std::int64_t bytes = tile.bytes(shares);
    if (bytes > r.device.shown_bytes) continue;
    if (layout.groups * (bytes + 1024) > unit_bytes) continue;
    g.kernel.width = 1;
    schedule::tile_variant& v = g.kernel.tile;
    v.walk = schedule::tile_walk::products;
    v.pairs = pairs;
    v.shares_coefficients = shares;
    const std::int64_t registers = unit_registers / (layout.groups * layout.items) / 8 * 8;
    if (registers < 255) v.most_registers = static_cast<std::uint8_t>(registers);
    v.rows = static_cast<std::uint16_t>(layout.rows);
    v.lanes = 1;
    v.slots = static_cast<std::uint16_t>(tile.column_tiles);
    v.columns[0] = static_cast<std::uint16_t>(tile.columns());
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
