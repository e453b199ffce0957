#pragma once
// The Cholesky factor on a GPU by panels of 64 columns, one launch each. A group holds 128 x 64 elements in
// registers. Those of a panel hold the tile on the diagonal and another one below it, from which they
// subtract the panel before; then each work-item takes some columns of some rows, and they eliminate columns,
// two with each barrier. Other groups of the launch subtract the panel before from tiles that follow. What is
// left to factor and the factor are different parts of the workspace, so that no group writes what another
// reads. Of large matrices several panels make a block: within it only the block's own columns are kept up to
// date, and the first panel of the next block comes with all that this one has to be subtracted from what
// follows, so that this is read and written once a block. A block of many panels has inner blocks of its own,
// whose columns are kept up to date in the same way. On NVIDIA's tensor cores products of doubles are by
// these, and reciprocals are approximated and corrected.
// With rows of the unit matrix below the operand the same rounds give inverse(L'), which is upper triangular:
// of these rows tile r begins with panel r, so it takes the places above the diagonal, which nobody has
// otherwise, and those of the tile on the diagonal, which no later panel reads.

#include <algorithm>
#include <string>

#include <fusion/kinds/elimination.hpp>
#include <fusion/kinds/panel_share.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace cholesky_panels_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Where columns are eliminated: work-items down a column of both tiles, and along a row, where pairs of
// columns go around.
inline constexpr int sides = 32, ranks = group_rows / sides, own_rows = group_rows / sides;
// Columns are so far apart when they are turned that neither writes nor reads meet in a bank.
inline constexpr int turned_lead = group_rows + 2;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  if (p.form != schedule::device_form::gpu || !s.opaque) return false;
  const ir::node& n = p.graph[s.reductions[0]];
  return n.is(op::cholesky::record()) || n.is(op::inverse_factor::record());
}

/// Elements of local memory for what is multiplied and then turned.
inline constexpr int room_of_ring = own_tile.slices * tensor::depth * (group_rows + width);
inline constexpr int room = 2 * depth * slice_rows;
static_assert(2 * turned * turned_lead <= room_of_ring && turned * turned_lead <= room);
static_assert(4 * group_rows <= std::min(room, room_of_ring));
/// Local memory that a kernel uses.
inline std::int64_t bytes_of_panel(std::int64_t element, bool tensor_cores) {
  return ((tensor_cores ? room_of_ring : room) + 3 * width) * element;
}

/// Panels of a block, and of the inner blocks that it consists of.
struct panels_of_blocks {
  std::int64_t block, inner;
};

/// Of a matrix of so many panels. Where this form is tested, on a CPU, small matrices have both.
// H100, 8192 rows: 6.65 ms, 12.2 with blocks of one panel. H200, 16384 rows: 36.8 ms, 38.0 with 8 panels and
// no inner blocks, 37.5 with 12; 4096 rows: 1.69 ms with 8, 1.75 with 12.
FUSECL_INLINE panels_of_blocks blocks_of(std::int64_t tiles, bool unrolled) {
  if (!unrolled) return tiles > 4 ? panels_of_blocks{4, 2} : panels_of_blocks{1, 1};
  return tiles >= 128  ? panels_of_blocks{16, 4}
         : tiles >= 48 ? panels_of_blocks{8, 8}
                       : panels_of_blocks{1, 1};
}

// Columns that groups go through side by side, so that what they read stays in the cache (H200, 16384 rows:
// 38.1 ms, 40.4 a column after the other).
inline constexpr int columns_of_band = 8;

// Panels up to which rows of the unit matrix come along. The products of an inverse by itself have more terms
// each, which tells where there is more to compute than a panel takes (H100, value and gradient of a Gaussian
// process: 64 rows 110 us, 162 with an inverse of its own; 512 329 and 359; 1024 658 and 600, but 12 launches
// fewer; 2048 1320 and 1170).
inline constexpr std::int64_t most_with_inverse = 16;

/// Groups of round `j`: those of the panel, and pairs of the tiles from which others subtract.
FUSECL_INLINE std::int64_t groups_of_round(std::int64_t j, std::int64_t tiles, panels_of_blocks panels,
                                           bool inverse) {
  std::int64_t groups = inverse ? tiles + (tiles - j - 1) * divide_up(j, 2) : tiles - j;
  const std::int64_t size = j % panels.inner == 0 ? panels.block : panels.inner;
  const std::int64_t end = j == 0                  ? 1
                           : j % panels.block == 0 ? tiles
                                                   : std::min(tiles, schedule::round_up(j, size));
  for (std::int64_t col = j + 1; col < end; ++col) groups += divide_up(tiles - col, 2);
  return groups;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const ir::node& node = r.p.graph[r.s.reductions[0]];
  const bool inverse = node.is(op::inverse_factor::record());
  const scalar_type type = node.type;
  const auto element = static_cast<std::int64_t>(size_of(type));
  const std::int64_t n = r.rows(), tiles = divide_up(n, width), lead = schedule::round_up(n, 2);
  const auto fits = [&](bool tensor_cores) {
    return std::min(r.device.group, r.device.largest_group) >= group_rows &&
           bytes_of_panel(element, tensor_cores) <= r.device.bytes_for_tiles();
  };
  geometry g = geometry_in_rounds(r, width, type);
  g.local = group_rows;
  g.finish_groups = divide_up(n * n, g.local);
  g.kernel.choices[1] = keeps_arrays(r.device);
  // beside rows of the unit matrix the text for tensor cores has no registers left
  g.kernel.choices[2] = r.device.tensor_cores && type == scalar_type::float64 && fits(true) && !inverse;
  const panels_of_blocks panels =
      inverse ? panels_of_blocks{1, 1} : blocks_of(tiles, g.kernel.choices[1] != 0);
  g.sizes.push_back({"tiles", tiles, true});
  g.sizes.push_back({"block", panels.block, true});
  g.sizes.push_back({"inner_block", panels.inner, true});
  g.sizes.push_back({"lead", lead});
  for (std::int64_t j = 0; j < tiles; ++j)
    g.round_groups.push_back(groups_of_round(j, tiles, panels, inverse));
  add_parts_of_cholesky(g, node, n, tiles, lead * (inverse ? tiles * width : n));
  if (inverse && (n == 0 || tiles > most_with_inverse)) g.groups = does_not_fit;
  if (n > 0 && (n <= width / 2 || !fits(false))) g.groups = does_not_fit;
  return g;
}

class emitter final : public share_emitter {
 public:
  using share_emitter::share_emitter;

 private:
  void walk() override {
    declare_room();
    out_.line("const uint {}, group = get_group_id(0), panels = tiles{};",
              {on_tensor_cores() ? place_in_group()
                                 : text::fill("lane = get_local_id(0), across = lane % {}, right = lane / {}",
                                              {down, down}),
               gives_inverse() ? "" : " - round"});
    out_.line("const bool in_panel = group < panels;");
    out_.line("// the first panel of a block comes after all panels of the block before");
    out_.line(
        "const uint before_it = round % block == 0 ? block : round % inner_block == 0 ? inner_block : 1;");
    out_.line("const uint terms = round == 0 ? 0 : before_it * {};", {width});
    out_.line("const long first = (long)round * {}, before = first - terms;", {width});
    out_.line("long top = first, bottom = first + (long)group * {}, col_start = first;", {width});
    if (gives_inverse()) find_unit_tile();
    out_.open("if (!in_panel)");
    find_trailing_tiles();
    out_.close();
    if (gives_inverse()) find_starts();
    if (on_tensor_cores())
      subtract_on_tensor_cores();
    else
      subtract_panel_before();
    store_trailing_tiles();
    out_.line("// a loop that a group of the panel goes through once, and others not at all");
    out_.open("for (uint once = in_panel ? 0 : 1; once < 1; ++once)");
    out_.line("const uint side = lane % {}, part = lane / {};", {sides, sides});
    out_.line("{} row[{}][{}];", {pair(), own_rows, width / ranks / 2});
    turn();
    eliminate();
    store_panel();
    out_.close();
  }

  void declare_room() {
    if (on_tensor_cores()) {
      define_instructions();
      define_reciprocal();
      out_.line("local double room[{}] __attribute__((aligned(128)));", {room_of_ring});
      out_.line("local double *const a_ring = room, *const b_ring = room + {};",
                {tile_.slices * copied_[0].slice()});
      out_.line("local double* turned = room;");
    } else {
      out_.line("local {} slices[2][{}][{}];", {pair(), depth, slice_rows / 2});
      out_.line("local {}* turned = (local {}*)slices;", {type(), type()});
    }
    out_.line("local {} pivots[{}], roots[{}], scales[{}];", {type(), width, width, width});
  }

  /// PTX ISA, "rcp.approx.ftz.f64": 20 bits and more, of which what is left is a cube after a step of third
  /// order. That of a number which is not positive, or so small or large that its own is not normal, is NaN.
  void define_reciprocal() {
    helpers_ +=
        "static inline __attribute__((always_inline)) double reciprocal(double d) {\n"
        "  double x;\n"
        "  asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(x) : \"d\"(d));\n"
        "  const double rest = fma(-d, x, 1.0);\n"
        "  return d > 0 ? fma(x, fma(rest, rest, rest), x) : NAN;\n"
        "}\n\n";
  }

  /// Tiles that groups of a round take beyond the panel: pairs of one column. Those of all columns that
  /// follow are numbered from the last columns on, some columns side by side, those of the block's columns
  /// from the first one on.
  void find_trailing_tiles() {
    out_.line("const long most = tiles - round - 1;");
    out_.line("long number = group - panels, s = most;");
    if (gives_inverse()) {
      out_.line("const long pairs = (most + 1) * (most + 1) / 4, halves = (round + 1) / 2;");
      out_.line("above = number >= pairs;");
      out_.open("if (above)");
      out_.line("col_start = first + ((number - pairs) / halves + 1) * {};", {width});
      out_.line("top = (number - pairs) % halves * {};", {2 * width});
      out_.close();
      out_.open("else");
      find_pair();
      out_.close();
    } else {
      find_pair();
    }
    out_.line("bottom = top + {};", {width});
  }
  void find_pair() {
    out_.open("if (round % block == 0)");
    out_.line("// columns with 1, 2, 3 ... tiles have (s + 1)^2 / 4 pairs up to the one with s tiles");
    out_.line("s = clamp((long)(2 * sqrt(number + 1.0f)), 1L, most);");
    out_.line("while (s * s / 4 > number) --s;");
    out_.line("while ((s + 1) * (s + 1) / 4 <= number) ++s;");
    out_.line("// so do columns of a band side by side, as far as its shortest one goes");
    out_.line("const long shorter = (s - 1) / {} * {}, shortest = (shorter + 2) / 2;",
              {columns_of_band, columns_of_band});
    out_.line("const long side_by_side = min((long){}, most - shorter);", {columns_of_band});
    out_.line("number -= (shorter + 1) * (shorter + 1) / 4;");
    out_.open("if (number < side_by_side * shortest)");
    out_.line("s = shorter + side_by_side - number % side_by_side;");
    out_.line("number /= side_by_side;");
    out_.close();
    out_.open("else");
    out_.line("number -= side_by_side * shortest;");
    out_.line(
        "for (s = shorter + 1; number >= (s + 1) / 2 - shortest; ++s) number -= (s + 1) / 2 - shortest;");
    out_.line("number += shortest;");
    out_.close();
    out_.close();
    out_.open("else");
    out_.line("for (; number >= (s + 1) / 2; --s) number -= (s + 1) / 2;");
    out_.close();
    out_.line("col_start = first + (most - s + 1) * {};", {width});
    out_.line("top = col_start + number * {};", {2 * width});
  }

  /// Of a panel's groups the first one has the tile with which rows of the unit matrix begin, as many as
  /// there were rounds those which began before, and the others tiles of the operand.
  void find_unit_tile() {
    out_.line("const uint below = tiles - round;");
    out_.line("bool above = in_panel && (group == 0 || group >= below);");
    out_.line("if (in_panel && group >= below) bottom = (long)(group - below) * {};", {width});
  }
  /// Whether tiles are still those of the unit matrix, and from which row on the panels before have nothing.
  void find_starts() {
    for (const char* tile : {"top", "bottom"}) {
      out_.line("const bool new_{} = above && {}{} + {} >= first;",
                {tile, *tile == 't' ? "!in_panel && " : "", tile, width});
      out_.line("const long {}_end = new_{} && {} >= first ? 0 : rows;", {tile, tile, tile});
    }
  }

  /// To the shares of an elimination, through local memory, some columns at a time, so that registers are
  /// free for them.
  void turn() {
    const int columns = on_tensor_cores() ? 2 * turned : turned;
    unrolled("c", width / columns);
    barrier();
    if (on_tensor_cores()) {
      each("w", columns / 8);
      each("u", units_down());
      each("q", 4);
      out_.line("turned[(w * 8 + across * 2 + q % 2) * {} + warp_row + {}] = -sums[u][{} * c + w][q];",
                {turned_lead, row_in_tile(), columns / 8});
      out_.close();
    } else {
      unrolled("v", 2);
      unrolled("u", own);
      out_.line("turned[(2 * right + v) * {} + u / 2 * {} + 2 * across + u % 2] = sums[2 * c + v][u];",
                {turned_lead, 2 * down});
    }
    out_.close();
    out_.close();
    barrier();
    const int own_pairs = columns / ranks / 2;
    unrolled("m", own_pairs);
    out_.line("local const {}* const from = turned + 2 * (m * {} + part) * {} + side;",
              {type(), ranks, turned_lead});
    unrolled("s", own_rows);
    out_.line("row[s][c * {} + m] = ({})(from[{} * s], from[{} + {} * s]);",
              {own_pairs, pair(), sides, turned_lead, sides});
    out_.close();
    out_.close();
    out_.close();
    barrier();
  }

  /// Columns of both tiles.
  void eliminate() {
    out_.line("local {} (*pairs)[{}] = (local {} (*)[{}])turned;", {pair(), group_rows, pair(), group_rows});
    const tile_elimination e{.type = type(),
                             .width = width,
                             .own_rows = own_rows,
                             .sides = sides,
                             .parts = ranks,
                             .unrolled = unrolls(),
                             .inverse = on_tensor_cores() ? "reciprocal({})" : nullptr};
    helpers_ += function_of_elimination(e);
    eliminate_by_tiles(out_, e);
    barrier();
    out_.open("if (group == 0 && lane == 0)");
    out_.line("// the last pivot is NaN where an earlier one was not positive");
    out_.line("uint bad = {};", {width});
    out_.open("if (!(pivots[{}] > 0))", {width - 1});
    out_.line(
        "for (uint k = (uint)min({}L, rows - first); k > 0; --k) bad = !(pivots[k - 1] > 0) ? k - 1 : bad;",
        {width});
    out_.close();
    note_first_bad("bad", text::fill("{}", {width}), "pivots[bad]");
    out_.close();
    out_.open("if (lane < {})", {width});
    out_.line("const {} root = pivots[lane] > 0 ? sqrt(pivots[lane]) : ({})(NAN);", {type(), type()});
    out_.line("roots[lane] = root;");
    out_.line("scales[lane] = 1 / root;");
    out_.close();
    barrier();
  }

  /// The first group stores the tile on the diagonal, others the one below it. With rows of the unit matrix
  /// each stores its other tile.
  void store_panel() {
    if (gives_inverse()) return store_share("bottom", own_rows / 2, "*to = row[s][m].{} * scales[col];");
    out_.open("if (group > 0)");
    store_share("bottom", own_rows / 2, "*to = row[s][m].{} * scales[col];");
    out_.close();
    out_.open("else");
    store_share("first", 0,
                "if (i - first >= col) *to = i - first == col ? roots[col] : row[s][m].{} * scales[col];");
    out_.close();
  }
  /// Rows from `s` = `from` on of a work-item's, which are those of the tile at `top`, element by element.
  void store_share(const char* top, int from, const char* element) {
    unrolled("u", own_rows / 2);
    out_.line("const uint s = {} + u;", {from});
    out_.line("const long i = {} + side + {} * u;", {top, sides});
    out_.open("if (i < rows)");
    unrolled("m", width / ranks / 2);
    for (const char* b : {"x", "y"}) {
      out_.open("");
      out_.line("const uint col = 2 * (m * {} + part){};", {ranks, *b == 'y' ? " + 1" : ""});
      out_.line("global {}* const to = &p1[i + (first + col) * lead];", {type()});
      out_.line(element, {b});
      out_.close();
    }
    out_.close();
    out_.close();
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace cholesky_panels_walk

inline constexpr step_kind cholesky_panels{
    kind_order::cholesky_panels,
    "cholesky_panels",
    "a Cholesky factor, or its inverse, a panel of 64 columns each round",
    cholesky_panels_walk::takes,
    cholesky_panels_walk::shape,
    cholesky_panels_walk::emit};

}  // namespace fusecl::kinds
