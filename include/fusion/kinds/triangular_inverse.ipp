#pragma once
// The inverse of a triangular matrix by doubling: the first round inverts the tiles on the diagonal, and each
// two further ones make of the inverses of two neighbouring blocks that of both together,
// -inverse(L22) (L21 inverse(L11)). Upper triangular matrices are read from the last row and column on.

#include <algorithm>

#include <fusion/kinds/inverted_tiles.hpp>
#include <fusion/kinds/step_kind.hpp>
#include <fusion/ops/factorizations.hpp>

namespace fusecl::kinds {
namespace triangular_inverse_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return s.opaque && p.graph[s.reductions[0]].is(op::triangular_inverse::record());
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const std::int64_t n = r.rows(), size = tile_size(r, n, type, 3), tiles = divide_up(n, size);
  geometry g = geometry_in_rounds(r, size, type);
  g.sizes.push_back({"tiles", tiles, true});
  g.round_groups.push_back(tiles);
  for (std::int64_t side = 1; side < tiles; side *= 2) {
    const std::int64_t pairs = divide_up(tiles - side, 2 * side);
    g.round_groups.push_back(pairs * side * side);
    g.round_groups.push_back(pairs * side * side);
  }
  g.groups = n == 0 ? 0 : g.round_groups[0];
  g.part_elements = {n * n, tiles > 1 ? n * n : 1};
  return g;
}

class emitter final : public inverting_emitter {
 public:
  using inverting_emitter::inverting_emitter;

 private:
  int parts() const override { return 2; }
  int result_part() const override { return 0; }
  bool is_lower() const override { return true; }
  bool is_mirrored() const override { return ops::is_upper(g_[self_]); }
  void add_own_sizes() override { add_size("tiles"); }

  void walk() override {
    declare_inversion();
    declare_product(product_use::adds);
    declare_product(product_use::subtracts);
    declare_tiles({"a", "b", "x"});
    out_.line("const uint group = get_group_id(0), lane = get_local_id(0);");
    out_.line("const uint side = round > 0 ? 1u << ((round - 1) / 2) : 1, number = group % (side * side);");
    out_.line("const uint middle = group / (side * side) * 2 * side + side;");
    out_.line("const uint down = round > 0 ? middle + number % side : group;");
    out_.line("const uint across = round > 0 ? middle - side + number / side : group;");
    out_.line("if (down >= tiles) return;");
    out_.line("const bool halfway = round % 2 == 1;");
    out_.line("const long own = (long)down * {}, col_start = (long)across * {};", {size(), size()});
    out_.open("if (round == 0)");
    load_operand("a", 0, "own", "own", "rows", "rows", tile_part::lower_among_ones, true);
    out_.close();
    for_each(codegen::fill("{}", {size() * leading()}));
    out_.line("x[at] = 0;");
    out_.close();
    barrier();
    out_.line("if (round == 0) invert_tile(a, x, lane);");
    barrier();
    out_.line("// L21 inverse(L11), and in the round after it -inverse(L22) times that");
    out_.line(
        "const uint begin = halfway ? across : middle, end = round == 0 ? begin : halfway ? middle : down + "
        "1;");
    out_.open("for (uint k = begin; k < end; ++k)");
    out_.line("const long inner = (long)k * {};", {size()});
    out_.open("if (halfway)");
    load_operand("a", 0, "own", "inner", "rows", "rows", tile_part::whole, true);
    load_tile("b", "inner", "col_start", "rows", "rows", tile_part::whole, 0);
    out_.close();
    out_.open("else");
    load_tile("a", "own", "inner", "rows", "rows", tile_part::whole, 0);
    load_tile("b", "inner", "col_start", "rows", "rows", tile_part::whole, 1);
    out_.close();
    barrier();
    out_.open("if (halfway)");
    out_.line("add_product(a, b, 1, {}, x, {}, lane);", {leading(), size()});
    out_.close();
    out_.open("else");
    out_.line("subtract_product(a, b, 1, {}, x, {}, lane);", {leading(), size()});
    out_.close();
    barrier();
    out_.close();
    out_.open("if (halfway)");
    store_tile("x", "own", "col_start", "rows", "rows", 1);
    out_.close();
    out_.open("else");
    store_tile("x", "own", "col_start", "rows", "rows", 0);
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace triangular_inverse_walk

inline constexpr step_kind triangular_inverse{kind_order::triangular_inverse,
                                              "triangular_inverse",
                                              "a triangular inverse, by doubling blocks in rounds",
                                              triangular_inverse_walk::takes,
                                              triangular_inverse_walk::shape,
                                              triangular_inverse_walk::emit};

}  // namespace fusecl::kinds
