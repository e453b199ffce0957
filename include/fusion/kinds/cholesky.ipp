#pragma once
// The Cholesky factor by panels of a tile's width. A round completes a panel: each of its groups takes the
// last update of the tile on the diagonal, factors that by itself, and finishes rows below it; other groups
// of the same launch subtract the panel before from the tiles that follow. What is left to factor and the
// factor are two parts of the workspace, so that no group writes what another one reads. On a CPU these are
// in tiles, each of whose columns follow each other, so that a product of tiles needs no copies.

#include <algorithm>
#include <string>

#include <fusion/kinds/elimination.hpp>
#include <fusion/kinds/pivots.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace cholesky_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return s.opaque && p.graph[s.reductions[0]].is(op::cholesky::record());
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const std::int64_t n = r.rows(), size = tile_size(r, n, type, 4), tiles = divide_up(n, size);
  geometry g = geometry_in_rounds(r, size, type);
  // on a CPU a group of a panel factors the tile on the diagonal once for all of its rows
  const std::int64_t most = r.on_cpu() ? r.device.compute_units : tiles;
  g.sizes.push_back({"tiles", tiles, true});
  g.sizes.push_back({"panel_groups", most, true});
  for (std::int64_t j = 0; j < tiles; ++j) {
    const std::int64_t left = tiles - j - 1;
    g.round_groups.push_back(std::min(most, left + 1) + (j > 0 ? left * (left + 1) / 2 : 0));
  }
  const std::int64_t held = r.on_cpu() ? tiles * size * tiles * size : n * n;
  add_parts_of_cholesky(g, r.p.graph[r.s.reductions[0]], n, tiles, held);
  return g;
}

class emitter final : public pivoting_emitter {
 public:
  using pivoting_emitter::pivoting_emitter;

 private:
  bool is_in_tiles() const override { return cpu_; }
  void add_own_sizes() override {
    for (const char* name : {"tiles", "panel_groups"}) add_size(name);
  }

  void walk() override {
    if (cpu_) {
      declare_product(product_use::subtracts, "subtract_product", "global", "global");
      declare_product(product_use::subtracts, "subtract_from_diagonal", "global", "local");
      declare_tiles({"d"});
    } else {
      declare_product(product_use::subtracts);
      declare_tiles({"d", "c", "a", "b"});
    }
    out_.line("const uint group = get_group_id(0), lane = get_local_id(0);");
    out_.line("const uint panels = min(tiles - round, panel_groups);");
    out_.line("const long first = (long)round * {};", {size()});
    if (cpu_)
      walk_on_cpu();
    else
      walk_on_gpu();
  }

  /// Loads a tile of what is left, from the operand as long as nothing of it was subtracted.
  void load_left(const char* name, const char* row, const char* col, tile_part part) {
    out_.open("if (round <= 1)");
    load_operand(name, 0, row, col, "rows", "rows", part, false);
    out_.close();
    out_.open("else");
    load_tile(name, row, col, "rows", "rows", part, 0);
    out_.close();
  }

  /// Loads what the panel before has in some rows.
  void load_before(const char* name, const char* row) {
    out_.open("if (round > 0)");
    load_tile(name, row, "before", "rows", "rows", tile_part::whole, 1);
    out_.close();
  }

  /// Subtracts from a tile the product of what the panel before has in its rows, `a`, with what it has in
  /// those that have the number of its columns, `b`.
  void subtract(const char* a, const char* b, const char* from, const char* condition = "") {
    out_.line("if (round > 0{}) subtract_product({}, {}, {}, 1, {}, {}, lane);",
              {condition, a, b, leading(), from, size()});
  }

  /// Barriers are met by all groups alike. The groups of the panel eliminate columns in the diagonal tile
  /// and, all but the first, in one below it together: one barrier a column, and no square root on the way.
  void walk_on_gpu() {
    out_.line("const long before = first - {};", {size()});
    out_.line("local {} roots[{}];", {type(), size()});
    out_.line("const bool in_panel = group < panels;");
    out_.line("long row_start = first + (long)group * {}, col_start = first;", {size()});
    out_.open("if (!in_panel)");
    find_trailing_tile();
    out_.close();
    out_.line("// the tile on the diagonal, the group's own, and what the panel before has beside them");
    out_.open("if (in_panel)");
    load_left("d", "first", "first", tile_part::lower_among_ones);
    out_.close();
    load_left("c", "row_start", "col_start", tile_part::whole);
    load_before("a", "row_start");
    load_before("b", "col_start");
    barrier();
    subtract("a", "b", "c");
    subtract("b", "b", "d", " && in_panel");
    barrier();
    out_.line("// columns are scaled by their roots at the end");
    out_.line("const uint columns = in_panel ? {} : 0;", {size()});
    out_.open("for (uint k = 0; k < columns; ++k)");
    out_.line("const {} pivot = d[k + k * {}], inverse = pivot > 0 ? 1 / pivot : ({})(NAN);",
              {type(), leading(), type()});
    for_each(codegen::fill("{} * ({} - k)", {2 * size(), size() - 1}));
    out_.line("const uint row = at % {}, column = k + 1 + at / {}, r = row % {};",
              {2 * size(), 2 * size(), size()});
    out_.line("const {} factor = d[column + k * {}] * inverse;", {type(), leading()});
    out_.line("local {}* tile = row < {} ? d : c;", {type(), size()});
    out_.line(
        "if (row >= column) tile[r + column * {}] = fma(-tile[r + k * {}], factor, tile[r + column * {}]);",
        {leading(), leading(), leading()});
    out_.close();
    barrier();
    out_.close();
    for_each(codegen::fill("{}", {size()}));
    out_.line("const {} pivot = d[at + at * {}];", {type(), leading()});
    out_.line("roots[at] = pivot > 0 ? sqrt(pivot) : ({})(NAN);", {type()});
    out_.close();
    barrier();
    out_.open("if (group == 0 && lane == 0)");
    out_.line("const uint own_columns = (uint)min({}L, rows - first);", {size()});
    out_.line("uint bad = {};", {size()});
    out_.line("for (uint k = own_columns; k > 0; --k) bad = !(d[(k - 1) * {}] > 0) ? k - 1 : bad;",
              {leading() + 1});
    note_first_bad("bad", text::fill("{}", {size()}), codegen::fill("d[bad * {}]", {leading() + 1}).c_str());
    out_.close();
    out_.line("global {}* to = in_panel ? p1 : p0;", {type()});
    for_each(codegen::fill("{}", {size() * size()}));
    out_.line("const uint r = at % {}, q = at / {};", {size(), size()});
    out_.open("if (row_start + r < rows && col_start + q < rows)");
    out_.line("const {} value = group == 0 ? d[r + q * {}] : c[r + q * {}];", {type(), leading(), leading()});
    out_.line("to[row_start + r + (col_start + q) * rows] =");
    out_.line("    !in_panel ? value : group == 0 && r == q ? roots[q] : value / roots[q];");
    out_.close();
    out_.close();
  }

  void walk_on_cpu() {
    out_.line("const uint before_at = (round - 1) * tiles;");
    out_.open("if (group < panels)");
    load_left_tile("d", "round", "round", "first", "first", true);
    out_.line("if (round > 0) subtract_from_diagonal({}, {}, {}, 1, d, {}, lane);",
              {tile_before("round"), tile_before("round"), size(), size()});
    factor_on_cpu();
    out_.open("for (uint tile = round + group; tile < tiles; tile += panels)");
    out_.line("const long own = (long)tile * {};", {size()});
    out_.line("global {}* c = {};", {type(), tile_at(1, "tile", "round")});
    out_.open("if (tile == round)");
    copy("c", "d");
    out_.close();
    out_.open("else");
    load_left_tile("c", "tile", "round", "own", "first", false);
    subtract_in_tiles("c", "tile", "round");
    solve_on_cpu();
    out_.close();
    out_.close();
    out_.close();
    out_.open("else");
    out_.line("long row_start, col_start;");
    find_trailing_tile();
    out_.line("const uint tile_row = row_start / {}, tile_col = col_start / {};", {size(), size()});
    out_.line("global {}* c = {};", {type(), tile_at(0, "tile_row", "tile_col")});
    out_.open("if (round == 1)");
    out_.open("if (tile_row == tile_col)");
    load_operand("c", 0, "row_start", "col_start", "rows", "rows", tile_part::lower_among_ones, false);
    out_.close();
    out_.open("else");
    load_operand("c", 0, "row_start", "col_start", "rows", "rows", tile_part::whole, false);
    out_.close();
    out_.close();
    subtract_in_tiles("c", "tile_row", "tile_col");
    out_.close();
  }

  std::string tile_at(int part, const char* row, const char* col) const {
    return codegen::fill("p{} + ({} * tiles + {}) * {}L", {part, col, row, size() * size()});
  }
  /// What the panel before has in a row of tiles.
  std::string tile_before(const char* row) const {
    return codegen::fill("p1 + (before_at + {}) * {}L", {row, size() * size()});
  }
  void subtract_in_tiles(const char* from, const char* row, const char* col) {
    out_.line("if (round > 0) subtract_product({}, {}, {}, 1, {}, {}, lane);",
              {tile_before(row), tile_before(col), size(), from, size()});
  }
  void copy(const char* to, const char* from) {
    out_.open("for (int at = 0; at < {}; at += {})", {size() * size(), int{v_.width}});
    out_.line("{};", {stored(loaded(codegen::fill("{} + at", {from})), codegen::fill("{} + at", {to}))});
    out_.close();
  }
  /// Loads a tile of what is left, from the operand as long as nothing of it was subtracted.
  void load_left_tile(const char* name, const char* row, const char* col, const char* first_row,
                      const char* first_col, bool diagonal) {
    out_.open("if (round <= 1)");
    load_operand(name, 0, first_row, first_col, "rows", "rows",
                 diagonal ? tile_part::lower_among_ones : tile_part::whole, false);
    out_.close();
    out_.open("else");
    out_.line("global const {}* left = {};", {type(), tile_at(0, row, col)});
    copy(name, "left");
    out_.close();
  }

  /// The factor of D in its place, in whole vectors: what they hold above the diagonal is anything.
  void factor_on_cpu() {
    out_.line("{} scales[{}];", {type(), size()});
    out_.line("uint bad = {};", {size()});
    out_.line("{} bad_pivot = 0;", {type()});
    eliminate_in_vectors(out_, type_, v_.width, size(), "local ", [&] {
      out_.open("if (!(pivot > 0) && bad == {} && first + k < rows)", {size()});
      out_.line("bad = k;");
      out_.line("bad_pivot = pivot;");
      out_.close();
    });
    out_.open("if (group == 0)");
    note_first_bad("bad", text::fill("{}", {size()}), "bad_pivot");
    out_.close();
  }

  /// X of X D' = C, in the place of C: rows in vectors, some columns together from those before them.
  void solve_on_cpu() {
    const int lanes = v_.width, vectors = std::max(1, std::min(2, size() / lanes)), together = 4;
    const std::string vector = codegen::vector_type(type_, lanes);
    const auto sum = [](int p, int c) { return codegen::fill("x{}_{}", {p, c}); };
    const auto place = [&](int p, const std::string& column) {
      return codegen::fill("c + r + {} + ({}) * {}", {p * lanes, column, size()});
    };
    const auto each = [&](auto f) {
      for (int c = 0; c < together; ++c)
        for (int p = 0; p < vectors; ++p) f(p, c);
    };
    out_.open("for (int r = 0; r < {}; r += {})", {size(), vectors * lanes});
    out_.open("for (int q = 0; q < {}; q += {})", {size(), together});
    each([&](int p, int c) {
      out_.line("{} {} = {};", {vector, sum(p, c), loaded(place(p, codegen::fill("q + {}", {c})))});
    });
    out_.open("for (int k = 0; k < q; ++k)");
    for (int p = 0; p < vectors; ++p) out_.line("const {} y{} = {};", {vector, p, loaded(place(p, "k"))});
    each([&](int p, int c) {
      out_.line("{} = fma(y{}, ({})(-d[q + {} + k * {}]), {});",
                {sum(p, c), p, vector, c, leading(), sum(p, c)});
    });
    out_.close();
    each([&](int p, int c) {
      for (int k = 0; k < c; ++k)
        out_.line("{} = fma({}, ({})(-d[q + {} + (q + {}) * {}]), {});",
                  {sum(p, c), sum(p, k), vector, c, k, leading(), sum(p, c)});
      out_.line("{} *= ({})(scales[q + {}]);", {sum(p, c), vector, c});
    });
    each(
        [&](int p, int c) { out_.line("{};", {stored(sum(p, c), place(p, codegen::fill("q + {}", {c})))}); });
    out_.close();
    out_.close();
  }

  /// Where tile number `group - panels` begins of those right of the panel and not above the diagonal,
  /// counted column by column.
  void find_trailing_tile() {
    out_.line("const long number = group - panels, side = tiles - round - 1;");
    out_.line("long across = (long)(side + 0.5f - sqrt((side + 0.5f) * (side + 0.5f) - 2.0f * number));");
    out_.line("across = clamp(across, 0L, side - 1);");
    out_.line("while (across * side - across * (across - 1) / 2 > number) --across;");
    out_.line("while ((across + 1) * side - (across + 1) * across / 2 <= number) ++across;");
    out_.line("const long down = across + number - (across * side - across * (across - 1) / 2);");
    out_.line("row_start = first + (down + 1) * {};", {size()});
    out_.line("col_start = first + (across + 1) * {};", {size()});
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace cholesky_walk

inline constexpr step_kind cholesky{
    kind_order::cholesky, "cholesky",           "a Cholesky factor, a panel of columns each round",
    cholesky_walk::takes, cholesky_walk::shape, cholesky_walk::emit};

}  // namespace fusecl::kinds
