#pragma once
// The Cholesky factor on a GPU by panels of 64 columns, one launch each. A group holds 128 x 64 elements in
// registers. Those of a panel hold the tile on the diagonal and another one below it, from which they
// subtract the panel before; then each work-item takes a row and eliminates columns by itself, two with each
// barrier. Other groups of the launch subtract the panel before from tiles that follow. What is left to
// factor and the factor are different parts of the workspace, so that no group writes what another reads.

#include <string>

#include <fusion/kinds/elimination.hpp>
#include <fusion/kinds/pivots.hpp>
#include <fusion/kinds/step_kind.hpp>

namespace fusecl::kinds {
namespace cholesky_panels_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;

// Columns of a panel; work-items of a group, one for each of its rows; columns of the panel before that are
// in local memory at once, in two turns; rows of those that are: of both tiles and of the tile's columns.
inline constexpr int width = 64, group_rows = 2 * width, depth = 8, slice_rows = 3 * width;
// Rows and columns of a work-item's share, and columns of all that go through local memory to become rows.
inline constexpr int own = 8, turned = 16;
// Work-items side by side down a column.
inline constexpr int down = group_rows / own;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::gpu && s.opaque &&
         p.graph[s.reductions[0]].is(op::cholesky::record());
}

/// Local memory that a kernel uses.
inline std::int64_t bytes_of_panel(std::int64_t element) {
  return (2 * depth * slice_rows + 4 * width + 2 * width) * element;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const auto element = static_cast<std::int64_t>(size_of(type));
  const std::int64_t n = r.rows(), tiles = divide_up(n, width);
  geometry g = geometry_in_rounds(r, width, type);
  g.local = group_rows;
  g.finish_groups = divide_up(n * n, g.local);
  // loops are unrolled where registers hold what they go through: on a GPU, not where this form is tested
  g.kernel.choices[1] = own * own * element <= r.device.tile_bytes;
  g.sizes.push_back({"tiles", tiles, true});
  for (std::int64_t j = 0; j < tiles; ++j)
    g.round_groups.push_back(tiles - j + (j > 0 ? (tiles - j) * (tiles - j) / 4 : 0));
  add_parts_of_cholesky(g, type, n, tiles, n * n);
  const bool fits = std::min(r.device.group, r.device.largest_group) >= group_rows &&
                    bytes_of_panel(element) <= r.device.local_bytes * 7 / 8;
  if (n > 0 && (n <= width / 2 || !fits)) g.groups = -1;
  return g;
}

class emitter final : public pivoting_emitter {
 public:
  using pivoting_emitter::pivoting_emitter;

 private:
  void add_own_sizes() override { add_size("tiles"); }

  void walk() override {
    out_.line("local {} slices[2][{}][{}], pairs[2][{}];", {pair(), depth, slice_rows / 2, width});
    out_.line("local {} roots[{}], scales[{}];", {type(), width, width});
    out_.line("const uint group = get_group_id(0), lane = get_local_id(0), panels = tiles - round;");
    out_.line("const uint across = lane % {}, right = lane / {};", {down, down});
    out_.line("const bool in_panel = group < panels;");
    out_.line("const long first = (long)round * {}, before = first - {};", {width, width});
    out_.line("long top = first, bottom = first + (long)group * {}, col_start = first;", {width});
    out_.open("if (!in_panel)");
    find_trailing_tiles();
    out_.close();
    out_.line("{} sums[{}][{}], next[{}];", {type(), own, own, share_of_slice()});
    load_left();
    subtract_panel_before();
    store_trailing_tiles();
    out_.line("// a loop that a group of the panel goes through once, and others not at all");
    out_.open("for (uint once = in_panel ? 0 : 1; once < 1; ++once)");
    out_.line("{} row[{}];", {type(), width});
    turn_to_rows();
    eliminate();
    store_panel();
    out_.close();
  }

  std::string pair() const { return codegen::vector_type(type_, 2); }
  static constexpr int share_of_slice() { return depth * slice_rows / group_rows; }

  void unroll() {
    if (v_.choices[1] != 0) out_.raw("#pragma unroll\n");
  }
  void unrolled(const char* name, int count) {
    unroll();
    out_.open("for (uint {} = 0; {} < {}; ++{})", {name, name, count, name});
  }

  /// Opens the loops over a work-item's share; its elements, `sums[v][u]`, are at (`i`, `j`).
  void open_share() {
    unrolled("v", own);
    out_.line("const uint q = v / 2 * {} + 2 * right + v % 2;", {turned});
    out_.line("const long j = col_start + q;");
    unrolled("u", own);
    out_.line("const uint r = u / 2 * {} + 2 * across + u % 2;", {2 * down});
    out_.line("const long i = r < {} ? top + r : bottom + r - {};", {width, width});
  }
  void close_share() {
    out_.close();
    out_.close();
  }

  /// Tiles that groups of a round take beyond the panel: pairs of one column, from the last column on.
  void find_trailing_tiles() {
    out_.line("// columns with 1, 2, 3 ... tiles have (s + 1)^2 / 4 pairs up to the one with s tiles");
    out_.line("const long number = group - panels, most = tiles - round - 1;");
    out_.line("long s = clamp((long)(2 * sqrt(number + 1.0f)), 1L, most);");
    out_.line("while (s * s / 4 > number) --s;");
    out_.line("while ((s + 1) * (s + 1) / 4 <= number) ++s;");
    out_.line("col_start = first + (most - s + 1) * {};", {width});
    out_.line("top = col_start + (number - s * s / 4) * {};", {2 * width});
    out_.line("bottom = top + {};", {width});
  }

  /// What is left of the lower triangle, from the operand as long as nothing of it was subtracted; beyond the
  /// last row there is an identity.
  void load_left() {
    open_share();
    out_.line("{} value = i == j ? 1 : 0;", {type()});
    out_.open("if (i < rows && j < rows && i >= j)");
    out_.open("if (round <= 1)");
    const std::string text = element(0, "i", "j");
    out_.line("value = {};", {text});
    out_.close();
    out_.open("else");
    out_.line("value = p0[i + j * rows];");
    out_.close();
    out_.close();
    out_.line("sums[v][u] = value;");
    close_share();
  }

  /// Opens a loop over the elements of a slice that a work-item brings.
  void open_slice() {
    unrolled("turn", share_of_slice());
    out_.line("const uint m = lane % {}, line = turn * {} + lane / {}, part = line / {}, k = line % {};",
              {width, group_rows / width, width, depth, depth});
  }
  void fetch(const char* done) {
    open_slice();
    out_.line("const long at = (part == 0 ? top : part == 1 ? bottom : col_start) + m;");
    out_.line("next[turn] = at < rows ? p1[at + (before + {} + k) * rows] : 0;", {done});
    out_.close();
  }

  /// From both tiles, of what the panel before has in their rows, the product with what it has in rows with
  /// the numbers of their columns.
  void subtract_panel_before() {
    out_.line("const uint terms = round > 0 ? {} : 0;", {width});
    out_.open("if (round > 0)");
    fetch("0");
    out_.close();
    out_.open("for (uint done = 0; done < terms; done += {})", {depth});
    out_.line("local {} (*slice)[{}] = slices[done / {} % 2];", {pair(), slice_rows / 2, depth});
    open_slice();
    out_.line("((local {}*)slice[k])[part * {} + m] = next[turn];", {type(), width});
    out_.close();
    barrier();
    out_.line("const uint following = done + {};", {depth});
    out_.open("if (following < terms)");
    fetch("following");
    out_.close();
    unroll();
    out_.open("for (uint k = 0; k < {}; ++k)", {depth});
    out_.line("{} a[{}], b[{}];", {type(), own, own});
    unrolled("u", own / 2);
    out_.line("vstore2(slice[k][u * {} + across], u, a);", {down});
    out_.line("vstore2(slice[k][{} + u * {} + right], u, b);", {width, turned / 2});
    out_.close();
    unrolled("v", own);
    unrolled("u", own);
    out_.line("sums[v][u] = fma(-a[u], b[v], sums[v][u]);");
    out_.close();
    out_.close();
    out_.close();
    out_.close();
  }

  void store_trailing_tiles() {
    out_.open("if (!in_panel)");
    open_share();
    out_.line("if (i < rows && i >= j) p0[i + j * rows] = sums[v][u];");
    close_share();
    out_.close();
  }

  /// Through local memory, some columns at a time, so that registers are free for them.
  void turn_to_rows() {
    out_.line("local {}* turned = (local {}*)slices;", {type(), type()});
    unrolled("c", width / turned);
    barrier();
    unrolled("v", 2);
    unrolled("u", own);
    out_.line("turned[(2 * right + v) * {} + u / 2 * {} + 2 * across + u % 2] = sums[2 * c + v][u];",
              {group_rows, 2 * down});
    out_.close();
    out_.close();
    barrier();
    unrolled("q", turned);
    out_.line("row[c * {} + q] = turned[q * {} + lane];", {turned, group_rows});
    out_.close();
    out_.close();
  }

  /// Columns of both tiles.
  void eliminate() {
    const std::string tell = codegen::fill("if (lane < {}) both[lane]", {width});
    eliminate_by_rows(
        out_, {type(), width, v_.choices[1] != 0, "pairs[k / 2 % 2]", tell.c_str(), "lane == 0", "roots"});
    barrier();
    out_.open("if (group == 0 && lane == 0)");
    note_pivots("roots[k]");
    out_.close();
    barrier();
    out_.open("if (lane < {})", {width});
    out_.line("const {} root = roots[lane] > 0 ? sqrt(roots[lane]) : ({})(NAN);", {type(), type()});
    out_.line("roots[lane] = root;");
    out_.line("scales[lane] = 1 / root;");
    out_.close();
    barrier();
  }

  /// The first group stores the tile on the diagonal, others the one below it.
  void store_panel() {
    out_.line("const bool in_diagonal = lane < {};", {width});
    out_.line("const long i = in_diagonal ? first + lane : bottom + lane - {};", {width});
    out_.line("const long end = in_diagonal == (group == 0) && i < rows ? min(i + 1, rows) : 0;");
    unrolled("q", width);
    out_.line("const long j = first + q;");
    out_.line("if (j < end) p1[i + j * rows] = i == j ? roots[q] : row[q] * scales[q];");
    out_.close();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) { return emitter(r).run(); }

}  // namespace cholesky_panels_walk

inline constexpr step_kind cholesky_panels{kind_order::cholesky_panels,
                                           "cholesky_panels",
                                           "a Cholesky factor, a panel of 64 columns each round",
                                           cholesky_panels_walk::takes,
                                           cholesky_panels_walk::shape,
                                           cholesky_panels_walk::emit};

}  // namespace fusecl::kinds
