#pragma once
// Products of many small matrices on a CPU: a group, one work-item, takes tiles of some matrices in turn,
// packs both operands of each and multiplies them in vector registers.

#include <algorithm>

#include <fusion/kinds/batched_product.ipp>
#include <fusion/kinds/panel_product.hpp>

namespace fusecl::kinds {
namespace batched_product_walk_on_cpu {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Columns that are multiplied at once; rows, columns and terms of a tile at most.
inline constexpr int panel_cols = 4, most_of_tile = 64;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::cpu && is_batched_product(s, p);
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const ops::batch_sizes sizes = batch_of(r.p, r.s, r.extents);
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const std::int64_t element = static_cast<std::int64_t>(size_of(type)), lanes = lanes_of(r, type);
  const std::int64_t rows = power_of_two(sizes.rows, lanes, most_of_tile);
  std::int64_t cols = power_of_two(sizes.cols, panel_cols, most_of_tile),
               depth = power_of_two(sizes.inner, 4, most_of_tile);
  const auto bytes = [&] { return element * (rows * depth + depth * cols + rows * cols); };
  while (bytes() > r.device.bytes_for_tiles() && depth > 4) depth /= 2;
  while (bytes() > r.device.bytes_for_tiles() && cols > panel_cols) cols /= 2;
  geometry g = geometry_of_batch(r, sizes, rows, cols, depth);
  g.kernel.width = static_cast<std::uint8_t>(lanes);
  const int most_vectors = r.device.vector_bytes >= 64 ? 4 : 2;
  g.kernel.choices[3] = static_cast<std::uint16_t>(std::min<std::int64_t>(rows / lanes, most_vectors));
  share_turns(g, r, g.size("all_tiles"));
  return g;
}

class emitter final : public batched_product_emitter {
 public:
  using batched_product_emitter::batched_product_emitter;

 private:
  int panel_rows() const { return v_.choices[3] * v_.width; }

  void add_own_sizes() override {
    batched_product_emitter::add_own_sizes();
    add_size("share");
  }

  void walk() override {
    helpers_ +=
        panel_product(type_, {v_.width, v_.choices[3], panel_cols, tile_rows(), tile_cols(), tile_rows()});
    constexpr const char* aligned = "__attribute__((aligned(64)))";
    out_.line("local {} a_panel[{}] {}, b_panel[{}] {}, sums[{}] {};",
              {type(), tile_rows() * depth(), aligned, tile_cols() * depth(), aligned,
               tile_rows() * tile_cols(), aligned});
    codegen::value_emitter values = start_epilogue();
    out_.line("const long first_tile = get_group_id(0) * share;");
    out_.line("const long end_tile = min(first_tile + share, all_tiles);");
    out_.open("for (long number = first_tile; number < end_tile; ++number)");
    place_tile("number", false, true, true);
    out_.line("const int high = (int)min({}L, rows - first_row), wide = (int)min({}L, own_cols - first_col);",
              {tile_rows(), tile_cols()});
    out_.line("for (int at = 0; at < {} * wide; ++at) sums[at] = 0;", {tile_rows()});
    out_.line("for (int at = wide; at < (wide + {}) / {} * {}; ++at)",
              {panel_cols - 1, panel_cols, panel_cols});
    out_.line("  for (int p = 0; p < {}; ++p) sums[p + at * {}] = 0;", {tile_rows(), tile_rows()});
    out_.open("for (long done = 0; done < inner; done += {})", {depth()});
    out_.line("const int terms = (int)min({}L, inner - done);", {depth()});
    pack(0, "high", panel_rows());
    pack(1, "wide", panel_cols);
    out_.open("for (int q = 0; q < wide; q += {})", {panel_cols});
    out_.line("for (int p = 0; p < high; p += {})", {panel_rows()});
    out_.line("  add_product_of_panels(a_panel + p, b_panel + q, terms, sums + p + q * {});", {tile_rows()});
    out_.close();
    out_.close();
    store_tile(values);
    out_.close();
  }

  /// The slice of operand `k`, term by term; zeros from its edge to the next whole panel.
  void pack(int k, const char* own, int width) {
    const char* to = k == 0 ? "a_panel" : "b_panel";
    const int apart = k == 0 ? tile_rows() : tile_cols();
    out_.open("for (int term = 0; term < terms; ++term)");
    out_.line("for (int place = {}; place < ({} + {}) / {} * {}; ++place) {}[term * {} + place] = 0;",
              {own, own, width - 1, width, width, to, apart});
    out_.close();
    const std::string over_places = codegen::fill("for (int place = 0; place < {}; ++place)", {own}),
                      over_terms = "for (int term = 0; term < terms; ++term)";
    const bool along_terms = lies_along_terms(k);
    out_.open(along_terms ? over_places : over_terms);
    out_.open(along_terms ? over_terms : over_places);
    out_.line("const long own_term = done + term, own_place = {} + place;",
              {k == 0 ? "first_row" : "first_col"});
    const std::string text = term_of(k, "own_term", "own_place");
    out_.line("{}[term * {} + place] = {};", {to, apart, text});
    out_.close();
    out_.close();
  }

  void store_tile(codegen::value_emitter& values) {
    const int lanes = epilogue_lanes();
    const auto visit = [&](int width, const std::string& value) {
      out_.line("const long i = first_row + p;");
      out_.line("const {} r0 = {};", {codegen::vector_type(type_, width), value});
      finish_elements(values, "r0", width);
      out_.close();
    };
    out_.open("for (int q = 0; q < wide; ++q)");
    out_.line("const long j = (long)block * own_cols + first_col + q;");
    out_.line("local const {}* column = sums + q * {};", {type(), tile_rows()});
    out_.line("int p = 0;");
    if (lanes > 1) {
      out_.open("for (; p + {} <= high; p += {})", {lanes, lanes});
      visit(lanes, codegen::fill("vload{}(0, column + p)", {lanes}));
    }
    out_.raw("#pragma clang loop unroll(disable) vectorize(disable)\n");
    out_.open("for (; p < high; ++p)");
    visit(1, "column[p]");
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace batched_product_walk_on_cpu

inline constexpr step_kind batched_product_on_cpu{kind_order::batched_product_on_cpu,
                                                  "batched_product",
                                                  "products of many matrices, by tiles from packed panels",
                                                  batched_product_walk_on_cpu::takes,
                                                  batched_product_walk_on_cpu::shape,
                                                  batched_product_walk_on_cpu::emit,
                                                  flops_of_batched_product};

}  // namespace fusecl::kinds
