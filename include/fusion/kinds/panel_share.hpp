#pragma once
// What a group of a Cholesky factor by panels has in registers, two tiles of one panel: where their elements
// are, how they are loaded, less the panel before, and stored.

#include <string>

#include <fusion/kinds/pivots.hpp>
#include <fusion/kinds/tensor_tile.hpp>

namespace fusecl::kinds {
namespace cholesky_panels_walk {

namespace tensor = tensor_product_walk;

// Columns of a panel; work-items of a group, one for each of its rows; columns of the panel before that are
// in local memory at once, in two turns; rows of those that are: of both tiles and of the tile's columns.
inline constexpr int width = 64, group_rows = 2 * width, depth = 8, slice_rows = 3 * width;
// Rows and columns of a work-item's share, and columns of all that go through local memory to become rows.
inline constexpr int own = 8, turned = 16;
// Work-items side by side down a column.
inline constexpr int down = group_rows / own;
// On tensor cores a warp has 32 rows.
inline constexpr tensor::tile own_tile = {group_rows, width, 4, 1, tensor::depth, 3, 0, 0};

class share_emitter : public tensor::tile_emitter<pivoting_emitter> {
 public:
  explicit share_emitter(const codegen::emit_request& r) : tile_emitter(r, own_tile) {
    copied_[0] = {"a", "first_row", "a_limit", group_rows, false, 2, group_rows};
    copied_[1] = {"b", "first_col", "b_limit", width, false, 2, group_rows};
  }

 protected:
  bool on_tensor_cores() const { return v_.choices[2] != 0; }
  void add_own_sizes() override {
    for (const char* name : {"tiles", "block", "inner_block", "lead"}) add_size(name);
  }
  std::string leading_of_result() const override { return "lead"; }
  /// Whether the result is inverse(L').
  bool gives_inverse() const { return g_[self_].is(op::inverse_factor::record()); }
  bool is_lower() const override { return !gives_inverse(); }
  bool is_upper() const override { return gives_inverse(); }
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

  /// What is left of the lower triangle, from the operand as long as nothing of it was subtracted; beyond the
  /// last row there is an identity. Tiles on the diagonal are loaded as a whole, too, as nothing below it
  /// depends on what is above. At the end all is loaded from some place of the triangle before it is looked
  /// at, so that no load waits for another one.
  void load_left() {
    out_.line("const bool whole_tiles = max(top, bottom) + {} <= rows{};",
              {width, gives_inverse() ? " && !new_top && !new_bottom" : ""});
    out_.open("if (whole_tiles)");
    load_from_either("i", "j", sign());
    out_.close();
    out_.open("else");
    load_from_either("own_i", "own_j", "");
    open_share();
    if (gives_inverse())
      out_.line("const bool inside = i < rows && !(r < {} ? new_top : new_bottom);", {width});
    else
      out_.line("const bool inside = i < rows && i >= j;");
    out_.line("{} = inside ? {}{} : i == j ? {}1 : 0;", {own_sum(), sign(), own_sum(), sign()});
    close_share();
    out_.close();
  }
  void load_from_either(const char* i, const char* j, const char* sign) {
    const bool nearest = *i == 'o';
    out_.open("if (round <= 1 || round == inner_block || round == block)");
    open_share();
    if (nearest) nearest_place(false);
    const std::string text = element(0, i, j);
    out_.line("{} = {}{};", {own_sum(), sign, text});
    close_share();
    out_.close();
    out_.open("else");
    open_share();
    if (nearest) nearest_place(gives_inverse());
    out_.line("{} = {}p0[{} + {} * lead];", {own_sum(), sign, i, j});
    close_share();
    out_.close();
  }
  void nearest_place(bool padded) {
    out_.line("const long own_i = min(i, rows - 1), own_j = {};", {padded ? "j" : "min(j, own_i)"});
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
    const std::string end =
        gives_inverse() ? "(part == 0 ? top_end : part == 1 ? bottom_end : rows)" : "rows";
    out_.line("next[turn] = at < {} ? p1[at + (before + {} + k) * lead] : 0;", {end, done});
    out_.close();
  }

  /// From both tiles, of what the panel before has in their rows, the product with what it has in rows with
  /// the numbers of their columns.
  void subtract_panel_before() {
    out_.line("{} sums[{}][{}], next[{}];", {type(), own, own, share_of_slice()});
    load_left();
    out_.open("if (terms > 0)");
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
    out_.line("const long first_row = 0, first_col = 0, inner = terms;");
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
    out_.open("if (whole_tiles{})", {gives_inverse() ? "" : " && top > col_start"});
    open_share();
    out_.line("p0[i + j * lead] = {}{};", {sign(), own_sum()});
    close_share();
    out_.close();
    out_.open("else");
    open_share();
    out_.line("if (i < rows{}) p0[i + j * lead] = {}{};",
              {gives_inverse() ? "" : " && i >= j", sign(), own_sum()});
    close_share();
    out_.close();
    out_.close();
  }
};

}  // namespace cholesky_panels_walk
}  // namespace fusecl::kinds
