#pragma once
// Systems with many right-hand sides, and inverses, of triangular matrices on a GPU by products of blocks.
// The first round inverts the tiles on the diagonal; each two further ones make of the inverses of two
// neighbouring blocks that of both together, -inverse(L22) (L21 inverse(L11)), for an inverse until it is
// whole. A system goes on with wide blocks: two rounds compute the rows of a block, the inverse of it times
// what is left of the right-hand sides, and subtract what these contribute to all rows below. So each round
// is one product, of which groups compute a tile each. The first round also brings the operands to the
// workspace: lower triangular, with columns of an even length. Upper triangular matrices are read from the
// last row and column on.

#include <algorithm>

#include <fusion/kinds/step_kind.hpp>
#include <fusion/kinds/triangular_vectors.hpp>
#include <fusion/ops/factorizations.hpp>

namespace fusecl::kinds {
namespace triangular_blocks_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Rows of the blocks of a system: few enough for the error of their inverses to be that of substitution,
// enough for few rounds.
inline constexpr std::int64_t system_block = 256;
// Vectors wait for launches: large triangles have fewer rounds for them (H100, 8192 rows, one side: 583 us,
// 737 by blocks of 256).
inline constexpr std::int64_t large_system = 2048, large_block = 512;
// Rows up to which tiles by themselves are faster, and right-hand sides up to which vectors are.
inline constexpr std::int64_t few_rows_of_system = 64, few_sides = 4;
inline constexpr const tensor::tile& own_tile = tensor::tiles[2];

FUSECL_INLINE bool is_system(const ir::node& n) { return n.is(op::triangular_solve::record()); }

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  if (p.form != schedule::device_form::gpu || !s.opaque) return false;
  const ir::node& n = p.graph[s.reductions[0]];
  return is_system(n) || n.is(op::triangular_inverse::record());
}

/// What the rounds have to do.
struct extent_of_work {
  std::int64_t lead, sides, size, tile,
      block;  ///< rows of the workspace, ..., of a group's product, of a block
  bool system, vectors;

  std::int64_t tiles() const { return divide_up(lead, size); }
  /// Tiles side by side that are brought.
  std::int64_t tiles_brought() const { return vectors ? std::min(tiles(), block / size) : tiles(); }
  std::int64_t groups_of(std::int64_t rows) const {
    return vectors ? divide_up(rows, rows_of_vector) * sides : divide_up(rows, tile) * divide_up(sides, tile);
  }
};

/// Groups of each round.
FUSECL_INLINE void add_rounds(geometry& g, const extent_of_work& w) {
  g.round_groups.push_back(w.tiles() * (w.tiles_brought() + divide_up(w.sides, w.size)));
  for (std::int64_t side = w.size; side < w.block; side *= 2) {
    const std::int64_t across = std::max<std::int64_t>(1, side / w.tile);
    for (int k = 0; k < 2; ++k)
      g.round_groups.push_back(divide_up(w.lead - side, 2 * side) * across * across);
  }
  for (std::int64_t row = 0; w.system && row < w.lead; row += w.block) {
    const std::int64_t below = w.lead - row - w.block;
    g.round_groups.push_back(w.groups_of(std::min(w.block, w.lead - row)));
    if (below > 0) g.round_groups.push_back(w.groups_of(below));
  }
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const ir::node& node = r.p.graph[r.s.reductions[0]];
  const bool system = is_system(node);
  const std::int64_t n = r.rows(), sides = system ? r.cols() : 0, lead = schedule::round_up(n, 2),
                     size = tile_size(r, n, node.type, 3), tiles = divide_up(n, size);
  const bool tensor_cores = r.device.tensor_cores && node.type == scalar_type::float64 &&
                            8 * tensor::depth * own_tile.slices * 2 * own_tile.rows <= r.device.local_bytes &&
                            r.device.largest_group >= tensor::threads(own_tile) && size == 32;
  geometry g = geometry_in_rounds(r, size, node.type);
  if (tensor_cores) {
    g.local = tensor::threads(own_tile);
    g.finish_groups = divide_up(n * r.cols(), g.local);
  }
  g.kernel.choices[1] = tensor_cores;
  const std::int64_t most = sides <= few_sides && n >= large_system ? large_block : system_block;
  std::int64_t block = size, levels = 0;
  for (; block < n && (!system || block < most); block *= 2) ++levels;
  g.sizes.push_back({"tiles", tiles, true});
  g.sizes.push_back({"levels", levels, true});
  g.sizes.push_back({"block", block, true});
  g.sizes.push_back({"lead", lead});
  const extent_of_work work{
      lead, sides, size, tensor_cores ? own_tile.rows : size, block, system, system && sides <= few_sides};
  g.kernel.choices[2] = work.vectors;
  g.sizes.push_back({"brought", std::max<std::int64_t>(1, work.tiles_brought()), true});
  if (n > 0 && n <= few_rows_of_system) {
    g.groups = does_not_fit;
    return g;
  }
  add_rounds(g, work);
  g.groups = n == 0 || r.cols() == 0 ? 0 : g.round_groups[0];
  const std::int64_t stacked = lead * std::min(block, tiles * size);
  g.part_elements = {stacked, levels > 0 ? stacked : 1, work.vectors ? stacked : lead * tiles * size};
  for (int k = 0; system && k < 2; ++k) g.part_elements.push_back(lead * sides);
  return g;
}

class emitter final : public vector_emitter {
 public:
  explicit emitter(const codegen::emit_request& r) : vector_emitter(r, own_tile) {
    copied_[0] = {"a", "first_row", "height", tile_.rows, false, 2, tensor::threads(tile_)};
    copied_[1] = {"b", "first_col", "width", tile_.cols, true, 2, tensor::threads(tile_)};
  }

 private:
  bool on_tensor_cores() const { return v_.choices[1] != 0; }
  bool system() const { return is_system(g_[self_]); }
  bool vectors() const { return v_.choices[2] != 0; }
  /// Of a column of the triangle in the workspace, the place in its part.
  std::string place_of_col(const char* col) const {
    return codegen::fill(vectors() ? "{} % block" : "{}", {col});
  }
  int parts() const override { return system() ? 5 : 3; }
  int result_part() const override { return system() ? solution : inverses; }
  bool is_lower() const override { return !system(); }
  bool is_mirrored() const override { return ops::is_upper(g_[self_]); }
  std::string leading_of_result() const override { return "lead"; }
  void add_own_sizes() override {
    for (const char* name : {"tiles", "levels", "block", "lead", "brought"}) add_size(name);
  }
  bool adds_range() const override { return true; }
  void set_address(int k, const std::string& to, const std::string& line, const std::string& term) override {
    out_.line("{} &{}[({}) + ({}) * lead];",
              {to, k == 0 ? "first" : "second", k == 0 ? line : term, k == 0 ? term : line});
  }
  /// Rows and columns of what a group multiplies.
  int tile() const { return on_tensor_cores() ? tile_.rows : size(); }

  void walk() override {
    declare_inversion();
    if (system() && !vectors()) declare_sum_to_row();
    if (!on_tensor_cores()) declare_product(product_use::adds);
    declare_rooms();
    out_.line("const uint group = get_group_id(0), lane = get_local_id(0);");
    bring_operands();
    out_.line("// the product of a round, [begin, end) of whose terms a tile needs");
    find_product();
    out_.open("for (uint once = round > 0{} ? 0 : 1; once < 1; ++once)", {vectors() ? " && doubling" : ""});
    if (on_tensor_cores())
      multiply_on_tensor_cores();
    else
      multiply_in_local_memory();
    out_.close();
    if (vectors()) multiply_vector();
  }

  void declare_rooms() {
    if (!on_tensor_cores()) return declare_tiles({"d", "b", "x"});
    define_instructions();
    const int ring = tile_.slices * tensor::depth * tile_.rows, room = size() * leading();
    out_.line("local double room[{}] __attribute__((aligned(128)));", {2 * std::max(ring, room)});
    out_.line("local double *const a_ring = room, *const b_ring = room + {};", {ring});
    out_.line("local double *const d = room, *const x = room + {};", {room});
  }

  /// The first round: of tiles on the diagonal the inverse, of those below it and of right-hand sides a copy,
  /// and zeros where inverses of blocks have them.
  void bring_operands() {
    out_.line("const uint down = group % tiles, turn = group / tiles;");
    out_.line("const bool bringing = round == 0, own_side = bringing && turn >= brought;");
    out_.line("const uint across = own_side ? turn - brought : down / brought * brought * {} + turn;",
              {vectors() ? 1 : 0});
    out_.line("const bool own_tile = bringing && !own_side && across < tiles;");
    out_.line("const bool on_diagonal = own_tile && down == across, below = own_tile && down > across;");
    out_.line("const bool above = own_tile && down < across;");
    out_.line("const long row_start = (long)down * {}, col_start = (long)across * {};", {size(), size()});
    out_.open("if (on_diagonal)");
    load_operand("d", 0, "row_start", "col_start", "rows", "rows", tile_part::lower_among_ones, true);
    out_.close();
    out_.open("if (below)");
    load_operand("d", 0, "row_start", "col_start", "rows", "rows", tile_part::whole, true);
    out_.close();
    if (system()) {
      out_.open("if (own_side)");
      load_operand("d", 1, "row_start", "col_start", "rows", "cols", tile_part::whole, false);
      out_.close();
    }
    out_.open("if (above)");
    for_each(codegen::fill("{}", {size() * leading()}));
    out_.line("x[at] = 0;");
    out_.close();
    out_.close();
    barrier();
    out_.line("if (on_diagonal) invert_tile(d, x, lane);");
    barrier();
    out_.open("if (on_diagonal || (above && across / (block / {}) == down / (block / {})))",
              {size(), size()});
    out_.line("const long own_col = col_start % block;");
    store_tile("x", "row_start", "own_col", "lead", "block", inverses);
    out_.close();
    out_.open("if (below)");
    out_.line("const long own_col = {};", {place_of_col("col_start")});
    store_tile("d", "row_start", "own_col", "lead", "lead", triangle);
    out_.close();
    if (system()) {
      out_.open("if (own_side)");
      store_tile("d", "row_start", "col_start", "lead", "cols", left_over);
      out_.close();
    }
  }

  /// Operands, place, size and terms of the tile, and what becomes of it: the sums, or less what there was
  /// before, or with the other sign.
  void find_product() {
    const std::string part = codegen::fill("global const {}", {type()});
    out_.line("{} *first = p{}, *second = p{};", {part, int{triangle}, int{inverses}});
    out_.line("global {}* out = p{};", {type(), int{halves}});
    out_.line("const bool even = round % 2 == 0;");
    out_.line("bool subtracts = false, negative = even;");
    out_.line("long height, width, begin = 0;");
    out_.line("uint place = group;");
    out_.open("if (round <= 2 * levels)");
    out_.line("const long side = (long){} << (max(round, 1u) - 1) / 2;", {size()});
    out_.line(
        "const uint tiles_across = max(1u, (uint)side / {}), pair = group / (tiles_across * tiles_across);",
        {tile()});
    out_.line("const long left = pair * 2 * side, top = left + side, col = left % block * lead;");
    out_.line("place = group % (tiles_across * tiles_across);");
    out_.line("height = min(side, lead - top);");
    out_.line("width = side;");
    out_.line("first = even ? p{} + top + top % block * lead : p{} + top + {} * lead;",
              {int{inverses}, int{triangle}, place_of_col("left")});
    out_.line("second = even ? p{} + top + col : p{} + left + col;", {int{halves}, int{inverses}});
    out_.line("out = (even ? p{} : p{}) + top + col;", {int{inverses}, int{halves}});
    out_.close();
    out_.open("else");
    if (system() && !vectors()) {
      out_.line("const long top = (long)((round - 1) / 2 - levels) * block, next = top + block;");
      out_.line("height = even ? lead - next : min((long)block, lead - top);");
      out_.line("width = cols;");
      out_.line("subtracts = even;");
      out_.line("first = even ? p{} + next + top * lead : p{} + top;", {int{triangle}, int{inverses}});
      out_.line("second = (even ? p{} : p{}) + top;", {int{solution}, int{left_over}});
      out_.line("out = even ? p{} + next : p{} + top;", {int{left_over}, int{solution}});
    } else {
      out_.line("height = width = 0;");
    }
    out_.close();
    out_.line("const uint row_tiles = (uint)max(1L, (height + {}) / {});", {tile() - 1, tile()});
    out_.line(
        "const long first_row = (long)(place % row_tiles) * {}, first_col = (long)(place / row_tiles) * {};",
        {tile(), tile()});
    out_.line("// inverses are lower triangular, and one is the first operand or the second");
    out_.line("const bool doubling = round <= 2 * levels;");
    out_.line("const bool inverse_first = doubling == even;");
    if (system() && !vectors()) out_.line("const bool substitutes = !doubling && !even;");
    out_.line("const long all = doubling ? (even ? height : width) : even ? (long)block : height;");
    out_.line("const long end = round > 0 ? (inverse_first ? min(all, first_row + {}) : all) : 0;", {tile()});
    out_.line("if (doubling && !even) begin = min(first_col, end);");
  }

  void multiply_on_tensor_cores() {
    out_.line("const uint warp = lane / 32, down = lane % 32 / 4, across = lane % 4;");
    declare_sums();
    out_.open("if (subtracts)");
    each("v", units_across());
    each_element();
    out_.line("sums[u][v][q] = i < height && j < width ? -out[i + j * lead] : 0;");
    close_units();
    out_.close();
    out_.close();
    add_terms();
    const bool looks = system() && !vectors();
    if (looks) out_.line("bool finite = true;");
    each("v", units_across());
    each_element();
    out_.line("const double sum = negative ? -sums[u][v][q] : sums[u][v][q];");
    out_.line("if (i < height && j < width) out[i + j * lead] = sum;");
    if (looks) out_.line("finite = finite && isfinite(sum);");
    close_units();
    out_.close();
    if (!looks) return;
    out_.open("if (substitutes && !finite)");
    for (const auto& [name, count] :
         {std::pair{"v", units_across()}, std::pair{"u", units_down()}, std::pair{"q", 4}})
      out_.open_loop(name, "0", count, "#pragma unroll 1\n");
    place_of_element("i", "j");
    out_.line("if (i < height && j < width) out[i + j * lead] = {};", {sum_to_row("i", "j")});
    close_units();
    out_.close();
    out_.close();
  }

  // Sums of a tile go over zeros above the diagonal of an inverse, which make NaN of what is not finite in
  // right-hand sides, in rows above it, too. So sums that are not finite are computed again, up to the
  // diagonal.
  void declare_sum_to_row() {
    text::append(
        helpers_,
        "static inline {} sum_to_row(\n    global const {}* a, global const {}* b, long lead, long row) {\n"
        "  {} sum = 0;\n"
        "  for (long k = 0; k <= row; ++k) sum = fma(a[k * lead], b[k], sum);\n"
        "  return sum;\n}\n\n",
        {type(), type(), type(), type()});
  }
  static std::string sum_to_row(const char* row, const char* col) {
    return codegen::fill("sum_to_row(first + {}, second + {} * lead, lead, {})", {row, col, row});
  }

  void multiply_in_local_memory() {
    load_tile("x", "first_row", "first_col", "height", "width", tile_part::whole, false,
              [] { return std::string("subtracts ? -out[row + col * lead] : 0"); });
    out_.open("for (long term = begin; term < end; term += {})", {size()});
    load_tile("d", "first_row", "term", "height", "end", tile_part::whole, false,
              [] { return std::string("first[row + col * lead]"); });
    load_tile("b", "term", "first_col", "end", "width", tile_part::whole, false,
              [] { return std::string("second[row + col * lead]"); });
    barrier();
    out_.line("add_product(d, b, 1, {}, x, {}, lane);", {leading(), size()});
    barrier();
    out_.close();
    for_each(codegen::fill("{}", {size() * size()}));
    out_.line("const long row = first_row + at % {}, col = first_col + at / {};", {size(), size()});
    out_.line("{} sum = x[at % {} + at / {} * {}];", {type(), size(), size(), leading()});
    out_.open("if (row < height && col < width)");
    if (system() && !vectors())
      out_.line("if (substitutes && !isfinite(sum)) sum = {};", {sum_to_row("row", "col")});
    out_.line("out[row + col * lead] = negative ? -sum : sum;");
    out_.close();
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace triangular_blocks_walk

inline constexpr step_kind triangular_blocks{kind_order::triangular_blocks,
                                             "triangular_blocks",
                                             "a triangular system or inverse, a product of blocks each round",
                                             triangular_blocks_walk::takes,
                                             triangular_blocks_walk::shape,
                                             triangular_blocks_walk::emit};

}  // namespace fusecl::kinds
