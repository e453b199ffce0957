#pragma once
// A tile of a product of matrices of double on the tensor cores of NVIDIA's GPUs, for products and for
// kernels that multiply in rounds.

#include <fusion/kinds/copied_tile.hpp>

namespace fusecl::kinds {
namespace tensor_product_walk {

using copied_tile::operand, copied_tile::threads, copied_tile::tile;

// Terms of a slice; a warp multiplies half of them at a time.
inline constexpr int depth = 8;
// Rows and columns that a warp multiplies with one instruction.
inline constexpr int unit_rows = 16, unit_cols = 8;

inline constexpr tile tiles[] = {{128, 128, 2, 4, depth, 3, 5, 73.5},
                                 {128, 64, 4, 2, depth, 4, 9, 37.5},
                                 {64, 64, 2, 2, depth, 4, 8, 18.8},
                                 {64, 32, 2, 2, depth, 4, 12, 10.7},
                                 // of groups with more local memory (H200, 2048: 297 us, 318 otherwise; 3000:
                                 // 937 and 1010; 1536: 134 and 139; four slices 307, 951, 135)
                                 {128, 128, 2, 4, depth, 6, 5, 73.5},
                                 {128, 64, 4, 2, depth, 6, 9, 37.5},
                                 {64, 64, 2, 2, depth, 6, 8, 18.8},
                                 {64, 32, 2, 2, depth, 6, 12, 10.7}};
// Of which these have longer rings, which take so many bytes.
inline constexpr std::size_t first_of_longer = 4;
inline constexpr std::int64_t longest_ring = 8 * depth * 6 * (128 + 128);

/// Writes the text of a tile that the tensor cores multiply.
template <class Base>
class tile_emitter : public copied_tile::emitter<Base> {
 public:
  using copied_tile::emitter<Base>::emitter;

 protected:
  using copied_tile::emitter<Base>::out_, copied_tile::emitter<Base>::tile_,
      copied_tile::emitter<Base>::copied_, copied_tile::emitter<Base>::each,
      copied_tile::emitter<Base>::each_unit, copied_tile::emitter<Base>::close_units,
      copied_tile::emitter<Base>::wait, copied_tile::emitter<Base>::copy_next,
      copied_tile::emitter<Base>::next_slice;

  int units_down() const override { return tile_.rows / tile_.warp_rows / unit_rows; }
  int units_across() const override { return tile_.cols / tile_.warp_cols / unit_cols; }
  std::string row_in_tile() const override { return text::fill("{} * u + q / 2 * 8 + down", {unit_rows}); }
  std::string col_in_tile() const override { return text::fill("{} * v + across * 2 + q % 2", {unit_cols}); }
  typename copied_tile::emitter<Base>::unit_lines lines_of_unit(bool rows) const override {
    if (rows) return {2, "q / 2", 2, "across", 4, 1};
    return {2, "q % 2", 1, "down", 8, 4};
  }
  std::string place_in_warp() const override { return "down = lane % 32 / 4, across = lane % 4"; }

  void define_multiplication() override { this->define_multiply_unit(); }

  /// A line has its terms side by side where these follow each other in memory, else a term its lines. Places
  /// are mixed by exclusive or, so that neither copies nor reads of a warp meet in a bank.
  std::string place_in_ring(const operand& o, const std::string& line,
                            const std::string& term) const override {
    return o.terms_together ? text::fill("{} * {} + ({} ^ ({} / 2 % 2 * 4))", {line, o.depth, term, line})
                            : text::fill("{} * {} + ({} ^ ({} % 4 * 4))", {term, o.stride(), line, term});
  }
  bool is_linear() const override { return false; }

  void prepare_reads() override {
    for (int k = 0; k < 2; ++k) prepare_reads_of(k);
    out_.line("double a[2][{}][2], b[2][{}];", {units_down(), units_across()});
  }
  /// Where a work-item reads in a slice. Lines 8 apart, and terms 4 apart, need an address of their own where
  /// the exclusive or reaches so far.
  void prepare_reads_of(int k) {
    const operand& o = copied_[k];
    const char* line = k == 0 ? "warp_row" : "warp_col";
    for (int other = 0; other < 2; ++other)
      if (o.terms_together)
        out_.line(
            "local const double* const {}_read{} = {}_ring + ({} + down) * {} + ((across + {}) ^ (down / 2 % "
            "2 * 4));",
            {o.name, other, o.name, line, o.depth, 4 * other});
      else
        out_.line(
            "local const double* const {}_read{} = {}_ring + across * {} + {} + ((down + {}) ^ (across * "
            "4));",
            {o.name, other, o.name, o.length, line, 8 * other});
  }

  /// Text of what a work-item reads of lines `8 * eighth` on, in half `half` of the slice in `slot`.
  std::string read(const operand& o, int half, const std::string& slot, const std::string& eighth,
                   int odd) const {
    if (o.terms_together)
      return text::fill("{}_read{}[{} * {} + {} * {}]", {o.name, half, slot, o.slice(), eighth, 8 * o.depth});
    return text::fill("{}_read{}[{} * {} + {} + {} * 8]",
                      {o.name, odd, slot, o.slice(), 4 * half * o.length, eighth});
  }

  void read_half(int half, const std::string& slot) {
    each("u", units_down());
    const operand& a = copied_[0];
    for (int odd = 0; odd < 2; ++odd) {
      const std::string eighth = a.terms_together ? text::fill("(2 * u + {})", {odd}) : "(2 * u)";
      out_.line("a[{}][u][{}] = {};", {half, odd, read(a, half, slot, eighth, odd)});
    }
    out_.close();
    const operand& b = copied_[1];
    for (int v = 0; v < units_across(); ++v)
      out_.line("b[{}][{}] = {};",
                {half, v, read(b, half, slot, text::fill("{}", {b.terms_together ? v : v / 2 * 2}), v % 2)});
  }

  void multiply(int half) {
    each_unit();
    out_.line("multiply_unit(sums[u][v], a[{}][u][0], a[{}][u][1], b[{}][v]);", {half, half, half});
    close_units();
  }

  // What is next is read before the running half is multiplied, so that the barrier costs nothing.

  void begin() override {
    wait();
    read_half(0, "0");
  }
  void go_on(bool whole) override {
    read_half(1, "from");
    copy_next(whole);
    multiply(0);
    wait();
    next_slice();
    read_half(0, "from");
    multiply(1);
  }
};

}  // namespace tensor_product_walk
}  // namespace fusecl::kinds
