#pragma once
// When several groups of a GPU share the rows of a tile, and the shape of these tiles: where so many columns
// are reduced along rows, and then added up across them, that a group alone had room for few rows.

#include <algorithm>
#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/kinds/tile_twice.hpp>
#include <fusion/schedule/geometry.hpp>
#include <fusion/schedule/row_chains.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::kinds::row_tile_walk {

// What may be tuned: bytes of a column that a tile has, a line of the caches; work-items of a group; bytes of
// columns that each of them has in registers, with the sums; groups of a team; reductions along a row.
inline constexpr std::int64_t team_line_bytes = 128, team_items = 512, team_item_bytes = 320,
                              most_of_team = 32, most_along_of_team = 4;
// Of a reduction along rows, and of what columns need of rows, there is an element a row and part.
inline constexpr std::int64_t team_element_bytes = 8;
// Rows that the work-items of a warp complete.
inline constexpr std::int64_t rows_of_warp = 32;
// Where it is tested, on a CPU.
inline constexpr std::int64_t tested_items = 64, tested_team = 2;
// Time of a tile (ns) that does not become less with its columns, and what a unit copies (bytes/ns). H200,
// logistic regression of 1e4 x 5000, teams of 8: 128 us; 7: 130, 11: 138, 16, two groups a unit: 155.
inline constexpr double team_tile_time = 2600, team_copy_rate = 27;
// What a group loads alone of tiles with few rows (bytes/ns; H200, 3e4 x 2000: 19, 1e4 x 5000: 14).
inline constexpr double few_rows_rate = 19;

/// The groups of such a team.
struct team_choice {
  std::int64_t team = 0;  ///< none
  std::int64_t lanes, slots, columns, teams, tiles;
};

class team_chooser {
 public:
  team_chooser(const schedule::launch_request& r, const schedule::tile_load& load,
               const schedule::row_chain& all, std::int64_t rows, std::int64_t cols, std::int64_t width)
      : device_(r.device),
        load_(load),
        rows_(rows),
        cols_(cols),
        width_(width),
        along_(std::ssize(all.along)),
        given_(std::ssize(all.given)) {}

  /// That takes the least time, less than groups that have tiles alone.
  team_choice best() const {
    const bool tested = !device_.shuffles;
    team_choice best;
    const auto bytes_of_unit =
        static_cast<double>(rows_ * cols_ * load_.operands) / static_cast<double>(device_.compute_units);
    double least = tested ? HUGE_VAL : bytes_of_unit / few_rows_rate;
    for (std::int64_t team = 2; team <= (tested ? tested_team : most_of_team); ++team) {
      const team_choice own = of(team, tested ? tested_items : team_items);
      if (own.team == 0) continue;
      const auto bytes = static_cast<double>(own.columns * own.slots * own.lanes * width_ * load_.operands);
      const double time = static_cast<double>(schedule::divide_up(own.tiles, own.teams)) *
                          std::max(team_tile_time, bytes / team_copy_rate);
      if (time < least) best = own, least = time;
    }
    return best;
  }

 private:
  team_choice of(std::int64_t team, std::int64_t items) const {
    team_choice own;
    own.lanes = team_line_bytes / (load_.widest * width_);
    own.slots = items / own.lanes;
    own.columns = schedule::divide_up(cols_, own.slots * team);
    const std::int64_t rows_of_tile = own.lanes * width_, units = device_.compute_units;
    own.tiles = schedule::divide_up(rows_, rows_of_tile);
    own.teams = std::min(own.tiles, device_.shuffles ? units / team : std::int64_t{1});
    const std::int64_t of_item = own.columns * (width_ * load_.operands + load_.sums),
                       copied = 2 * own.columns * width_ * load_.operands * items,
                       parts = (device_.shuffles ? items / 32 : own.slots) + team,
                       of_rows = rows_of_tile * (along_ * parts + given_) * team_element_bytes,
                       local =
                           copied + of_rows + schedule::shared_column_bytes + schedule::together_bytes + 256;
    const bool fits = units >= team && items <= device_.largest_group && rows_of_tile * team <= items &&
                      rows_of_tile <= rows_of_warp && of_item <= team_item_bytes &&
                      local <= device_.shown_bytes &&
                      4 * own.teams * team * along_ * rows_of_tile <= schedule::most_exchanged;
    own.team = fits ? team : 0;
    return own;
  }

  const schedule::device_shape& device_;
  const schedule::tile_load& load_;
  std::int64_t rows_, cols_, width_, along_, given_;
};

/// Chooses such tiles if they are for this step and these sizes; `all`: its rows, where they have no chains
/// of their own; `own_rows`: those of a tile that a group has alone.
inline bool tile_team_groups(schedule::geometry& g, const schedule::launch_request& r,
                             const list_of<schedule::tile_load>& loads, const schedule::row_chain& all,
                             std::int64_t rows, const list_of<std::int64_t>& cols, std::int64_t width,
                             std::int64_t own_rows) {
  const schedule::device_shape& device = r.device;
  if (!device.last_group || r.s.sections.empty() || cols.size() != 1) return false;
  if (own_rows * loads[0].widest >= team_line_bytes || (!r.distinct && stores_rows(r.s))) return false;
  if (all.along.empty() || all.given.empty() || std::ssize(all.along) > most_along_of_team) return false;
  const auto can_be_copied = [&] {
    return loads[0].operands > 0 && loads[0].whole && loads[0].narrowest * width >= 4 &&
           loads[0].widest * width <= 16;
  };
  const auto is_whole = [&](ir::node_id id) { return size_of(r.p.graph[id].type) >= 4; };
  if (!can_be_copied() || !std::all_of(all.along.begin(), all.along.end(), is_whole)) return false;
  const team_choice best = team_chooser(r, loads[0], all, rows, cols[0], width).best();
  if (best.team == 0) return false;
  g.kernel.width = static_cast<std::uint8_t>(width);
  schedule::tile_variant& t = g.kernel.tile;
  t.walk = schedule::tile_walk::team;
  t.team = static_cast<std::uint16_t>(best.team);
  t.lanes = static_cast<std::uint16_t>(best.lanes);
  t.slots = static_cast<std::uint16_t>(best.slots);
  t.columns[0] = static_cast<std::uint16_t>(best.columns);
  t.shuffles = device.shuffles;
  g.local = best.lanes * best.slots;
  g.groups = best.teams * best.team;
  g.exchanges = true;
  g.sizes = {{"rows", rows / width},
             {"tiles", best.tiles},
             {"tags", schedule::divide_up(best.tiles, best.teams) + 1}};
  return true;
}

}  // namespace fusecl::kinds::row_tile_walk
