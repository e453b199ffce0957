#pragma once
// Rows with all their columns at a time, in phases. On a GPU a group holds a tile in registers: `lanes`
// work-items side by side along the rows, `slots` of them below each other, each with every `slots`-th
// column. On a CPU a work-item goes through its tile once a phase while it stays in the caches.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>
#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/step_kind.hpp>
#include <fusion/kinds/tile_of_products.hpp>
#include <fusion/kinds/tile_team.hpp>
#include <fusion/kinds/tile_twice.hpp>
#include <fusion/schedule/row_chains.hpp>
#include <fusion/schedule/small_results.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::kinds {
namespace row_tile_walk {

using schedule::cpu_finish_tile, schedule::device_form, schedule::device_shape, schedule::divide_up,
    schedule::geometry, schedule::launch_request, schedule::phase, schedule::plan, schedule::row_chain,
    schedule::section, schedule::step, schedule::tile_extents, schedule::tile_fetch, schedule::tile_load,
    schedule::tile_loads, schedule::tile_variant;

// Bytes of a GPU work-item's registers that a tile may take: of 512 where 128 work-items of a multiprocessor
// have them all, the rest is left to addresses and to the expression. Functions of every element, such as an
// exponential, need registers of their own and more work-items to overlap (H200, row softmax of 1e6 x 100:
// 0.91 of copy bandwidth against 0.46; log-sum-exp 0.72 against 0.62).
inline constexpr std::int64_t gpu_tile_bytes = 800, gpu_tile_bytes_unfetched = 960, gpu_heavy_bytes = 320;
// Rows of a tile whose loads fill whole memory segments.
inline constexpr std::int64_t good_rows = 32, fair_rows = 16, fewest_rows = 4;
// Bytes of the operands of a tile on a CPU, which the second-level cache keeps between phases.
inline constexpr std::int64_t cpu_tile_bytes = 512 * 1024;

// With so many columns a tile on a CPU brings those that it reads next to the caches: each begins on another
// page, where a processor foresees nothing. PoCL 3.1, two cores with AVX-512, regression of 2e4 x 1000: 7.6
// ms without, 6.2 with, 5.4 where passes do not ask of each column whether it is there.
inline constexpr std::int64_t cpu_brought_columns = 16;

// Functions of a row from which on slots share out the rows, instead of computing them all in every slot that
// shares a row (H200, ordered regression of 1e6 x 100: 310 us, 432 otherwise; negative binomial 1e5 x 1000:
// 258 and 275; from 20 flops on Student-t there has 245 for 217).
inline constexpr double shared_row_flops = 40;
// Functions of a row that its columns wait for, from which on two groups of a unit take turns (H200, of 1e6 x
// 100, 5e5 x 200 and 2e6 x 50: ordered regression, 76 flops, 279, 268 and 281 us by groups of 256, 256, 258
// and 262 by groups of 128; Student-t with a variable of freedom, 148 flops, 324, 324, 336 and 318, 315, 320;
// negative binomial, 56 flops, 220, 216, 226 and 222, 222, 230).
inline constexpr double awaited_row_flops = 64;

FUSECL_INLINE std::int64_t columns_of_slot(std::int64_t length, std::int64_t slots) {
  return std::max<std::int64_t>(divide_up(length, slots), 1);
}

/// Bytes that a work-item's share of a tile takes.
FUSECL_INLINE std::int64_t bytes_held(const list_of<tile_load>& loads, const list_of<std::int64_t>& cols,
                                      std::int64_t width, std::int64_t slots, bool ahead) {
  std::int64_t bytes = 0;
  for (std::size_t e = 0; e < cols.size(); ++e) {
    const std::int64_t own = columns_of_slot(cols[e], slots);
    // what holds nothing is computed in a register, too: loops over columns are unrolled, so they stay short
    constexpr int register_bytes = 4;
    const int live =
        std::max({loads[e].operands, loads[e].kept, register_bytes}) + (ahead ? loads[e].operands : 0);
    bytes += own * (width * live + loads[e].sums);
  }
  return bytes;
}

struct tile_choice {
  std::int64_t width, lanes, slots;
  tile_fetch fetch;
};

/// What a tile's registers are for.
struct tile_limits {
  std::int64_t group;       ///< work-items
  std::int64_t fetched;     ///< bytes, while the next tile is loaded
  std::int64_t unfetched;   ///< bytes, otherwise
  std::int64_t least_rows;  ///< while the next tile is loaded
  std::int64_t least_slots;
};

/// How a tile is loaded that leaves no registers for another one. Compilers move loads up, before the last
/// use of values that were kept beside the operands, and then have registers for neither (H200, rows of 1000:
/// 575 us against 1000 for softmax, 285 against 355 for log-sum-exp, which keeps nothing).
FUSECL_INLINE tile_fetch unfetched(const list_of<tile_load>& loads) {
  const bool keeps = std::any_of(loads.begin(), loads.end(), [](const tile_load& l) { return l.kept > 0; });
  return keeps ? tile_fetch::at_start : tile_fetch::in_place;
}

/// Fewest slots that leave each work-item what it can hold; a tile that is loaded ahead first.
FUSECL_INLINE tile_choice choose_slots(const list_of<tile_load>& loads, const list_of<std::int64_t>& cols,
                                       std::int64_t width, const tile_limits& limits) {
  for (const bool ahead : {true, false})
    for (std::int64_t slots = limits.least_slots; slots <= limits.group; slots *= 2) {
      const std::int64_t lanes = limits.group / slots, rows = lanes * width;
      if (rows < (ahead ? limits.least_rows : fewest_rows)) break;
      const std::int64_t budget = ahead || rows >= good_rows ? limits.fetched : limits.unfetched;
      if (bytes_held(loads, cols, width, slots, ahead) <= budget)
        return {width, lanes, slots, ahead ? tile_fetch::ahead : unfetched(loads)};
    }
  return {width, 0, 0, tile_fetch::at_start};
}

FUSECL_INLINE bool stores_elements(const step& s) {
  return std::any_of(s.phases.begin(), s.phases.end(),
                     [](const phase& p) { return p.cols != ir::one && !p.stores.empty(); });
}

/// `chains`: whether rows have chains, so that their functions are computed once a row.
FUSECL_INLINE tile_choice choose_gpu_tile(const step& s, const list_of<tile_load>& loads,
                                          const device_shape& device, const list_of<std::int64_t>& cols,
                                          std::int64_t width, std::int64_t group, std::int64_t least_slots,
                                          bool chains) {
  const std::int64_t heavy = std::min(gpu_heavy_bytes, device.tile_bytes);
  if (chains) {
    // few columns: whole rows, next to each other (H200, 1e7 x 10: ordered regression 376 us, negative
    // binomial 253; 465 and 277 for vectors of rows)
    const tile_choice whole = choose_slots(loads, cols, 1, {group, heavy, heavy, fair_rows, least_slots});
    if (whole.slots == 1 && whole.fetch == tile_fetch::ahead) return whole;
  } else if (s.is_heavy()) {
    // few columns: whole vectors; else single rows, side by side in larger groups where they are stored too,
    // unless there is no room to load ahead (H200, softmax of rows of 1000: 525 us for vectors, 572
    // otherwise)
    const tile_choice vectors =
        choose_slots(loads, cols, width, {group, heavy, heavy, good_rows * 4, least_slots});
    if (vectors.slots == 1) return vectors;
    const std::int64_t larger = stores_elements(s) ? std::min(2 * group, device.largest_group) : group;
    const std::int64_t least = stores_elements(s) ? good_rows : fair_rows;
    const tile_choice single = choose_slots(loads, cols, 1, {larger, heavy, heavy, least, least_slots});
    if (single.lanes >= fair_rows && single.fetch == tile_fetch::ahead) return single;
  }
  return choose_slots(loads, cols, width,
                      {group, std::min(gpu_tile_bytes, device.tile_bytes),
                       std::min(gpu_tile_bytes_unfetched, device.tile_bytes), good_rows, least_slots});
}

/// Local memory of a GPU tile: of each reduction along the rows the parts that are exchanged (two copies, so
/// that one barrier a tile does), and what chains give.
FUSECL_INLINE std::int64_t tile_local_bytes(const plan& p, const step& s, const tile_variant& t, int width,
                                            const list_of<row_chain>& chains) {
  const std::int64_t parts = schedule::exchanged_parts(t), row = std::int64_t{t.lanes} * width;
  std::int64_t bytes = 0;
  const auto add = [&](const list_of<ir::node_id>& ids, std::int64_t copies) {
    for (ir::node_id id : ids) bytes += copies * row * static_cast<std::int64_t>(size_of(p.graph[id].type));
  };
  for (const phase& each : s.phases)
    add(each.along, parts == 1 ? 0 : t.chains || t.shares_rows ? parts : 2 * parts);
  if (t.chains || t.shares_rows)
    for (const row_chain& chain : chains) add(chain.given, 1);
  return bytes;
}

/// How a tile is laid out over a group.
FUSECL_INLINE tile_variant variant_of(const tile_choice& c, const device_shape& device,
                                      const list_of<row_chain>& chains) {
  tile_variant t;
  t.lanes = static_cast<std::uint16_t>(c.lanes);
  t.slots = static_cast<std::uint16_t>(c.slots);
  t.fetch = c.fetch;
  t.shuffles = device.shuffles && c.lanes * c.slots >= 32;
  const bool exchanges = schedule::exchanged_parts(t) > 1;
  t.chains = exchanges && chains.size() > 1 && chains.size() <= t.slots;
  t.shares_rows = exchanges && chains.size() == 1 && c.slots >= c.width;
  return t;
}

/// The tile with the fewest slots of the largest group whose exchanges local memory has room for.
FUSECL_INLINE tile_choice choose_gpu_tile(const launch_request& r, const list_of<tile_load>& loads,
                                          const list_of<row_chain>& chains, const list_of<std::int64_t>& cols,
                                          int width, std::int64_t group) {
  for (; group >= 64; group /= 2)
    for (std::int64_t slots = 1; slots <= group; slots *= 2) {
      const tile_choice c = choose_gpu_tile(r.s, loads, r.device, cols, width, group, slots, !chains.empty());
      if (c.lanes == 0) break;
      const std::int64_t bytes =
          tile_local_bytes(r.p, r.s, variant_of(c, r.device, chains), static_cast<int>(c.width), chains);
      if (bytes <= r.device.local_bytes - schedule::shared_column_bytes - schedule::together_bytes) return c;
      slots = std::max(slots, c.slots);
    }
  return {width, 0, 0, tile_fetch::at_start};
}

/// Whether slots share out rows whose functions the columns wait for that long.
FUSECL_INLINE bool columns_wait_long(const launch_request& r, const list_of<row_chain>& chains) {
  return chains.size() == 1 && chains[0].along.size() == 1 && has_long_rows(r, chains[0], awaited_row_flops);
}

FUSECL_INLINE void tile_groups_gpu(geometry& g, const launch_request& r, std::int64_t rows,
                                   const list_of<std::int64_t>& cols, int width) {
  const step& s = r.s;
  const device_shape& device = r.device;
  const list_of<tile_load> loads = tile_loads(r.p, s);
  list_of<row_chain> chains = schedule::row_chains(r.p, s);
  const row_chain joined = chains.empty() ? schedule::joined_rows(r.p, s) : row_chain{};
  if (tile_of_products(g, r, joined, rows, cols, width == 2)) return;
  if (!joined.along.empty() && !joined.given.empty() && has_long_rows(r, joined, shared_row_flops))
    chains = {joined};
  tile_choice c = choose_gpu_tile(r, loads, chains, cols, width, device.group);
  if (tile_team_groups(g, r, loads, joined, rows, cols, width, c.lanes * c.width)) return;
  if (c.slots != 1 && tile_twice_groups(g, r, loads, joined, rows, cols)) return;
  if (c.slots > 1 && columns_wait_long(r, chains))
    if (const tile_choice half = choose_gpu_tile(r, loads, chains, cols, width, device.group / 2);
        half.lanes * half.width >= good_rows)
      c = half;
  // few rows: smaller groups, so that every unit has tiles
  for (std::int64_t group = device.group; c.lanes > 0 && group > 64; group /= 2) {
    if (divide_up(rows, c.lanes * c.width) >= 2 * device.compute_units) break;
    const tile_choice smaller = choose_gpu_tile(r, loads, chains, cols, width, group / 2);
    if (smaller.lanes == 0 || smaller.lanes * smaller.width < good_rows) break;
    c = smaller;
  }
  if (c.lanes == 0) {
    g.groups = does_not_fit;
    return;
  }
  tile_variant& t = g.kernel.tile = variant_of(c, device, chains);
  g.kernel.width = static_cast<std::uint8_t>(c.width);
  for (std::size_t e = 0; e < cols.size(); ++e)
    t.columns[e] = static_cast<std::uint16_t>(columns_of_slot(cols[e], c.slots));
  g.local = c.lanes * c.slots;
  const std::int64_t tiles = divide_up(rows / c.width, c.lanes);
  const std::int64_t registers =
      bytes_held(loads, cols, c.width, c.slots, c.fetch == tile_fetch::ahead) / 4 + 24;
  std::int64_t resident = std::clamp<std::int64_t>(65536 / (g.local * registers), 1, 2048 / g.local);
  if (s.sections.empty() && c.fetch == tile_fetch::ahead)
    resident = std::max<std::int64_t>(resident / 2 * 2, 2);
  // each group's parts cost the finish a load
  const std::int64_t most = s.sections.empty() ? 8 : 2;
  g.groups = std::min(tiles, device.compute_units * std::min(resident, most));
  g.sizes = {{"rows", rows / c.width}, {"tiles", tiles}};
}

FUSECL_INLINE void tile_groups_cpu(geometry& g, const plan& p, const step& s, const device_shape& device,
                                   std::int64_t rows, const list_of<std::int64_t>& cols, int width) {
  const list_of<tile_load> loads = tile_loads(p, s);
  std::int64_t row_bytes = 8;
  for (std::size_t e = 0; e < cols.size(); ++e) row_bytes += cols[e] * std::max(loads[e].operands, 8);
  std::int64_t tile = 1024;
  while (tile > 16 && tile * row_bytes > cpu_tile_bytes) tile /= 2;
  if (tile * row_bytes > 2 * cpu_tile_bytes) {
    g.groups = does_not_fit;
    return;
  }
  g.kernel.width = static_cast<std::uint8_t>(rows >= width ? width : 1);
  g.kernel.ragged = rows % g.kernel.width != 0;
  g.kernel.tile.lanes = static_cast<std::uint16_t>(tile);
  g.kernel.tile.whole_passes = std::all_of(
      cols.begin(), cols.end(), [](std::int64_t n) { return n % codegen::detail::cpu_columns == 0; });
  g.kernel.tile.brings = device.streams && *std::max_element(cols.begin(), cols.end()) >= cpu_brought_columns;
  const std::int64_t tiles = divide_up(rows, tile);
  const std::int64_t each = divide_up(tiles, cpu_turns(device));
  g.groups = divide_up(tiles, each);
  g.local = 1;
  g.sizes = {{"rows", rows}, {"tiles", tiles}, {"each", each}};
}

/// Whether what is finished with the sums is as small as it was meant to be.
FUSECL_INLINE bool has_small_results(const launch_request& r) {
  for (const section& own : r.s.sections) {
    for (const schedule::small_sums& each : own.needed) {
      const std::int64_t rows = r.size(each.rows), cols = r.size(each.cols);
      if (rows > schedule::most_small_elements || rows * cols > schedule::most_small_elements) return false;
    }
    for (const schedule::small_results& each : own.small) {
      using line = schedule::small_results::line;
      const std::int64_t rows = each.by == line::row ? 1 : r.size(each.rows),
                         cols = each.by == line::column ? 1 : r.size(each.cols);
      if (rows > schedule::most_small_results || rows * cols > schedule::most_small_results) return false;
    }
  }
  return true;
}

// The last group of a GPU finishes columns alone where that takes less time than another launch: it has no
// more partial results than these, and every unit has a group, so that a kernel of its own would wait for
// memory as often (H100, value and gradient of a regression of 1e5 x 10: 25 us, 33 by a kernel; of 1000 x 5
// with 8 groups 24 and 23; values alone, which have one result, 25 and 22. H200, 1e6 x 100 with 13,000
// partial results: 213 and 209).
inline constexpr std::int64_t most_parts_of_last_group = 6000;

// Columns that a group of a GPU finishes side by side: as few as this where there are more units than groups
// (H200, ten classes, 1e6 x 100: 16 us for a finish with eight, 11 with two).
inline constexpr std::int64_t most_side_by_side = 8, fewest_side_by_side = 2;

/// The partial results and their finish. Columns are finished some at a time by a group of a GPU, whose
/// work-items share the parts of each.
FUSECL_INLINE void tile_finish(geometry& g, const launch_request& r, const list_of<ir::extent>& extents,
                               const list_of<std::int64_t>& cols) {
  const step& s = r.s;
  const device_shape& device = r.device;
  const bool cpu = device.form == device_form::cpu;
  const std::int64_t parts = g.groups;
  const auto results_of = [&](const section& own) {
    const auto at = std::find(extents.begin(), extents.end(), own.cols);
    return own.axis == ir::axis::all ? 1 : cols[static_cast<std::size_t>(at - extents.begin())];
  };
  // a team has one of each column
  const auto parts_of = [&](const section& own) {
    return own.axis == ir::axis::all ? parts : parts / g.kernel.tile.team;
  };
  std::int64_t all_parts = 0, widest = 0;
  for (const section& own : s.sections) {
    if (own.axis != ir::axis::all) widest = std::max(widest, results_of(own));
    all_parts += parts_of(own) * results_of(own) * static_cast<std::int64_t>(own.reductions.size());
  }
  const bool soon = widest > 0 && all_parts <= most_parts_of_last_group && parts >= device.compute_units;
  g.kernel.partial = !s.sections.empty();
  schedule::let_last_group_finish(g.kernel, device, g.kernel.partial && (cpu || soon));
  std::int64_t side_by_side = std::min<std::int64_t>(g.kernel.last ? 32 : most_side_by_side, g.local);
  const auto too_many = [&] {
    if (side_by_side / 2 >= std::max<std::int64_t>(widest, 1)) return true;
    return !g.kernel.last && side_by_side > fewest_side_by_side &&
           divide_up(widest, side_by_side) < device.compute_units;
  };
  while (too_many()) side_by_side /= 2;
  if (!cpu) g.kernel.tile.finished = static_cast<std::uint8_t>(side_by_side);
  g.finish_groups = 0;
  std::size_t e = 0;
  g.sizes.push_back({"parts", parts});
  for (const section& own : s.sections) {
    const std::int64_t results = results_of(own);
    schedule::take_parts(g, r, e, own.reductions.size(), results * parts_of(own));
    g.finish_groups +=
        own.axis == ir::axis::all ? 1 : divide_up(results, cpu ? cpu_finish_tile : side_by_side);
    const std::string number = std::to_string(e++);
    g.sizes.push_back({"results" + number, results});
    g.sizes.push_back({"groups" + number, g.finish_groups});
  }
}

FUSECL_INLINE bool takes(const plan&, const step& s) { return s.is_tile(); }

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  g.kernel.distinct = r.distinct;
  g.groups = does_not_fit;
  const list_of<ir::extent> extents = tile_extents(r.s);
  list_of<std::int64_t> cols;
  for (ir::extent e : extents) cols.push_back(r.size(e));
  const std::int64_t rows = r.rows();
  if (rows == 0 || *std::min_element(cols.begin(), cols.end()) == 0) return g;
  if (!has_small_results(r)) return g;
  if (r.on_cpu()) {
    tile_groups_cpu(g, r.p, r.s, r.device, rows, cols, r.padded ? r.width : 1);
  } else {
    const bool whole = r.padded && rows % r.width == 0;
    tile_groups_gpu(g, r, rows, cols, whole ? r.width : 1);
  }
  if (g.groups < 0) return g;
  for (std::size_t e = 0; e < cols.size(); ++e) g.sizes.push_back({"cols" + std::to_string(e), cols[e]});
  tile_finish(g, r, extents, cols);
  return g;
}

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) {
  return codegen::detail::tile_emitter(r).run();
}

}  // namespace row_tile_walk

inline constexpr step_kind row_tile{kind_order::row_tile, "row_tile",           "tiles of rows in phases",
                                    row_tile_walk::takes, row_tile_walk::shape, row_tile_walk::emit};

}  // namespace fusecl::kinds
