#pragma once
// When a GPU reads tiles of rows twice, by rows and by columns, and the shape of these tiles: where functions
// of a row are long, or join several reductions along it, such as the linear predictors of classes, whose
// derivatives need as many sums of every column.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/costs.hpp>
#include <fusion/schedule/geometry.hpp>
#include <fusion/schedule/row_chains.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::kinds::row_tile_walk {

// What may be tuned: the fewest reductions along a row, or the flops of what follows from a single one, from
// which on functions of rows are worth a pass of their own; bytes of a work-item's sums; of a tile that the
// first-level cache keeps beside those of another group, and of one that it keeps at all; rows of such tiles;
// work-items that share a column at least, so that these read whole sectors; groups for each unit, of these
// and of smaller ones.
inline constexpr std::size_t fewest_joined = 2;
inline constexpr double twice_row_flops = 100;
inline constexpr std::int64_t twice_sum_bytes = 240, twice_tile_bytes = 64 * 1024,
                              twice_largest_bytes = 160 * 1024, twice_good_rows = 32, twice_fewest_rows = 4,
                              twice_good_lanes = 4, twice_fewest_lanes = 2, twice_groups = 2,
                              twice_small_groups = 3;

struct twice_tile {
  std::int64_t group = 0, rows = 0, lanes = 0, slots = 0;
};

/// Tiles of groups of one size.
class twice_choice {
 public:
  twice_choice(const schedule::launch_request& r, const list_of<schedule::tile_load>& loads,
               const schedule::row_chain& joined, const list_of<std::int64_t>& cols)
      : device_(r.device), loads_(loads), cols_(cols) {
    for (ir::node_id id : joined.along) along_ += static_cast<std::int64_t>(size_of(r.p.graph[id].type));
    for (ir::node_id id : joined.given) given_ += static_cast<std::int64_t>(size_of(r.p.graph[id].type));
  }

  /// The one with the most rows, or none.
  twice_tile of(std::int64_t group, std::int64_t most_bytes, std::int64_t least_rows,
                std::int64_t least_lanes) const {
    const std::int64_t budget = std::min(twice_sum_bytes, device_.tile_bytes);
    std::int64_t slots = 1;
    while (slots < group && per_item(slots, false) > budget) slots *= 2;
    const std::int64_t lanes = group / slots;
    if (per_item(slots, false) > budget || lanes < least_lanes) return {};
    for (std::int64_t rows = group; rows >= std::max(least_rows, lanes); rows /= 2)
      if (rows * per_item(1, true) <= most_bytes && local_bytes(group, rows, slots) <= device_.local_bytes)
        return {group, rows, lanes, slots};
    return {};
  }

 private:
  /// Bytes of sums, or of operands, that one of `slots` work-items has.
  std::int64_t per_item(std::int64_t slots, bool operands) const {
    std::int64_t bytes = 0;
    for (std::size_t e = 0; e < cols_.size(); ++e)
      bytes += schedule::divide_up(cols_[e], slots) * (operands ? loads_[e].operands : loads_[e].sums);
    return bytes;
  }

  std::int64_t local_bytes(std::int64_t group, std::int64_t rows, std::int64_t slots) const {
    const bool in_warps = device_.shuffles && rows < 32;
    const std::int64_t parts = rows == group ? 0 : in_warps ? group / 32 : group / rows;
    std::int64_t columns = 0;
    for (std::int64_t each : cols_) columns += schedule::divide_up(each, slots) * slots;
    const std::int64_t of_columns = std::min(schedule::shared_column_bytes, columns * (along_ + 8));
    return rows * (parts * along_ + given_) + of_columns + schedule::together_bytes;
  }

  const schedule::device_shape& device_;
  const list_of<schedule::tile_load>& loads_;
  const list_of<std::int64_t>& cols_;
  std::int64_t along_ = 0, given_ = 0;  // bytes of a row
};

/// Whether functions of a row that its columns need join several reductions along it, or take so many flops.
inline bool has_long_rows(const schedule::launch_request& r, const schedule::row_chain& all, double flops) {
  if (all.along.size() >= fewest_joined) return true;
  const ir::graph& g = r.p.graph;
  const schedule::costs costs(g, flops, [&](ir::node_id id) { return g.resolve(g[id].rows) != ir::one; });
  return std::any_of(all.given.begin(), all.given.end(),
                     [&](ir::node_id id) { return costs.reached_by(id); });
}

inline bool stores_rows(const schedule::step& s) {
  return std::any_of(s.phases.begin(), s.phases.end(),
                     [](const schedule::phase& p) { return !p.stores.empty(); });
}

/// Chooses such tiles if they are for this step and these sizes; `all`: its rows, where they have no
/// chains of their own.
inline bool tile_twice_groups(schedule::geometry& g, const schedule::launch_request& r,
                              const list_of<schedule::tile_load>& loads, const schedule::row_chain& all,
                              std::int64_t rows, const list_of<std::int64_t>& cols) {
  if (r.s.sections.empty() || (!r.distinct && stores_rows(r.s))) return false;
  if (all.along.empty() || all.given.empty() || !has_long_rows(r, all, twice_row_flops)) return false;
  const twice_choice choice(r, loads, all, cols);
  const std::int64_t group = r.device.group, larger = std::min(2 * group, r.device.largest_group);
  twice_tile t = choice.of(group, twice_tile_bytes, twice_good_rows, twice_good_lanes);
  if (t.rows == t.group && t.rows > twice_good_rows)  // a row each: smaller groups wait for fewer others
    if (const twice_tile small = choice.of(group / 2, twice_tile_bytes, group / 2, twice_good_lanes);
        small.rows > 0)
      t = small;
  if (t.rows == 0) t = choice.of(larger, twice_largest_bytes, twice_fewest_rows, twice_fewest_lanes);
  if (t.rows == 0) t = choice.of(group, twice_largest_bytes, twice_fewest_rows, twice_fewest_lanes);
  if (t.rows == 0) return false;
  // one reduction along rows that are shared: the second read takes longer than the functions do (H100,
  // ordered regression of 1e6 x 100: 1123 us, 794 by one read; of 1e7 x 10, a row each: 813 and 958)
  if (all.along.size() < fewest_joined && t.rows < t.group) return false;
  // few rows: smaller tiles, so that every unit has some
  while (t.rows / 2 >= std::max(twice_good_rows, t.lanes) && t.rows < t.group &&
         schedule::divide_up(rows, t.rows) < twice_groups * r.device.compute_units)
    t.rows /= 2;
  g.kernel.width = 1;
  schedule::tile_variant& v = g.kernel.tile;
  v.lanes = static_cast<std::uint16_t>(t.lanes);
  v.slots = static_cast<std::uint16_t>(t.slots);
  v.walk = schedule::tile_walk::twice;
  v.rows = static_cast<std::uint16_t>(t.rows);
  v.shuffles = r.device.shuffles && t.group >= 32;
  for (std::size_t e = 0; e < cols.size(); ++e)
    v.columns[e] = static_cast<std::uint16_t>(schedule::divide_up(cols[e], t.slots));
  g.local = t.group;
  const std::int64_t tiles = schedule::divide_up(rows, t.rows);
  const std::int64_t groups = t.group < group ? twice_small_groups : twice_groups;
  g.groups = std::min(tiles, groups * r.device.compute_units);
  g.sizes = {{"rows", rows}, {"tiles", tiles}};
  return true;
}

}  // namespace fusecl::kinds::row_tile_walk
