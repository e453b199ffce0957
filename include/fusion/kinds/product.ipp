#pragma once
// Products of matrices on a GPU: a group computes a tile, of which every work-item keeps a few elements in
// registers, from slices of the operands in local memory. What a work-item has lies in vectors of 16 bytes of
// rows and of columns: so many fewer reads of local memory feed its multiplications. Where registers hold it,
// the next slice is on its way while one is multiplied.

#include <algorithm>

#include <fusion/base/error.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/kinds/product_emitter.hpp>

namespace fusecl::kinds {
namespace product_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Terms of a slice of the operands.
inline constexpr int depth = 16, depth_of_large = 8;
// Rows and columns of a work-item's part of a tile.
inline constexpr int part = 4, large_part = 8;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::gpu && is_product(p, s);
}

/// Terms that a group can add before a driver ends the loops of its work-items, where one does that. None is
/// taken to be unrolled.
inline std::int64_t most_terms(const launch_request& r, int own, std::int64_t group) {
  if (r.device.loop_rounds == 0) return std::int64_t{1} << 62;
  const std::int64_t slice = own == large_part ? depth_of_large : depth,
                     across = std::min<std::int64_t>(16, group),
                     elements = slice * own * (across + group / across), of_tile = own * (1 + own),
                     rounds = 1 + divide_up(elements, group) + 1 + slice * (1 + own + of_tile);
  return (r.device.loop_rounds - 2 * of_tile) / rounds * slice;
}

/// How many groups share the terms of a tile: where tiles are too few for the device, or terms too many.
inline std::int64_t parts_of_terms(const launch_request& r, std::int64_t tiles, std::int64_t element, int own,
                                   std::int64_t group) {
  const std::int64_t terms = inner_size(r), most = most_terms(r, own, group),
                     possible = most_parts(r.rows(), r.cols(), element, terms),
                     wanted = std::max(2 * r.device.compute_units / std::max<std::int64_t>(1, tiles),
                                       divide_up(terms, most));
  const std::int64_t parts = std::max<std::int64_t>(1, std::min(possible, wanted));
  if (divide_up(terms, parts) > most)
    throw error(
        text::fill("product of matrices: {} columns of the first and rows of the second are more than the "
                   "{} that this device adds: its driver ends loops after {} rounds (Mesa's llvmpipe "
                   "before 25; OCL_PLATFORM chooses another device)",
                   {terms, possible * most, r.device.loop_rounds}));
  return parts;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols();
  g.kernel.distinct = r.distinct;
  g.local = r.device.group;
  const std::int64_t across = std::min<std::int64_t>(16, g.local), down = g.local / across;
  const product_parts needed = parts_of_product(r.p, r.s);
  const auto tiles = [&](int own) {
    return tiles_of_product(needed, rows, cols, own * across, own * down, 1);
  };
  // a large tile reads less local memory for each term; small ones keep all of the device busy
  const auto element = static_cast<std::int64_t>(size_of(type_of_product(r.p, r.s)));
  const bool large = down >= 16 && tiles(large_part) >= r.device.compute_units &&
                     large_part * large_part * element <= r.device.tile_bytes;
  const int own = large ? large_part : part;
  g.kernel.choices[0] = static_cast<std::uint16_t>(own);
  g.kernel.choices[1] = static_cast<std::uint16_t>(across);
  g.kernel.choices[2] = keeps_arrays(r.device);
  g.sizes = {{"rows", rows},
             {"cols", cols},
             {"inner", inner_size(r)},
             {"row_tiles", std::max<std::int64_t>(1, divide_up(rows, own * across)), true}};
  const std::int64_t parts = parts_of_terms(r, tiles(own), element, own, g.local);
  if (r.s.sums.empty())
    share_terms(g, tiles(own), rows * cols, inner_size(r), parts, depth);
  else
    leave_sums(g, r, tiles(own), own * across, own * down);
  if (!r.s.sums.empty() && parts > 1) g.groups = needs_another_plan;
  if (needed.symmetric) g.sizes.push_back({"tiles", tiles(own), true});
  return g;
}

class emitter final : public product_emitter {
 public:
  using product_emitter::product_emitter;

 private:
  int own() const { return v_.choices[0]; }
  int across() const { return v_.choices[1]; }
  int down() const { return static_cast<int>(shape_.local) / across(); }
  int tile_rows() const override { return own() * across(); }
  int tile_cols() const override { return own() * down(); }
  int slice() const { return own() == large_part && !fetches_ahead() ? depth_of_large : depth; }
  /// Elements of a vector in local memory.
  int lanes() const { return static_cast<int>(16 / size_of(type_)); }
  std::string vector() const { return codegen::vector_type(type_, lanes()); }
  /// Whether registers have room for a work-item's share of the next slice.
  bool fetches_ahead() const {
    return own() * own() * static_cast<int>(size_of(type_)) <= 256 && v_.choices[2] != 0;
  }
  /// Elements of operand `k` that a work-item brings to a slice.
  int share_of_slice(int k) const {
    return slice() * (k == 0 ? tile_rows() : tile_cols()) / static_cast<int>(shape_.local);
  }

  void walk() override {
    out_.line("local {} a_slice[{}][{}], b_slice[{}][{}];",
              {vector(), slice(), tile_rows() / lanes() + 1, slice(), tile_cols() / lanes() + 1});
    out_.line("const uint lane = get_local_id(0), across = lane % {}, down = lane / {};",
              {across(), across()});
    number_of_group(codegen::fill("row_tiles * (uint)((cols + {}) / {})", {tile_cols() - 1, tile_cols()}));
    place_tile(tile_rows(), tile_cols());
    terms_of_tile(tile_rows(), tile_cols());
    codegen::value_emitter values = start_epilogue();
    out_.line("{} sums[{}][{}];", {type(), own(), own()});
    unrolled("v", own());
    unrolled("u", own());
    out_.line("sums[v][u] = 0;");
    out_.close();
    out_.close();
    const bool ahead = fetches_ahead();
    if (ahead) {
      out_.line("{} a_next[{}], b_next[{}];", {type(), share_of_slice(0), share_of_slice(1)});
      for (int k = 0; k < 2; ++k) load(k, first_term());
    }
    out_.open("for (long done = {}; done < {}; done += {})", {first_term(), end_of_terms(), slice()});
    for (int k = 0; k < 2; ++k) ahead ? keep(k) : load(k, "done");
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    if (ahead) {
      out_.line("const long following = done + {};", {slice()});
      out_.open("if (following < {})", {end_of_terms()});
      for (int k = 0; k < 2; ++k) load(k, "following");
      out_.close();
    }
    add_slice();
    out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
    out_.close();
    if (has_sums()) start_sums();
    store_tile(values);
    finish_sums();
  }

  bool unrolls() const { return v_.choices[2] != 0; }
  void unroll() {
    if (unrolls()) out_.raw("#pragma unroll\n");
  }

  void unrolled(const char* name, int count) { loop(name, count, unrolls()); }

  /// A loop over the elements of a slice of operand `k` that a work-item brings. Neighbouring work-items
  /// bring what lies side by side in memory.
  void open_share(int k) {
    const bool along_terms = terms_side_by_side(k);
    const int length = along_terms ? slice() : k == 0 ? tile_rows() : tile_cols();
    unrolled("turn", share_of_slice(k));
    out_.line("const uint at = turn * {} + lane;", {shape_.local});
    out_.line("const uint {} = at % {}, {} = at / {};",
              {along_terms ? "term" : "place", length, along_terms ? "place" : "term", length});
  }

  /// Loads the slice from term `first` on, zeros where it hangs over the edges: to registers, or to local
  /// memory.
  void load(int k, const char* first) {
    open_share(k);
    const std::string own_row = k == 0 ? "first_row + place" : codegen::fill("{} + term", {first}),
                      own_col = k == 0 ? codegen::fill("{} + term", {first}) : "first_col + place";
    out_.line("const long row = {}, col = {};", {own_row, own_col});
    out_.line("{} value = 0;", {type()});
    out_.open(k == 0 ? "if (row < rows && col < {})" : "if (row < {} && col < cols)", {end_of_terms()});
    const std::string text = element(k, "row", "col");
    out_.line("value = {};", {text});
    out_.close();
    if (fetches_ahead())
      out_.line("{}_next[turn] = value;", {k == 0 ? "a" : "b"});
    else
      out_.line("{} = value;", {place_in_slice(k)});
    out_.close();
  }

  /// Moves what was loaded to registers to local memory.
  void keep(int k) {
    open_share(k);
    out_.line("{} = {}_next[turn];", {place_in_slice(k), k == 0 ? "a" : "b"});
    out_.close();
  }

  bool unrolls_lines() const override { return unrolls(); }
  int lines_of_item() const override { return own(); }
  std::string line_of_element() const override { return sums_rows() ? "u" : "v"; }
  std::string line_in_tile() const override {
    return sums_rows() ? place_of("each", "across", across()) : place_of("each", "down", down());
  }
  std::string combine_line() override {
    if (sums_rows()) return combine_lanes("down", down(), across());
    return combine_lanes("across", across(), 1);
  }

  std::string place_in_slice(int k) const {
    return codegen::fill("((local {}*){}_slice[term])[place]", {type(), k == 0 ? "a" : "b"});
  }

  void add_slice() {
    unroll();
    out_.open("for (uint term = 0; term < {}; ++term)", {slice()});
    out_.line("{} a[{}], b[{}];", {type(), own(), own()});
    unrolled("u", own() / lanes());
    out_.line("vstore{}(a_slice[term][across + u * {}], u, a);", {lanes(), across()});
    out_.line("vstore{}(b_slice[term][down + u * {}], u, b);", {lanes(), down()});
    out_.close();
    unrolled("v", own());
    unrolled("u", own());
    out_.line("sums[v][u] = {};", {multiply_add("a[u]", "b[v]", "sums[v][u]")});
    out_.close();
    out_.close();
    out_.close();
  }

  /// Number, within the tile, of the row or column that is the work-item's `each`-th.
  std::string place_of(const char* each, const char* self, int apart) const {
    return codegen::fill("({} / {} * {} + {}) * {} + {} % {}",
                         {each, lanes(), apart, self, lanes(), each, lanes()});
  }

  void store_tile(codegen::value_emitter& values) {
    const char *row = parts_.symmetric ? "own_row" : "i", *col = parts_.symmetric ? "own_col" : "j";
    unrolled("v", own());
    out_.line("const long {} = first_col + {};", {col, place_of("v", "down", down())});
    unrolled("u", own());
    out_.line("const long {} = first_row + {};", {row, place_of("u", "across", across())});
    store_sum_at(values, "sums[v][u]", row, col);
    out_.close();
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace product_walk

inline constexpr step_kind product{
    kind_order::product, "product",           "a product of matrices, by tiles from slices in local memory",
    product_walk::takes, product_walk::shape, product_walk::emit,
    flops_of_product};

}  // namespace fusecl::kinds
