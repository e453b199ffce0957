#pragma once
// Products of matrices of float on NVIDIA's GPUs, from slices that come by copies: each work-item multiplies
// vectors of four rows by columns.

#include <fusion/kinds/copied_product.hpp>

namespace fusecl::kinds {
namespace float_product_walk {

using copied_tile::operand, copied_tile::tile, schedule::geometry, schedule::launch_request, schedule::plan,
    schedule::step;

// Work-items of a warp side by side down and across its part of a tile, and the rows and columns of each that
// are neighbours: reads of a warp are then of one line of banks each.
inline constexpr int lanes_down = 8, lanes_across = 4, together = 4;
// Elements by which terms are apart in the ring besides their lines, where copies of a line's terms would
// meet in a bank.
inline constexpr int padding = 4;

inline constexpr tile tiles[] = {{128, 128, 2, 4, 8, 4, 17, 87},
                                 {128, 64, 2, 2, 16, 3, 20, 43.5},
                                 {64, 64, 2, 2, 16, 4, 17, 24},
                                 {64, 32, 2, 2, 16, 4, 15, 15.7}};

FUSECL_INLINE bool takes(const plan& p, const step& s) {
  return copied_product::takes(p, s, scalar_type::float32);
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  return copied_product::shape(r, r.device.async_copies, tiles, 2 * padding);
}

/// Writes the text of a tile that work-items multiply.
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

  void place_operand(operand& o) const override {
    if (!o.terms_together) return;
    o.pair = 1;
    o.padding = padding;
  }
  // A unit is four rows of a column.
  int units_down() const override { return tile_.rows / tile_.warp_rows / (lanes_down * together); }
  int units_across() const override { return tile_.cols / tile_.warp_cols / lanes_across; }
  std::string row_in_tile() const override {
    return text::fill("u * {} + down * {} + q", {lanes_down * together, together});
  }
  std::string col_in_tile() const override {
    return text::fill("v / {} * {} + across * {} + v % {}",
                      {together, lanes_across * together, together, together});
  }
  typename copied_tile::emitter<Base>::unit_lines lines_of_unit(bool rows) const override {
    if (rows) return {together, "q", 1, "across", lanes_across, lanes_down};
    return {1, "0", 1, "down", lanes_down, 1};
  }
  std::string place_in_warp() const override {
    return text::fill("down = lane % {}, across = lane % 32 / {}", {lanes_down, lanes_down});
  }

  /// A term has its lines side by side.
  std::string place_in_ring(const operand& o, const std::string& line,
                            const std::string& term) const override {
    return text::fill("{} * {} + {}", {term, o.stride(), line});
  }
  bool is_linear() const override { return true; }

  void prepare_reads() override {
    out_.line("local const float* const a_read = a_ring + warp_row + down * {};", {together});
    out_.line("local const float* const b_read = b_ring + warp_col + across * {};", {together});
  }

  void go_on(bool whole) override {
    wait();
    copy_next(whole);
    each("term", tile_.depth);
    out_.line("float a[{}][4], b[{}];", {units_down(), units_across()});
    const auto read = [&](const operand& o, int apart) {
      return text::fill("*(local const float4*)({}_read + from * {} + term * {} + u * {})",
                        {o.name, o.slice(), o.stride(), apart});
    };
    each("u", units_down());
    out_.line("vstore4({}, 0, a[u]);", {read(copied_[0], lanes_down * together)});
    out_.close();
    each("u", units_across() / together);
    out_.line("vstore4({}, u, b);", {read(copied_[1], lanes_across * together)});
    out_.close();
    each_unit();
    each("q", 4);
    out_.line("sums[u][v][q] = {};", {this->multiply_add("a[u][q]", "b[v]", "sums[u][v][q]")});
    out_.close();
    close_units();
    out_.close();
    next_slice();
  }
};

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) {
  return copied_product::emitter<tile_emitter<product_emitter>>(r, tiles[r.shape.kernel.choices[0]]).run();
}

}  // namespace float_product_walk

inline constexpr step_kind product_of_floats{
    kind_order::product_of_floats,
    "float_product",
    "a product of matrices, by tiles from slices copied ahead to local memory",
    float_product_walk::takes,
    float_product_walk::shape,
    float_product_walk::emit,
    flops_of_product};

}  // namespace fusecl::kinds
