#pragma once
// The Cholesky factor on a GPU by panels of 64 columns, one launch each. A group holds 128 x 64 elements in
// registers. Those of a panel hold the tile on the diagonal and another one below it, from which they
// subtract the panel before; then each work-item takes a row and eliminates columns by itself, two with each
// barrier. Other groups of the launch subtract the panel before from tiles that follow. What is left to
// factor and the factor are different parts of the workspace, so that no group writes what another reads. On
// NVIDIA's tensor cores products of doubles are by these, and reciprocals are approximated and corrected.

#include <algorithm>
#include <string>

#include <fusion/kinds/elimination.hpp>
#include <fusion/kinds/pivots.hpp>
#include <fusion/kinds/step_kind.hpp>
#include <fusion/kinds/tensor_tile.hpp>

namespace fusecl::kinds {
namespace cholesky_panels_walk {

using schedule::divide_up, schedule::geometry, schedule::launch_request, schedule::plan, schedule::step;
namespace tensor = tensor_product_walk;

// Columns of a panel; work-items of a group, one for each of its rows; columns of the panel before that are
// in local memory at once, in two turns; rows of those that are: of both tiles and of the tile's columns.
inline constexpr int width = 64, group_rows = 2 * width, depth = 8, slice_rows = 3 * width;
// Rows and columns of a work-item's share, and columns of all that go through local memory to become rows.
inline constexpr int own = 8, turned = 16;
// Work-items side by side down a column.
inline constexpr int down = group_rows / own;
// On tensor cores: a warp has 32 rows, and columns are so far apart when they are turned that neither writes
// nor reads meet in a bank.
inline constexpr tensor::tile own_tile = {group_rows, width, 4, 1, tensor::depth, 3, 0, 0};
inline constexpr int turned_lead = group_rows + 2;

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return p.form == schedule::device_form::gpu && s.opaque &&
         p.graph[s.reductions[0]].is(op::cholesky::record());
}

/// Elements of local memory for what is multiplied and then turned.
inline constexpr int room_of_ring = own_tile.slices * tensor::depth * (group_rows + width);
inline constexpr int room = 2 * depth * slice_rows;
static_assert(turned * turned_lead <= std::min(room, room_of_ring));
/// Local memory that a kernel uses.
inline std::int64_t bytes_of_panel(std::int64_t element, bool tensor_cores) {
  return ((tensor_cores ? room_of_ring : room) + 4 * width + 2 * width) * element;
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  const scalar_type type = r.p.graph[r.s.reductions[0]].type;
  const auto element = static_cast<std::int64_t>(size_of(type));
  const std::int64_t n = r.rows(), tiles = divide_up(n, width), lead = schedule::round_up(n, 2);
  const auto fits = [&](bool tensor_cores) {
    return std::min(r.device.group, r.device.largest_group) >= group_rows &&
           bytes_of_panel(element, tensor_cores) <= r.device.local_bytes * 7 / 8;
  };
  geometry g = geometry_in_rounds(r, width, type);
  g.local = group_rows;
  g.finish_groups = divide_up(n * n, g.local);
  // loops are unrolled where registers hold what they go through: on a GPU, not where this form is tested
  g.kernel.choices[1] = own * own * element <= r.device.tile_bytes;
  g.kernel.choices[2] = r.device.tensor_cores && type == scalar_type::float64 && fits(true);
  g.sizes.push_back({"tiles", tiles, true});
  g.sizes.push_back({"lead", lead});
  for (std::int64_t j = 0; j < tiles; ++j)
    g.round_groups.push_back(tiles - j + (j > 0 ? (tiles - j) * (tiles - j) / 4 : 0));
  add_parts_of_cholesky(g, r.p.graph[r.s.reductions[0]], n, tiles, lead * n);
  if (n > 0 && (n <= width / 2 || !fits(false))) g.groups = -1;
  return g;
}

class emitter final : public tensor::tile_emitter<pivoting_emitter> {
 public:
  explicit emitter(const codegen::emit_request& r) : tile_emitter(r, own_tile) {
    copied_[0] = {"a", "first_row", "a_limit", group_rows, false, 2, group_rows};
    copied_[1] = {"b", "first_col", "b_limit", width, false, 2, group_rows};
  }

 private:
  bool on_tensor_cores() const { return v_.choices[2] != 0; }
  void add_own_sizes() override {
    for (const char* name : {"tiles", "lead"}) add_size(name);
  }
  std::string leading_of_result() const override { return "lead"; }
  bool adds_range() const override { return false; }
  void set_address(int k, const std::string& to, const std::string& line, const std::string& term) override {
    out_.open("");
    out_.line("const long line = {};", {line});
    out_.line("const long row = {};", {k == 0 ? row_of("line") : "col_start + line"});
    out_.line("{} &p1[row + (before + {}) * lead];", {to, term});
    out_.close();
  }
  /// Number of the row that is `r`-th of both tiles.
  static std::string row_of(const char* r) {
    return text::fill("{} < {} ? top + {} : bottom + {} - {}", {r, width, r, r, width});
  }

  void walk() override {
    declare_room();
    out_.line("const uint {}, group = get_group_id(0), panels = tiles - round;",
              {on_tensor_cores() ? place_in_group()
                                 : text::fill("lane = get_local_id(0), across = lane % {}, right = lane / {}",
                                              {down, down})});
    out_.line("const bool in_panel = group < panels;");
    out_.line("const long first = (long)round * {}, before = max(first - {}, 0L);", {width, width});
    out_.line("long top = first, bottom = first + (long)group * {}, col_start = first;", {width});
    out_.open("if (!in_panel)");
    find_trailing_tiles();
    out_.close();
    if (on_tensor_cores())
      subtract_on_tensor_cores();
    else
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
    out_.line("local {} pairs[2][{}];", {pair(), width});
    out_.line("local {} roots[{}], scales[{}];", {type(), width, width});
  }

  /// PTX ISA, "rcp.approx.ftz.f64": 20 bits and more, of which each step of Newton's makes twice as many.
  /// What the instruction takes for 0 or infinity is scaled.
  void define_reciprocal() {
    helpers_ +=
        "static inline __attribute__((always_inline)) double reciprocal(double d) {\n"
        "  const double scale = d < 0x1p-900 ? 0x1p600 : d > 0x1p900 ? 0x1p-600 : 1, own = d * scale;\n"
        "  double x;\n"
        "  asm(\"rcp.approx.ftz.f64 %0, %1;\" : \"=d\"(x) : \"d\"(own));\n"
        "  x = fma(x, fma(-own, x, 1.0), x);\n"
        "  return fma(x, fma(-own, x, 1.0), x) * scale;\n"
        "}\n\n";
  }

  std::string pair() const { return codegen::vector_type(type_, 2); }
  static constexpr int share_of_slice() { return depth * slice_rows / group_rows; }

  bool unrolls() const { return v_.choices[1] != 0; }
  void unroll() {
    if (unrolls()) out_.raw("#pragma unroll\n");
  }
  void unrolled(const char* name, int count) { loop(name, count, unrolls()); }

  /// Opens the loops over a work-item's share; its elements, `own_sum()`, are at (`i`, `j`).
  void open_share() {
    if (on_tensor_cores()) {
      each_unit();
      each("q", 4);
      place_of_element("r", "own_col");
      out_.line("const long j = col_start + own_col;");
    } else {
      unrolled("v", own);
      out_.line("const uint q = v / 2 * {} + 2 * right + v % 2;", {turned});
      out_.line("const long j = col_start + q;");
      unrolled("u", own);
      out_.line("const uint r = u / 2 * {} + 2 * across + u % 2;", {2 * down});
    }
    out_.line("const long i = {};", {row_of("r")});
  }
  void close_share() {
    out_.close();
    out_.close();
    if (on_tensor_cores()) out_.close();
  }
  /// What is left of the element, with the other sign on tensor cores, which add products.
  const char* own_sum() const { return on_tensor_cores() ? "sums[u][v][q]" : "sums[v][u]"; }
  const char* sign() const { return on_tensor_cores() ? "-" : ""; }

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
  /// last row there is an identity. Everything is loaded from some place of the triangle before it is looked
  /// at, so that no load waits for another one.
  void load_left() {
    out_.open("if (round <= 1)");
    open_share();
    nearest_place();
    const std::string text = element(0, "own_i", "own_j");
    out_.line("{} = {};", {own_sum(), text});
    close_share();
    out_.close();
    out_.open("else");
    open_share();
    nearest_place();
    out_.line("{} = p0[own_i + own_j * lead];", {own_sum()});
    close_share();
    out_.close();
    open_share();
    out_.line("const bool inside = i < rows && i >= j;");
    out_.line("{} = inside ? {}{} : i == j ? {}1 : 0;", {own_sum(), sign(), own_sum(), sign()});
    close_share();
  }
  void nearest_place() { out_.line("const long own_i = min(i, rows - 1), own_j = min(j, own_i);"); }

  /// Opens a loop over the elements of a slice that a work-item brings.
  void open_slice() {
    unrolled("turn", share_of_slice());
    out_.line("const uint m = lane % {}, line = turn * {} + lane / {}, part = line / {}, k = line % {};",
              {width, group_rows / width, width, depth, depth});
  }
  void fetch(const char* done) {
    open_slice();
    out_.line("const long at = (part == 0 ? top : part == 1 ? bottom : col_start) + m;");
    out_.line("next[turn] = at < rows ? p1[at + (before + {} + k) * lead] : 0;", {done});
    out_.close();
  }

  /// From both tiles, of what the panel before has in their rows, the product with what it has in rows with
  /// the numbers of their columns.
  void subtract_panel_before() {
    out_.line("{} sums[{}][{}], next[{}];", {type(), own, own, share_of_slice()});
    load_left();
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

  void subtract_on_tensor_cores() {
    out_.line("const long first_row = 0, first_col = 0, inner = round > 0 ? {} : 0;", {width});
    out_.line("const long a_limit = lane % {} < {} ? rows - top : rows - bottom + {};",
              {copied_[0].across(), width / 2, width});
    out_.line("const long b_limit = rows - col_start;");
    declare_sums();
    start_terms();
    load_left();
    add_started_terms();
  }

  void store_trailing_tiles() {
    out_.open("if (!in_panel)");
    open_share();
    out_.line("if (i < rows && i >= j) p0[i + j * lead] = {}{};", {sign(), own_sum()});
    close_share();
    out_.close();
  }

  /// Through local memory, some columns at a time, so that registers are free for them.
  void turn_to_rows() {
    unrolled("c", width / turned);
    barrier();
    if (on_tensor_cores()) {
      each("w", 2);
      each("u", units_down());
      each("q", 4);
      out_.line("turned[(w * 8 + across * 2 + q % 2) * {} + warp_row + {}] = -sums[u][2 * c + w][q];",
                {turned_lead, row_in_tile()});
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
    unrolled("q", turned);
    out_.line("row[c * {} + q] = turned[q * {} + lane];", {turned, turned_lead});
    out_.close();
    out_.close();
  }

  /// Columns of both tiles.
  void eliminate() {
    const std::string tell = codegen::fill("if (lane < {}) both[lane]", {width});
    row_elimination e{type(), width, unrolls(), "pairs[k / 2 % 2]", tell.c_str(), "lane == 0", "roots"};
    e.inverse = on_tensor_cores() ? "reciprocal({})" : "1 / {}";
    e.same_rounds = on_tensor_cores();
    eliminate_by_rows(out_, e);
    barrier();
    out_.line("// columns from the first one on whose pivot is not positive are NaN");
    out_.line("uint bad = {};", {width});
    unroll();
    out_.line("for (uint k = {}; k > 0; --k) bad = first + k <= rows && !(roots[k - 1] > 0) ? k - 1 : bad;",
              {width});
    out_.open("if (group == 0 && lane == 0)");
    note_first_bad("bad", text::fill("{}", {width}), "roots[bad]");
    out_.close();
    barrier();
    out_.open("if (lane < {})", {width});
    out_.line("const {} root = lane < bad ? sqrt(roots[lane]) : ({})(NAN);", {type(), type()});
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
    out_.line("if (j < end) p1[i + j * lead] = i == j ? roots[q] : row[q] * scales[q];");
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
