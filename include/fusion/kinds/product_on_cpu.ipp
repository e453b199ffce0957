#pragma once
// Products of matrices on a CPU: a group packs slices of the operands into panels, whatever the layout they
// have, and multiplies a panel of rows with one of columns in vector registers.

#include <algorithm>

#include <fusion/base/fill.hpp>
#include <fusion/kinds/panel_product.hpp>
#include <fusion/kinds/product_emitter.hpp>

namespace fusecl::kinds {
namespace product_walk_on_cpu {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::round_up,
    schedule::step;

// Vectors below each other in a panel of rows, at most.
inline constexpr int most_vectors = 3;
// Terms that a group has at least where several share those of a tile, and elements at most, as a group each
// adds the parts of one.
inline constexpr std::int64_t fewest_terms = 1024, most_shared = 4096;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::cpu && is_product(p, s);
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t rows = r.rows(), cols = r.cols();
  const auto element = static_cast<std::int64_t>(size_of(type_of_product(r.p, r.s)));
  const std::int64_t lanes = lanes_of(r, type_of_product(r.p, r.s));
  const std::int64_t panel_rows = most_vectors * lanes, panel_cols = r.device.vector_bytes >= 64 ? 8 : 4;
  // tiles whose panels and sums fit the second level of the caches; of few rows a panel of as many
  const std::int64_t few = round_up(std::max<std::int64_t>(1, rows), lanes);
  std::int64_t tile_rows = few < panel_rows ? few : round_up(96 * 8 / element, panel_rows), tile_cols = 192,
               depth = 256;
  const auto bytes = [&] {
    return element * (tile_rows * depth + depth * tile_cols + tile_rows * tile_cols);
  };
  while (bytes() > r.device.bytes_for_tiles() && depth > 16) depth /= 2;
  const product_parts needed = parts_of_product(r.p, r.s);
  const auto groups = [&] { return tiles_of_product(needed, rows, cols, tile_rows, tile_cols, 1); };
  while (groups() < cpu_turns(r.device) && tile_cols > 48) tile_cols /= 2;
  while (bytes() > r.device.bytes_for_tiles() && tile_cols > panel_cols)
    tile_cols = round_up(tile_cols / 2, panel_cols);
  g.kernel.distinct = r.distinct;
  g.kernel.width = static_cast<std::uint8_t>(lanes);
  g.kernel.choices[0] = static_cast<std::uint16_t>(tile_rows);
  g.kernel.choices[1] = static_cast<std::uint16_t>(tile_cols);
  g.kernel.choices[2] = static_cast<std::uint16_t>(depth);
  g.kernel.choices[3] = static_cast<std::uint16_t>(panel_cols);
  g.groups = groups();
  g.sizes = {{"rows", rows},
             {"cols", cols},
             {"inner", inner_size(r)},
             {"row_tiles", std::max<std::int64_t>(1, divide_up(rows, tile_rows)), true}};
  if (!r.s.sums.empty()) {
    leave_sums(g, r, g.groups, tile_rows, tile_cols);
    return g;
  }
  // tiles may be too few for the cores: a tall matrix, transposed, times a tall one has a single one
  const std::int64_t tiles = g.groups, terms = inner_size(r),
                     wanted = cpu_turns(r.device) / std::max<std::int64_t>(1, tiles),
                     possible = rows * cols > most_shared
                                    ? 1
                                    : std::min(most_parts(rows, cols, element, terms), terms / fewest_terms);
  share_terms(g, tiles, rows * cols, terms, std::max<std::int64_t>(1, std::min(wanted, possible)), depth);
  if (needed.symmetric) g.sizes.push_back({"tiles", tiles, true});
  return g;
}

class emitter final : public product_emitter {
 public:
  using product_emitter::product_emitter;

 private:
  int tile_rows() const override { return v_.choices[0]; }
  int tile_cols() const override { return v_.choices[1]; }
  int depth() const { return v_.choices[2]; }
  int vectors() const { return std::min(most_vectors, tile_rows() / v_.width); }
  int panel_rows() const { return vectors() * v_.width; }
  int panel_cols() const { return v_.choices[3]; }

  void walk() override {
    helpers_ +=
        panel_product(type_, {v_.width, vectors(), panel_cols(), panel_rows(), panel_cols(), tile_rows()});
    constexpr const char* aligned = "__attribute__((aligned(64)))";
    out_.line("local {} a_panels[{}] {};", {type(), tile_rows() * depth(), aligned});
    out_.line("local {} b_panels[{}] {};", {type(), tile_cols() * depth(), aligned});
    out_.line("local {} sums[{}] {};", {type(), tile_rows() * tile_cols(), aligned});
    number_of_group(codegen::fill("row_tiles * (uint)((cols + {}) / {})", {tile_cols() - 1, tile_cols()}));
    place_tile(tile_rows(), tile_cols());
    terms_of_tile(tile_rows(), tile_cols());
    out_.line(
        "const int own_rows = (int)min({}L, rows - first_row), own_cols = (int)min({}L, cols - first_col);",
        {tile_rows(), tile_cols()});
    codegen::value_emitter values = start_epilogue();
    out_.line("const int packed_cols = (own_cols + {}) / {} * {};",
              {panel_cols() - 1, panel_cols(), panel_cols()});
    clear("sums", codegen::fill("packed_cols * {}", {tile_rows()}), v_.width);
    out_.open("for (long done = {}; done < {}; done += {})", {first_term(), end_of_terms(), depth()});
    out_.line("const int terms = (int)min({}L, {} - done);", {depth(), end_of_terms()});
    pack(0, "own_rows", panel_rows());
    pack(1, "own_cols", panel_cols());
    out_.open("for (int q = 0; q < own_cols; q += {})", {panel_cols()});
    out_.open("for (int p = 0; p < own_rows; p += {})", {panel_rows()});
    out_.line("add_product_of_panels(a_panels + p * {}, b_panels + q * {}, terms, sums + p + q * {});",
              {depth(), depth(), tile_rows()});
    out_.close();
    out_.close();
    out_.close();
    if (sums_lines()) return sums_rows() ? store_rows(values) : store_tile(values);
    if (has_sums()) start_sums();
    store_tile(values);
    finish_sums();
  }

  /// Zeros in `count` places, a multiple of `lanes`.
  void clear(const char* from, const std::string& count, int lanes) {
    rare_loop();
    out_.open("for (int at = 0; at < {}; at += {})", {count, lanes});
    const std::string zero = codegen::fill("({})(0)", {codegen::vector_type(type_, lanes)});
    out_.line("{};", {codegen::store_vector(lanes, zero, codegen::fill("{} + at", {from}))});
    out_.close();
  }

  /// The loop that follows is not worth the time to build several forms of it.
  void rare_loop() { out_.raw("#pragma clang loop unroll(disable) vectorize(disable)\n"); }

  /// Panels of operand `k`, each with `width` places for every term; zeros beyond the edge.
  void pack(int k, const char* own, int width) {
    out_.open("for (int p = 0; p < {}; p += {})", {own, width});
    out_.line("local {}* to = {} + p * {};", {type(), k == 0 ? "a_panels" : "b_panels", depth()});
    out_.line("const int places = min({}, {} - p);", {width, own});
    out_.open("if (places == {})", {width});
    pack_panel(k, codegen::fill("{}", {width}), width);
    out_.close();
    out_.open("else");
    out_.open("if (done == {})", {first_term()});  // what is beyond the edge stays so
    clear("to", codegen::fill("terms * {}", {width}), std::min<int>(v_.width, width));
    out_.close();
    pack_panel(k, "places", width);
    out_.close();
    out_.close();
  }

  void pack_panel(int k, const std::string& places, int width) {
    const bool along_terms = terms_side_by_side(k);
    const std::string over_places = codegen::fill("for (int place = 0; place < {}; ++place)", {places}),
                      over_terms = "for (int term = 0; term < terms; ++term)";
    const bool rare = places == "places";
    for (const std::string& loop :
         {along_terms ? over_places : over_terms, along_terms ? over_terms : over_places}) {
      if (rare) rare_loop();
      out_.open(loop);
    }
    out_.line("const long row = {}, col = {};", {k == 0 ? "first_row + p + place" : "done + term",
                                                 k == 0 ? "done + term" : "first_col + p + place"});
    const std::string text = element(k, "row", "col");
    out_.line("to[term * {} + place] = {};", {width, text});
    out_.close();
    out_.close();
  }

  void store_tile(codegen::value_emitter& values) {
    clear_outside_view();
    out_.open("for (int q = 0; q < own_cols; ++q)");
    after_what_it_mentions({"j"}, "const long j = first_col + q;", [&] {
      out_.line("int p = {};", {parts_.symmetric ? "(int)max(0L, j - first_row)" : "0"});
      if (sums_lines()) start_sums();
      store_line(values, "p", "first_row", "own_rows", text::fill("sums + p + q * {}", {tile_rows()}), 1);
      if (sums_lines()) {
        fold_sums();
        finish_results(part_of_line().c_str(), "j", 1);
      }
    });
    out_.close();
    if (!parts_.symmetric) return;
    // the same across the diagonal
    out_.open("for (int p = 0; p < own_rows; ++p)");
    out_.line("const long j = first_row + p;");
    out_.line("const int below = (int)min((long)own_cols, j - first_col);");
    out_.line("int q = 0;");
    store_line(values, "q", "first_col", "below", text::fill("sums + p + q * {}", {tile_rows()}),
               tile_rows());
    out_.close();
  }

  /// The same by vectors of rows, each with all columns of the tile, whose elements are added up.
  void store_rows(codegen::value_emitter& values) {
    clear_outside_view();
    out_.line("int p = 0;");
    const int lanes = lanes_of_sums();
    if (lanes > 1) {
      out_.open("for (; p + {} <= own_rows; p += {})", {lanes, lanes});
      store_vector_of_rows(values, lanes, "_v");
    }
    out_.open("for (; p < own_rows; ++p)");
    store_vector_of_rows(values, 1, lanes > 1 ? "_s" : "_v");
  }
  void store_vector_of_rows(codegen::value_emitter& values, int lanes, const char* suffix) {
    out_.line("const long i = first_row + p;");
    declare_accumulators(suffix, lanes);
    out_.open("for (int q = 0; q < own_cols; ++q)");
    after_what_it_mentions({"j"}, "const long j = first_col + q;", [&] {
      const std::string from = text::fill("sums + p + q * {}", {tile_rows()});
      out_.line("const {} r0 = {};", {codegen::vector_type(type_, lanes), codegen::vector_at(lanes, from)});
      finish_elements(values, "r0", lanes);
    });
    out_.close();
    for (std::size_t k = 0; k < sums_.size(); ++k)
      out_.line("{} r{} = r{}{};", {codegen::vector_type(g_[sums_[k]].type, lanes), k, k, suffix});
    finish_results(part_of_line().c_str(), "i", lanes);
    out_.close();
  }

  /// Zeros where the product has a view and the tile may have added up NaN.
  void clear_outside_view() {
    if (outside_view().empty()) return;
    out_.open("for (int q = 0; q < own_cols; ++q)");
    out_.open("for (int p = 0; p < own_rows; ++p)");
    out_.line("const long i = first_row + p, j = first_col + q;");
    out_.line("if ({}) sums[p + q * {}] = 0;", {outside_view(), tile_rows()});
    out_.close();
    out_.close();
  }

  /// Stores the elements `at` up to `end` of column j of the result, which follow each other every `apart`
  /// places of the sums from `from` on.
  void store_line(codegen::value_emitter& values, const char* at, const char* first, const char* end,
                  const std::string& from, int apart) {
    const int lanes = shares_all_ ? 1 : epilogue_lanes();
    const auto visit = [&](int width, const std::string& value) {
      after_what_it_mentions({"i"}, text::fill("const long i = {} + {};", {first, at}), [&] {
        if (shares_all_) {
          out_.line("p0[i + (j + part * cols) * rows] = {};", {value});
          return;
        }
        out_.line("const {} r0 = {};", {codegen::vector_type(type_, width), value});
        finish_elements(values, "r0", width);
      });
      out_.close();
    };
    if (lanes > 1) {
      out_.open("for (; {} + {} <= {}; {} += {})", {at, lanes, end, at, lanes});
      out_.line("local const {}* from = {};", {type(), from});
      std::string all = text::fill("vload{}(0, from)", {lanes});
      if (apart > 1) {
        all = text::fill("({})(*from", {codegen::vector_type(type_, lanes)});
        for (int lane = 1; lane < lanes; ++lane) text::append(all, ", from[{}]", {lane * apart});
        all += ")";
      }
      visit(lanes, all);
    }
    rare_loop();
    out_.open("for (; {} < {}; ++{})", {at, end, at});
    visit(1, text::fill("*({})", {from}));
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace product_walk_on_cpu

inline constexpr step_kind product_on_cpu{kind_order::product_on_cpu,
                                          "product",
                                          "a product of matrices, by tiles from packed panels",
                                          product_walk_on_cpu::takes,
                                          product_walk_on_cpu::shape,
                                          product_walk_on_cpu::emit,
                                          flops_of_product};

}  // namespace fusecl::kinds
