#pragma once
// Systems with a triangular matrix. The first round inverts the tiles on the diagonal; each further one
// computes a tile of rows of the solution from the inverse of its tile, and subtracts what it contributes
// from the right-hand sides of all rows below. Upper triangular matrices are lower ones read from the last
// row and column on.

#include <algorithm>

#include <fusion/kinds/inverted_tiles.hpp>
#include <fusion/kinds/step_kind.hpp>
#include <fusion/ops/factorizations.hpp>

namespace fusecl::kinds {
namespace triangular_solve_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return s.opaque && p.graph[s.reductions[0]].is(op::triangular_solve::record());
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const std::int64_t n = r.rows(), sides = r.cols(), size = tile_size(r, n, type, 3),
                     tiles = divide_up(n, size), across = divide_up(sides, size);
  geometry g = geometry_in_rounds(r, size, type);
  // groups that share a tile of columns each compute the tile of the solution by themselves: no more of them
  // than keep the device busy
  const std::int64_t busy = r.device.compute_units * (r.on_cpu() ? 1 : 4);
  const std::int64_t most = std::clamp<std::int64_t>(divide_up(busy, std::max<std::int64_t>(1, across)), 1,
                                                     std::max<std::int64_t>(1, tiles));
  g.sizes.push_back({"tiles", tiles, true});
  g.sizes.push_back({"row_groups", most, true});
  g.round_groups.push_back(tiles);
  for (std::int64_t k = 0; k < tiles; ++k) g.round_groups.push_back(std::min(most, tiles - k) * across);
  g.groups = n == 0 || sides == 0 ? 0 : g.round_groups[0];
  g.part_elements = {tiles * size * size, tiles > 1 ? n * sides : 1, n * sides};
  return g;
}

class emitter final : public inverting_emitter {
 public:
  using inverting_emitter::inverting_emitter;

 private:
  int parts() const override { return 3; }
  int result_part() const override { return 2; }
  bool is_mirrored() const override { return ops::is_upper(g_[self_]); }
  void add_own_sizes() override {
    for (const char* name : {"tiles", "row_groups"}) add_size(name);
  }

  void walk() override {
    declare_inversion();
    declare_product(product_use::adds_lower);
    declare_product(product_use::subtracts);
    declare_tiles({"a", "b", "x"});
    out_.line("const uint group = get_group_id(0), lane = get_local_id(0);");
    out_.line("const uint k = round > 0 ? round - 1 : group;");
    out_.line("const uint sharing = round > 0 ? min(tiles - k, row_groups) : 1;");
    out_.line("const long first = (long)k * {}, side = (long)(group / sharing) * {};", {size(), size()});
    out_.line("const uint own_sides = round > 0 ? (uint)min({}L, cols - side) : 0;", {size()});
    out_.line("global {}* inverse = p0 + (long)k * {};", {type(), size() * size()});
    out_.line("// the tile on the diagonal, or its inverse and the right-hand sides of its rows");
    out_.open("if (round == 0)");
    load_operand("a", 0, "first", "first", "rows", "rows", tile_part::lower_among_ones, true);
    out_.close();
    out_.open("else");
    for_each(codegen::fill("{}", {size() * size()}));
    out_.line("a[at % {} + at / {} * {}] = inverse[at];", {size(), size(), leading()});
    out_.close();
    load_left("b", "first", "side");
    for_each(codegen::fill("{}", {size() * leading()}));
    out_.line("x[at] = 0;");
    out_.close();
    out_.close();
    barrier();
    out_.open("if (round == 0)");
    out_.line("invert_tile(a, x, lane);");
    out_.close();
    out_.open("else");
    out_.line("add_lower_product(a, b, 1, {}, x, own_sides, lane);", {leading()});
    out_.close();
    barrier();
    out_.open("if (round == 0)");
    for_each(codegen::fill("{}", {size() * size()}));
    out_.line("inverse[at] = x[at % {} + at / {} * {}];", {size(), size(), leading()});
    out_.close();
    out_.close();
    out_.line("const uint share = group % sharing;");
    out_.open("if (round > 0 && share == 0)");
    store_tile("x", "first", "side", "rows", "cols", 2);
    out_.close();
    out_.line("// and what this contributes to rows below");
    out_.line("const uint last = round > 0 ? tiles : 0;");
    out_.open("for (uint tile = k + (share > 0 ? share : sharing); tile < last; tile += sharing)");
    out_.line("const long own = (long)tile * {};", {size()});
    load_operand("a", 0, "own", "first", "rows", "rows", tile_part::whole, true);
    load_left("b", "own", "side");
    barrier();
    out_.line("subtract_product(a, x, 1, {}, b, own_sides, lane);", {leading()});
    barrier();
    store_tile("b", "own", "side", "rows", "cols", 1);
    barrier();
    out_.close();
  }

  /// What of the right-hand sides is left: those given as long as nothing was subtracted.
  void load_left(const char* name, const char* row, const char* col) {
    out_.open("if (k == 0)");
    load_operand(name, 1, row, col, "rows", "cols", tile_part::whole, false);
    out_.close();
    out_.open("else");
    load_tile(name, row, col, "rows", "cols", tile_part::whole, 1);
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace triangular_solve_walk

inline constexpr step_kind triangular_solve{kind_order::triangular_solve,
                                            "triangular_solve",
                                            "a triangular system, a tile of rows each round",
                                            triangular_solve_walk::takes,
                                            triangular_solve_walk::shape,
                                            triangular_solve_walk::emit};

}  // namespace fusecl::kinds
