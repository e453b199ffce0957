#pragma once
// Products of many small matrices on a GPU. Work-items have 4 x 4 elements of a tile each, from slices of
// both matrices in local memory; a group has one tile, or those of several matrices where these are smaller.
// All that a slice needs is on its way at once, as memory is what such products wait for.

#include <algorithm>

#include <fusion/base/error.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/kinds/batched_emitter.hpp>
#include <fusion/ops/batched_product.hpp>

namespace fusecl::kinds {

/// Sizes of the batched product of a step.
inline ops::batch_sizes batch_of(const schedule::plan& p, const schedule::step& s,
                                 std::span<const std::int64_t> extents) {
  const ir::graph& g = p.graph;
  const ir::node& n = g[s.reductions[0]];
  const auto size = [&](ir::extent e) { return p.size_of(g.resolve(e), extents); };
  const ir::node &a = g[n.operands[0]], &b = g[n.operands[1]];
  return ops::sizes_of_batch(ops::transposed_operands::of(n), size(a.rows), size(a.cols), size(b.rows),
                             size(n.rows), size(n.cols));
}

inline double flops_of_batched_product(const schedule::plan& p, const schedule::step& s,
                                       std::span<const std::int64_t> extents) {
  const ops::batch_sizes sizes = batch_of(p, s, extents);
  return 2.0 * static_cast<double>(sizes.rows * sizes.cols * sizes.count) * static_cast<double>(sizes.inner);
}

inline bool is_batched_product(const schedule::step& s, const schedule::plan& p) {
  return s.opaque && p.graph[s.reductions[0]].is(op::batched_product::record());
}

/// A geometry with the sizes that both forms have: tiles of rows x cols elements.
inline schedule::geometry geometry_of_batch(const schedule::launch_request& r, const ops::batch_sizes& sizes,
                                            std::int64_t tile_rows, std::int64_t tile_cols,
                                            std::int64_t depth) {
  schedule::geometry g;
  g.kernel.distinct = r.distinct;
  g.kernel.choices[0] = static_cast<std::uint16_t>(tile_rows);
  g.kernel.choices[1] = static_cast<std::uint16_t>(tile_cols);
  g.kernel.choices[2] = static_cast<std::uint16_t>(depth);
  const std::int64_t down = schedule::divide_up(sizes.rows, tile_rows),
                     tiles = down * schedule::divide_up(sizes.cols, tile_cols);
  g.sizes = {{"rows", sizes.rows},
             {"cols", r.cols()},
             {"own_cols", sizes.cols},
             {"inner", sizes.inner},
             {"row_tiles", down, true},
             {"tiles", std::max<std::int64_t>(1, tiles), true},
             {"all_tiles", tiles * sizes.count}};
  return g;
}

/// An emitter of batched products: where tiles are, and elements of the operands.
class batched_product_emitter : public batched_emitter {
 public:
  using batched_emitter::batched_emitter;

 protected:
  int tile_rows() const override { return v_.choices[0]; }
  int tile_cols() const override { return v_.choices[1]; }
  int depth() const { return v_.choices[2]; }

  void add_own_sizes() override {
    for (const char* name : {"own_cols", "inner", "row_tiles", "tiles", "all_tiles"}) add_size(name);
  }

  /// Whether the elements of operand `k` along the terms of a sum follow each other in memory.
  bool lies_along_terms(int k) const { return lies_along_rows(k) != rows_are_terms(k); }

  /// Writes where the tile with this number begins: its matrix, its first row and its first column, as far as
  /// these are wanted. `single`: matrices have one tile each.
  void place_tile(const char* number, bool single, bool row, bool col) {
    if (single) return out_.line("const long block = {};", {number});
    out_.line("const uint block = (uint){} / tiles, tile = (uint){} % tiles;", {number, number});
    if (row) out_.line("const long first_row = (long)(tile % row_tiles) * {};", {tile_rows()});
    if (col) out_.line("const long first_col = (long)(tile / row_tiles) * {};", {tile_cols()});
  }

  /// Text of the element of operand `k` for the term and the place with these numbers, of those of `block`;
  /// writes what it needs.
  std::string term_of(int k, const char* term, const char* place) {
    const bool turned = rows_are_terms(k);
    const char *across = turned ? place : term, *width = !turned ? "inner" : k == 0 ? "rows" : "own_cols";
    out_.line("const long row = {}, col = (long)block * {} + {};", {turned ? term : place, width, across});
    return element(k, "row", "col");
  }

 private:
  /// Whether rows of operand `k` have the numbers of terms, rather than columns.
  bool rows_are_terms(int k) const {
    const auto [first, second] = ops::transposed_operands::of(g_[self_]);
    return k == 0 ? first : !second;
  }
};

namespace batched_product_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Rows and columns of a work-item; of a tile at most; work-items of a group at least.
inline constexpr int own = 4, most_of_tile = 64, least_group = 64;
// Elements of each operand that a work-item brings to a slice, and of these at once, at most.
inline constexpr std::int64_t most_brought = 16, at_once = 8;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::gpu && is_batched_product(s, p);
}

/// Throws where a driver would end the loops over the terms.
inline void check_terms(const launch_request& r, std::int64_t terms) {
  constexpr std::int64_t rounds_of_term = 2 + own * (3 + own);
  if (r.device.loop_rounds == 0 || terms * rounds_of_term < r.device.loop_rounds / 2) return;
  throw error(
      text::fill("batched_multiply: sums of {} terms are more than this device adds: its driver ends loops "
                 "after {} rounds (Mesa's llvmpipe before 25; OCL_PLATFORM chooses another device)",
                 {terms, r.device.loop_rounds}));
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const ops::batch_sizes sizes = batch_of(r.p, r.s, r.extents);
  check_terms(r, sizes.inner);
  const auto element = static_cast<std::int64_t>(size_of(r.p.graph[r.s.reductions[0]].type));
  const std::int64_t most_items = std::min(r.device.group, r.device.largest_group);
  std::int64_t rows = power_of_two(sizes.rows, own, most_of_tile),
               cols = power_of_two(sizes.cols, own, most_of_tile);
  while (rows * cols / (own * own) > most_items) (rows >= cols ? rows : cols) /= 2;
  const std::int64_t items = rows * cols / (own * own);
  std::int64_t together = std::max<std::int64_t>(1, std::min<std::int64_t>(least_group, most_items) / items);
  const std::int64_t most_depth = most_brought * std::min(rows, cols) / (own * own);
  std::int64_t depth = power_of_two(sizes.inner, own, std::max<std::int64_t>(own, most_depth));
  const auto bytes = [&] { return together * depth * (rows + cols + 2) * element; };
  const std::int64_t most_bytes = std::min<std::int64_t>(r.device.bytes_for_tiles(), 28672);
  while (depth > own && bytes() > most_bytes) depth /= 2;
  while (together > 1 && bytes() > most_bytes) together /= 2;
  geometry g = geometry_of_batch(r, sizes, rows, cols, depth);
  const bool single = sizes.rows <= rows && sizes.cols <= cols;
  g.kernel.choices[3] = static_cast<std::uint16_t>((keeps_arrays(r.device) ? 1 : 0) + (single ? 2 : 0));
  g.local = items * together;
  g.groups = divide_up(g.size("all_tiles"), together);
  return g;
}

class emitter final : public batched_product_emitter {
 public:
  using batched_product_emitter::batched_product_emitter;

 private:
  int across() const { return tile_rows() / own; }
  int down() const { return tile_cols() / own; }
  int together() const { return static_cast<int>(shape_.local) / (across() * down()); }
  bool unrolls() const { return (v_.choices[3] & 1) != 0; }
  bool single() const { return (v_.choices[3] & 2) != 0; }
  /// Rows or columns of a tile that are places in the slice of operand `k`.
  int places(int k) const { return k == 0 ? tile_rows() : tile_cols(); }
  /// Elements of a slice of operand `k` that a work-item brings.
  int share(int k) const { return static_cast<int>(together() * depth() * places(k) / shape_.local); }
  /// Parts in which it brings what it has of both, and elements of one.
  int parts() const {
    return std::max(
        1, std::min(std::max(share(0), share(1)) / static_cast<int>(at_once), std::min(share(0), share(1))));
  }
  int brought(int k) const { return share(k) / parts(); }

  void walk() override {
    out_.line("local {} a_slices[{}][{}], b_slices[{}][{}];",
              {type(), together() * depth(), tile_rows() + 1, together() * depth(), tile_cols() + 1});
    out_.line(
        "const uint lane = get_local_id(0), slot = lane / {}, across = lane % {}, down = lane / {} % {};",
        {across() * down(), across(), across(), down()});
    if (together() == 1) {
      out_.line("const long number = get_group_id(0);");
      place_tile("number", single(), true, true);
    } else {
      out_.line("const long first_tile = (long)get_group_id(0) * {};", {together()});
    }
    codegen::value_emitter values = start_epilogue();
    out_.line("{} sums[{}][{}];", {type(), own, own});
    loop("v", own, unrolls());
    loop("u", own, unrolls());
    out_.line("sums[v][u] = 0;");
    out_.close();
    out_.close();
    out_.open("for (long done = 0; done < inner; done += {})", {depth()});
    if (unrolls()) out_.raw("#pragma unroll 1\n");
    out_.open("for (uint part = 0; part < {}; ++part)", {parts()});
    out_.line("{} a_next[{}], b_next[{}];", {type(), brought(0), brought(1)});
    for (int k = 0; k < 2; ++k) fetch(k);
    for (int k = 0; k < 2; ++k) keep(k);
    out_.close();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    add_slice();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.close();
    store_tile(values);
  }

  /// A loop over the elements of a slice of operand `k` that a work-item brings. Neighbouring work-items
  /// bring what lies side by side in memory.
  void open_brought(int k) {
    const bool along_terms = lies_along_terms(k);
    const int length = along_terms ? depth() : places(k), other = along_terms ? places(k) : depth();
    loop("turn", brought(k), unrolls());
    out_.line("const uint at = (part * {} + turn) * {} + lane, {} = at % {}, {} = at / {} % {};",
              {brought(k), shape_.local, along_terms ? "term" : "place", length,
               along_terms ? "place" : "term", length, other});
    if (together() > 1) out_.line("const uint which = at / {};", {length * other});
  }

  /// Where a tile of the group is, by its number among them.
  void place_of_slot(const char* slot, bool row, bool col) {
    if (together() == 1) return;  // known to all
    out_.line("const long number = first_tile + {};", {slot});
    place_tile("number", single(), row, col);
  }
  /// Text before the number of a row or column of the tile.
  const char* first_row() const { return single() ? "" : "first_row + "; }
  const char* first_col() const { return single() ? "" : "first_col + "; }

  void fetch(int k) {
    open_brought(k);
    place_of_slot("which", k == 0, k == 1);
    out_.line("const long own_term = done + term, own_place = {}place;",
              {k == 0 ? first_row() : first_col()});
    out_.line("{} value = 0;", {type()});
    out_.open("if (own_term < inner && own_place < {} && number < all_tiles)",
              {k == 0 ? "rows" : "own_cols"});
    const std::string text = term_of(k, "own_term", "own_place");
    out_.line("value = {};", {text});
    out_.close();
    out_.line("{}_next[turn] = value;", {k == 0 ? "a" : "b"});
    out_.close();
  }

  void keep(int k) {
    open_brought(k);
    const std::string line = together() > 1 ? codegen::fill("which * {} + term", {depth()}) : "term";
    out_.line("{}_slices[{}][place] = {}_next[turn];", {k == 0 ? "a" : "b", line, k == 0 ? "a" : "b"});
    out_.close();
  }

  void add_slice() {
    if (unrolls()) out_.raw("#pragma unroll 2\n");
    out_.open("for (uint term = slot * {}; term < (slot + 1) * {}; ++term)", {depth(), depth()});
    out_.line("{} a[{}], b[{}];", {type(), own, own});
    loop("u", own, unrolls());
    out_.line("a[u] = a_slices[term][across + u * {}];", {across()});
    out_.line("b[u] = b_slices[term][down + u * {}];", {down()});
    out_.close();
    loop("v", own, unrolls());
    loop("u", own, unrolls());
    out_.line("sums[v][u] = {};", {multiply_add("a[u]", "b[v]", "sums[v][u]")});
    out_.close();
    out_.close();
    out_.close();
  }

  void store_tile(codegen::value_emitter& values) {
    place_of_slot("slot", true, true);
    loop("v", own, unrolls());
    loop("u", own, unrolls());
    out_.line("const long i = {}across + u * {}, own_col = {}down + v * {};",
              {first_row(), across(), first_col(), down()});
    out_.open("if (i < rows && own_col < own_cols && number < all_tiles)");
    out_.line("const long j = (long)block * own_cols + own_col;");
    out_.line("const {} r0 = sums[v][u];", {type()});
    finish_elements(values, "r0", 1);
    out_.close();
    out_.close();
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace batched_product_walk

inline constexpr step_kind batched_product{kind_order::batched_product,
                                           "batched_product",
                                           "products of many matrices, by tiles from slices in local memory",
                                           batched_product_walk::takes,
                                           batched_product_walk::shape,
                                           batched_product_walk::emit,
                                           flops_of_batched_product};

}  // namespace fusecl::kinds
