#pragma once
// Which products of matrices take slices that asynchronous copies bring, and the geometry they get: of
// several tiles the one that takes the least time.

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

/// Rows of tiles of a panel of half of a product; one where every group leaves sums, and none may end at
/// once.
inline int panel_height(const step& s) { return s.sums.empty() ? panel : 1; }

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
/// than one where it is a matrix or its transpose, with columns of a multiple of them, and no triangle.
inline int elements_together(const launch_request& r, int k, int most) {
  const copied_operand o = operand_in_memory(r.p, r.s, k);
  if (!o.whole || o.guarded) return 1;
  const std::int64_t rows = r.size(r.p.graph.resolve(r.p.graph[o.memory].rows));
  while (rows % most != 0) most /= 2;
  return most;
}

inline bool takes(const plan& p, const step& s, scalar_type type) {
  return p.form == schedule::device_form::gpu && is_product(p, s) && type_of_product(p, s) == type &&
         is_plain(p, s, 0) && is_plain(p, s, 1);
}

// What a second launch (us) and reading parts (bytes/us) take, and what caches give all units (bytes/us;
// H100, tiles of 64 x 64 at 3000: 6.8 GB in 1128 us).
inline constexpr double finish_time = 6, finish_rate = 3e6, cache_rate = 6e6;
// What sharing the terms of the last tiles has to come down to (H100, 4096: expected 0.99, and 2520 us for
// 2500; 3000: 0.9, 1048 for 1131).
inline constexpr double least_gain = 0.96;

struct choice {
  const tile* t;
  std::int64_t tiles;
  std::int64_t parts;  ///< shares of the terms
  double time;         ///< us
  std::int64_t whole;  ///< tiles whose terms are not shared
};

/// The parts of at least 128 terms, at most 64 MB of them, that let the tiles beyond the last full round take
/// the least time, where every unit has some already; the terms of all others are not shared.
inline choice share_last_tiles(const tile& t, std::int64_t count, std::int64_t units, std::int64_t element,
                               std::int64_t terms) {
  const std::int64_t full_rounds = count / units, whole = full_rounds * units, rest = count - whole;
  choice best{&t, count, 1, HUGE_VAL, whole};
  if (whole == 0 || rest == 0) return best;
  const auto bytes = static_cast<double>(element * rest * t.rows * t.cols);
  const auto rounds = static_cast<double>(full_rounds);
  for (std::int64_t parts = 2; parts <= terms / 128; ++parts) {
    const double all = bytes * static_cast<double>(parts);
    if (all > 64 << 20) break;
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
  choice best{tiles.data(), 0, 1, HUGE_VAL, 0};
  for (const tile& t : tiles) {
    const auto tiles_by = [&](int high) {
      return tiles_of_product(needed, rows, cols, t.rows, t.cols, high);
    };
    const std::int64_t count = tiles_by(1);  // without those that end at once
    const double loads = static_cast<double>(element * terms) * static_cast<double>(count) *
                         static_cast<double>(t.rows + t.cols) / cache_rate;
    for (std::int64_t parts = 1; parts <= most; parts += 1 + parts / 8) {
      const auto rounds = static_cast<double>(divide_up(count * parts, r.device.compute_units));
      double time = 1e-3 * static_cast<double>(divide_up(terms, parts)) * (t.fixed + t.each * rounds);
      time = std::max(time, loads);
      if (parts > 1) time += finish_time + static_cast<double>(element * parts * rows * cols) / finish_rate;
      if (time < best.time) best = {&t, tiles_by(panel_height(r.s)), parts, time, 0};
    }
    if (!shares || needed.symmetric || needed.cut_terms()) continue;
    const choice last = share_last_tiles(t, count, r.device.compute_units, element, terms);
    if (std::max(last.time, loads) < least_gain * best.time) best = last;
  }
  return best;
}

/// The geometry with the best of `tiles`, whose rings have room for `padding` elements more a term; none
/// where the device has not what it takes, of which `has_instructions` says a part.
inline geometry shape(const launch_request& r, bool has_instructions, std::span<const tile> tiles,
                      std::int64_t padding) {
  geometry g;
  g.groups = -1;
  if (!has_instructions) return g;
  const auto element = static_cast<std::int64_t>(size_of(type_of_product(r.p, r.s)));
  const std::int64_t rows = r.rows(), cols = r.cols(), terms = inner_size(r);
  const bool sums = !r.s.sums.empty();
  choice best = best_choice(r, tiles, element, terms, true);
  if (sums && best.parts > 1) {
    // the sums in a step of their own take another launch
    const choice whole = best_choice(r, tiles, element, terms, false);
    if (whole.time > best.time + finish_time) {
      g.groups = fits_no_kind;
      return g;
    }
    best = whole;
  }
  const tile& t = *best.t;
  g.local = threads(t);
  const std::int64_t ring = element * t.depth * t.slices * (t.rows + t.cols + padding);
  if (g.local > r.device.largest_group || ring > std::max(r.device.local_bytes, r.device.shown_bytes))
    return g;
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
  if (sums)
    leave_sums(g, r, best.tiles, t.rows, t.cols);
  else
    share_terms(g, best.tiles, rows * cols, terms, best.parts, t.depth);
  if (!sums && best.whole > 0 && g.kernel.partial) {
    const std::int64_t rest = best.tiles - best.whole, elements = rest * t.rows * t.cols;
    g.kernel.choices[3] = 1;
    g.groups = best.whole + rest * g.size("parts");
    g.part_elements.assign(1, elements * g.size("parts"));
    g.finish_groups = divide_up(elements, g.local);
  }
  g.sizes.push_back({"unshared", best.whole, true});
  if (parts_of_product(r.p, r.s).symmetric) g.sizes.push_back({"tiles", best.tiles, true});
  return g;
}

}  // namespace copied_product
}  // namespace fusecl::kinds
