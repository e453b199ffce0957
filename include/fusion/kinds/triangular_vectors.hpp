#pragma once
// The rounds of a triangular system by blocks where it has few right-hand sides: a block of the triangle, or
// its inverse, times a vector of each. Most of their time is reading the triangle.

#include <string>

#include <fusion/kinds/inverted_tiles.hpp>
#include <fusion/kinds/tensor_tile.hpp>

namespace fusecl::kinds {
namespace triangular_blocks_walk {

namespace tensor = tensor_product_walk;

// Rows of a vector that a group computes.
inline constexpr std::int64_t rows_of_vector = 16;

// The parts of the workspace: inverses of blocks, one below the other; what L21 inverse(L11) is halfway; the
// triangle; of a system what is left of the right-hand sides, and the solution.
enum parts_of_blocks { inverses, halves, triangle, left_over, solution };

class vector_emitter : public tensor::tile_emitter<inverting_emitter> {
 public:
  using tile_emitter::tile_emitter;

 protected:
  /// A round: work-items side by side in memory share the terms of a row.
  void multiply_vector() {
    const bool turned = lies_along_rows(0);
    const std::int64_t slots = shape_.local / rows_of_vector;
    out_.line("// rows of a block times a vector");
    out_.line("local {} sums_of_slots[{}];", {type(), slots * (rows_of_vector + 1)});
    out_.line("const long top = doubling ? 0 : (long)((round - 1) / 2 - levels) * block;");
    out_.line(
        "const long row_end = even ? lead : min(top + block, lead), begin_row = even ? top + block : top;");
    out_.line("const long row_tiles_of_side = max(1L, (row_end - begin_row + {}) / {});",
              {rows_of_vector - 1, rows_of_vector});
    out_.line("const long own_side_col = group / row_tiles_of_side;");
    if (turned)
      out_.line("const uint r = even ? lane / {} : lane % {}, slot = even ? lane % {} : lane / {};",
                {slots, rows_of_vector, slots, rows_of_vector});
    else
      out_.line("const uint r = lane % {}, slot = lane / {};", {rows_of_vector, rows_of_vector});
    out_.line("const long row = begin_row + group % row_tiles_of_side * {} + r;", {rows_of_vector});
    out_.line("const long terms_of_row = doubling || row >= row_end ? 0 : even ? block : row - top + 1;");
    out_.line("global const {}* vector = (even ? p{} : p{}) + top + own_side_col * lead;",
              {type(), int{solution}, int{left_over}});
    out_.line("{} sum = 0;", {type()});
    out_.open("if (even)");
    out_.raw("#pragma unroll 8\n");
    out_.open("for (long term = slot; term < terms_of_row; term += {})", {slots});
    out_.line("const long col = top + term;");
    out_.line("{} value = 0;", {type()});
    out_.open("if (row < rows)");
    const std::string text = operand_element(0, "rows", "rows", true);
    out_.line("value = {};", {text});
    out_.close();
    out_.line("sum = fma(value, vector[term], sum);");
    out_.close();
    out_.close();
    out_.open("else");
    out_.raw("#pragma unroll 8\n");
    out_.line("for (long term = slot; term < terms_of_row; term += {})", {slots});
    out_.line("  sum = fma(p{}[row + term * lead], vector[term], sum);", {int{inverses}});
    out_.close();
    out_.line("sums_of_slots[r + slot * {}] = sum;", {rows_of_vector + 1});
    barrier();
    out_.line("const long own_row = begin_row + group % row_tiles_of_side * {} + lane;", {rows_of_vector});
    out_.open("if (!doubling && lane < {} && own_row < row_end)", {rows_of_vector});
    out_.line("{} all_slots = 0;", {type()});
    out_.line("for (uint k = 0; k < {}; ++k) all_slots += sums_of_slots[lane + k * {}];",
              {slots, rows_of_vector + 1});
    out_.line("const long at = own_row + own_side_col * lead;");
    out_.open("if (even)");
    out_.line("p{}[at] -= all_slots;", {int{left_over}});
    out_.close();
    out_.open("else");
    out_.line("p{}[at] = all_slots;", {int{solution}});
    out_.close();
    out_.close();
  }
};

}  // namespace triangular_blocks_walk
}  // namespace fusecl::kinds
