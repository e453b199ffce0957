#pragma once
// Which products of matrices take slices that asynchronous copies bring, and the geometry they get: of
// several tiles the one that takes the least time.

#include <algorithm>
#include <cmath>
#include <span>

#include <fusion/kinds/copied_tile.hpp>
#include <fusion/kinds/product_emitter.hpp>

namespace fusecl::kinds {
namespace copied_product {

using copied_tile::tile, schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan,
    schedule::step;

// Rows of tiles that groups go through together, so that the caches hold what they share.
inline constexpr int panel = 8;

// Flags of variant::choices[3]: groups share the terms of the last tiles; tiles are numbered by rows, or by
// columns, rather than by panels, and every other round of groups backwards; what the epilogue reads is
// brought to the caches ahead; all tiles are within the result, so that the kernel has no text for edges.
inline constexpr std::uint16_t shares_last_tiles = 1, goes_by_rows = 2, goes_by_columns = 4, turns_round = 8,
                               brings_ahead = 16, whole_tiles = 32;

// Elements of a tile up to which a kernel without text for edges is worth its compilation: short kernels wait
// for their instructions, too (H200, 512: sum(square(A B - C)) 11.8 us against 13.2, A' B 9.8 against 10.8;
// 1024 to 4096: within 1 % either way).
inline constexpr int most_whole_elements = 64 * 32;

/// Whether operand `k` is a matrix or its transpose, and the node of what is in memory.
struct copied_operand {
  bool whole = true;     ///< it is
  bool guarded = false;  ///< some of its elements are not in memory
  ir::node_id memory;
};
inline copied_operand operand_in_memory(const plan& p, const step& s, int k) {
  const ir::graph& g = p.graph;
  copied_operand o;
  o.memory = g[s.reductions[0]].operands[k];
  for (; ir::maps_places(g[o.memory]); o.memory = g[o.memory].operands[0]) {
    const ir::node& n = g[o.memory];
    o.whole = o.whole && (n.map.is_identity() || n.map.is_transpose());
    o.guarded = o.guarded || n.map.is_guarded() || n.view != matrix_cl_view::Entire;
  }
  o.guarded = o.guarded || g[o.memory].view != matrix_cl_view::Entire;
  return o;
}

/// Whether copies of operand `k` need an address alone: its elements are read as they are, or outside of the
/// view of a whole matrix nothing is copied.
inline bool is_plain(const plan& p, const step& s, int k) {
  const copied_operand o = operand_in_memory(p, s, k);
  return o.whole || !o.guarded;
}

/// Elements of operand `k`, at most `most`, that follow each other in memory and can be copied at once: more
/// than one where it is a matrix or its transpose, with columns of a multiple of them.
inline int elements_together(const launch_request& r, int k, int most) {
  const copied_operand o = operand_in_memory(r.p, r.s, k);
  if (!o.whole) return 1;
  const std::int64_t rows = r.size(r.p.graph.resolve(r.p.graph[o.memory].rows));
  while (rows % most != 0) most /= 2;
  return most;
}

inline bool takes(const plan& p, const step& s, scalar_type type) {
  return p.form == schedule::device_form::gpu && is_product(p, s) && type_of_product(p, s) == type &&
         is_plain(p, s, 0) && is_plain(p, s, 1);
}

// What a second launch (us) and reading parts (bytes/us) take, and what caches give all units (bytes/us;
// H100, tiles of 64 x 64 at 3000: 6.8 GB in 1128 us), more of operands that they hold (H200, half of a
// product at 2048: 1.1 GB in 164 us).
inline constexpr double finish_time = 6, finish_rate = 3e6, cache_rate = 6e6, held_rate = 7e6;
inline constexpr std::int64_t held_bytes = std::int64_t{40} << 20;
// What sharing the terms of the last tiles has to come down to (H100, 4096: expected 0.99, and 2520 us for
// 2500; 3000: 0.9, 1048 for 1131).
inline constexpr double least_gain = 0.96;
// Where lines of tiles have different numbers of terms and there are fewer rounds than this, all tiles of a
// line come before those of the next, which has less; with more, what panels share matters more than what the
// end costs.
inline constexpr double most_rounds_in_order = 8;
// Elements of the tiles that a unit has at once. Where it has all of its tiles, every other round goes
// backwards, so that all units have about as many terms.
inline constexpr std::int64_t elements_at_once = 128 * 128;

struct choice {
  const tile* t;
  std::int64_t tiles;
  std::int64_t parts;  ///< shares of the terms
  double time;         ///< us
  std::int64_t whole;  ///< tiles whose terms are not shared
  double rounds;       ///< of tiles with all terms
};

/// What part of all terms a tile has on average where some rows, or columns, of tiles have more than others.
inline double mean_terms(const product_parts& needed, std::int64_t down, std::int64_t across) {
  const auto cut = [](bool is_cut, std::int64_t lines) {
    return is_cut && lines > 0 ? 0.5 + 0.5 / static_cast<double>(lines) : 1;
  };
  return cut(needed.from_row() || needed.to_row(), down) * cut(needed.from_col() || needed.to_col(), across) *
         cut(needed.wanted != matrix_cl_view::Entire, std::min(down, across));
}

/// The parts of at least 128 terms, at most 64 MB of them, that let the tiles beyond the last full round take
/// the least time, where every unit has some already; the terms of all others are not shared.
inline choice share_last_tiles(const tile& t, std::int64_t count, std::int64_t units, std::int64_t element,
                               std::int64_t terms) {
  const std::int64_t full_rounds = count / units, whole = full_rounds * units, rest = count - whole;
  choice best{&t, count, 1, HUGE_VAL, whole, 0};
  if (whole == 0 || rest == 0) return best;
  const auto bytes = static_cast<double>(element * rest * t.rows * t.cols);
  const auto rounds = static_cast<double>(full_rounds);
  for (std::int64_t parts = 2; parts <= terms / 128; ++parts) {
    const double all = bytes * static_cast<double>(parts);
    if (all > static_cast<double>(most_bytes_of_parts)) break;
    const double time = 1e-3 * static_cast<double>(terms) * (t.fixed + t.each * rounds) +
                        1e-3 * static_cast<double>(divide_up(terms, parts)) * t.each *
                            static_cast<double>(divide_up(rest * parts, units)) +
                        finish_time + all / finish_rate;
    if (time < best.time) best.time = time, best.parts = parts;
  }
  return best;
}

/// The tile and the parts that take the least time; one part where groups may not share terms.
inline choice best_choice(const launch_request& r, std::span<const tile> tiles, std::int64_t element,
                          std::int64_t terms, bool shares) {
  const std::int64_t rows = r.rows(), cols = r.cols(),
                     most = shares ? most_parts(rows, cols, element, terms) : 1;
  const product_parts needed = parts_of_product(r.p, r.s);
  // half of a product in which every group leaves sums has panels of one row, as none may end at once
  const int high = r.s.sums.empty() ? panel : 1;
  const auto units = static_cast<double>(r.device.compute_units);
  const double rate =
      element * terms * (needed.symmetric ? rows : rows + cols) <= held_bytes ? held_rate : cache_rate;
  choice best{tiles.data(), 0, 1, HUGE_VAL, 0, 0};
  for (const tile& t : tiles) {
    const auto tiles_by = [&](int rows_of_panel) {
      return tiles_of_product(needed, rows, cols, t.rows, t.cols, rows_of_panel);
    };
    const std::int64_t count = tiles_by(1);  // without those that end at once
    const double full_tiles =
        static_cast<double>(count) * mean_terms(needed, divide_up(rows, t.rows), divide_up(cols, t.cols));
    const double loads =
        static_cast<double>(element * terms) * full_tiles * static_cast<double>(t.rows + t.cols) / rate;
    for (std::int64_t parts = 1; parts <= most; parts += 1 + parts / 8) {
      // tiles with fewer terms come last and fill what the others leave of a round
      const double rounds = needed.cut_terms()
                                ? std::max(1.0, full_tiles * static_cast<double>(parts) / units)
                                : static_cast<double>(divide_up(count * parts, r.device.compute_units));
      double time = 1e-3 * static_cast<double>(divide_up(terms, parts)) * (t.fixed + t.each * rounds);
      time = std::max(time, loads);
      if (parts > 1) time += finish_time + static_cast<double>(element * parts * rows * cols) / finish_rate;
      if (time < best.time) best = {&t, tiles_by(high), parts, time, 0, rounds};
    }
    if (!shares || needed.cut_terms()) continue;
    const choice last = share_last_tiles(t, count, r.device.compute_units, element, terms);
    if (std::max(last.time, loads) < least_gain * best.time) best = last;
  }
  return best;
}

/// Lets lines of tiles with more terms come first.
inline void go_in_order(geometry& g, const launch_request& r, const product_parts& needed,
                        const choice& best) {
  std::uint16_t& flags = g.kernel.choices[3];
  if (needed.from_row() || needed.to_row())
    flags |= goes_by_rows;
  else if (needed.from_col() || needed.to_col())
    flags |= goes_by_columns;
  else
    return;
  const std::int64_t units = r.device.compute_units, rounds = divide_up(best.tiles, units);
  if (best.parts > 1 || rounds < 2 || rounds * best.t->rows * best.t->cols > elements_at_once) return;
  flags |= turns_round;
  g.sizes.push_back({"round_groups", units, true});
}

/// The geometry with one of `tiles`; none where its ring, with room for `padding` elements more a term, or
/// its group is too large for the device.
inline geometry geometry_of(const launch_request& r, std::span<const tile> tiles, std::int64_t padding,
                            const choice& best) {
  geometry g;
  g.groups = does_not_fit;
  const auto element = static_cast<std::int64_t>(size_of(type_of_product(r.p, r.s)));
  const std::int64_t rows = r.rows(), cols = r.cols(), terms = inner_size(r);
  const tile& t = *best.t;
  g.local = threads(t);
  const std::int64_t ring = element * t.depth * t.slices * (t.rows + t.cols + padding);
  if (g.local > r.device.largest_group || ring > r.device.shown_bytes) return g;
  const product_parts needed = parts_of_product(r.p, r.s);
  const std::int64_t row_tiles = divide_up(rows, t.rows);
  g.kernel.distinct = r.distinct;
  g.kernel.choices[0] = static_cast<std::uint16_t>(best.t - tiles.data());
  for (int k = 0; k < 2; ++k)
    g.kernel.choices[1 + k] =
        static_cast<std::uint16_t>(elements_together(r, k, static_cast<int>(16 / element)));
  g.sizes = {{"rows", rows},
             {"cols", cols},
             {"inner", terms},
             {"row_tiles", std::max<std::int64_t>(1, row_tiles), true}};
  if (!r.s.sums.empty())
    leave_sums(g, r, best.tiles, t.rows, t.cols);
  else
    share_terms(g, best.tiles, rows * cols, terms, best.parts, t.depth);
  if (needed.cut_terms() && !needed.symmetric && best.rounds < most_rounds_in_order)
    go_in_order(g, r, needed, best);
  const bool shares_last = r.s.sums.empty() && best.whole > 0 && g.kernel.partial;
  const bool is_product_alone =
      r.s.sums.empty() && std::all_of(r.s.epilogue.begin(), r.s.epilogue.end(),
                                      [&](const auto& result) { return result.value == r.s.reductions[0]; });
  // what is brought and waits takes the room of operands, unless there is room for all
  const bool stores_interior = !needed.symmetric && (!g.kernel.partial || shares_last || !r.s.sums.empty());
  if (!is_product_alone && stores_interior && terms * (rows + cols) + rows * cols <= held_bytes / element)
    g.kernel.choices[3] |= brings_ahead;
  if (stores_interior && t.rows * t.cols <= most_whole_elements && rows % t.rows == 0 && cols % t.cols == 0)
    g.kernel.choices[3] |= whole_tiles;
  if (shares_last) {
    const std::int64_t rest = best.tiles - best.whole, elements = rest * t.rows * t.cols;
    g.kernel.choices[3] |= shares_last_tiles;
    g.groups = best.whole + rest * g.size("parts");
    g.part_elements.assign(1, elements * g.size("parts"));
    g.finish_groups = divide_up(needed.symmetric ? 2 * elements : elements, g.local);
  }
  g.sizes.push_back({"unshared", best.whole, true});
  if (needed.symmetric) g.sizes.push_back({"tiles", best.tiles, true});
  return g;
}

/// The geometry with the best of `tiles`; none where the device has not what it takes, of which
/// `has_instructions` says a part.
inline geometry shape(const launch_request& r, bool has_instructions, std::span<const tile> tiles,
                      std::int64_t padding) {
  geometry none;
  none.groups = does_not_fit;
  if (!has_instructions) return none;
  const auto element = static_cast<std::int64_t>(size_of(type_of_product(r.p, r.s)));
  const std::int64_t terms = inner_size(r);
  choice best = best_choice(r, tiles, element, terms, true);
  if (!r.s.sums.empty() && best.parts > 1) {
    // the sums in a step of their own take another launch
    const choice whole = best_choice(r, tiles, element, terms, false);
    if (whole.time > best.time + finish_time) {
      none.groups = needs_another_plan;
      return none;
    }
    best = whole;
  }
  return geometry_of(r, tiles, padding, best);
}

}  // namespace copied_product
}  // namespace fusecl::kinds
