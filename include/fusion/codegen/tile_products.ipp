#pragma once
// Row tiles of which tensor cores multiply the matrix: by rows for the predictors, and by columns for sums of
// what follows from them. The tile is in local memory, a column after the other, with zeros up to whole
// fragments; in between one work-item has a row. Of the predictors a warp has some of the columns' terms for
// 16 rows, and keeps its coefficients in registers, unless the group has them in local memory; of the sums it
// has every so many tiles of 16 columns. Rows of a column are mixed by exclusive or with four times the
// column, so that the 16 elements that half a warp reads are in banks of their own.

#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/codegen/tile_emitter.hpp>

namespace fusecl::codegen::detail {

FUSECL_INLINE schedule::product_tile tile_emitter::shape_of_products() const {
  return {static_cast<int>(shape_.local), v_.tile.rows, v_.tile.slots, static_cast<int>(joined_.along.size()),
          static_cast<int>(joined_.given.size())};
}

/// Where the k-th value of a row is: a part of a predictor, or in part 0 what rows give.
FUSECL_INLINE std::string tile_emitter::product_value(const char* part, std::size_t k,
                                                      const char* row) const {
  const schedule::product_tile p = shape_of_products();
  const std::string first = fill("{} + {}", {k * static_cast<std::size_t>(p.stride()), row});
  if (*part == '0') return fill("row_values[{}]", {first});
  return fill("row_values[{} * {} + {}]", {part, p.values() * p.stride(), first});
}

FUSECL_INLINE std::string tile_emitter::name_of_matrix() const {
  return fill("x{}", {g_[products_.matrix].index});
}

FUSECL_INLINE void tile_emitter::define_instructions() {
  define_multiply_unit();
  define_copy("copy", "void", v_.tile.pairs ? 16 : 8);
  define_instruction("wait_for_copies()", "\"cp.async.wait_all;\" ::: \"memory\"");
  helpers_ += "\n";
}

FUSECL_INLINE void tile_emitter::declare_products() {
  const schedule::product_tile p = shape_of_products();
  out_.line("local double x_tile[{}] __attribute__((aligned(16)));", {p.tile_elements()});
  out_.line("local double row_values[{}];", {p.value_elements()});
  out_.line("const uint lane = get_local_id(0), warp = lane / 32, down = lane % 32 / 4, across = lane % 4;");
  out_.line("const uint own_rows = warp % {} * 16, part = warp / {};", {p.row_groups(), p.row_groups()});
  out_.line("// columns behind the matrix; one of ones adds up what rows give");
  out_.line("for (uint k = cols0 * {} + lane; k < {}; k += {}) x_tile[k] = k < (cols0 + 1) * {} ? 1 : 0;",
            {p.rows, p.columns() * p.rows, shape_.local, p.rows});
}

/// The coefficients that a work-item multiplies, zero behind the last column and the last predictor.
FUSECL_INLINE void tile_emitter::take_coefficients(const value_emitter& around) {
  const schedule::product_tile p = shape_of_products();
  const auto take = [&](int k, const std::string& to) {
    value_emitter own = around;
    access how = tile_access(1, "(int)j");
    how.row = "0";
    own.begin(how);
    out_.line("{} = {};", {to, own.value(out_, products_.coefficients[static_cast<std::size_t>(k)])});
  };
  if (v_.tile.shares_coefficients) {
    out_.line("local double coefficients[{}];", {p.coefficient_elements()});
    out_.line("for (uint k = cols0 * {} + lane; k < {}; k += {}) coefficients[k] = 0;",
              {p.predictors, p.coefficient_elements(), shape_.local});
    out_.open("for (uint j = lane; j < cols0; j += {})", {shape_.local});
    for (int k = 0; k < p.predictors; ++k) {
      out_.open();
      take(k, fill("coefficients[j * {} + {}]", {p.predictors, k}));
      out_.close();
    }
    out_.close();
    out_.line("local const double* const own_coefficients = coefficients + (part * {} + across) * {} + down;",
              {4 * p.steps(), p.predictors});
    return;
  }
  out_.line("double coefficients[{}][{}];", {p.steps(), p.predictor_tiles()});
  out_.raw("#pragma unroll\n");
  out_.open("for (int s = 0; s < {}; ++s)", {p.steps()});
  out_.line("const uint j = (part * {} + s) * 4 + across;", {p.steps()});
  for (int n = 0; n < p.predictor_tiles(); ++n) out_.line("coefficients[s][{}] = 0;", {n});
  out_.open("if (j < cols0)");
  for (int k = 0; k < p.predictors; ++k) {
    out_.open("if (down == {})", {k % 8});
    take(k, fill("coefficients[s][{}]", {k / 8}));
    out_.close();
  }
  out_.close();
  out_.close();
}

/// Text of the coefficient of step `s` that a work-item has of the n-th tile of predictors.
FUSECL_INLINE std::string tile_emitter::own_coefficient(int n) const {
  if (!v_.tile.shares_coefficients) return fill("coefficients[s][{}]", {n});
  return fill("own_coefficients[s * {} + {}]", {4 * shape_of_products().predictors, 8 * n});
}

/// Copies the rows of the tile, zeros behind the last one: a work-item those of every so many columns.
FUSECL_INLINE void tile_emitter::copy_tile() {
  const schedule::product_tile p = shape_of_products();
  const int elements = v_.tile.pairs ? 2 : 1, each = p.rows / elements;
  const int at_once = static_cast<int>(shape_.local) / each;  // there are as many work-items at least
  out_.open();
  out_.line("const uint row = lane % {}{};", {each, elements == 2 ? " * 2" : ""});
  out_.line("const int bytes = start + row < rows ? {} : 0;", {8 * elements});
  out_.line("global const double* from = {} + min(start + row, rows - {}) + (lane / {}) * rows;",
            {name_of_matrix(), elements, each});
  out_.raw("#pragma unroll 4\n");
  out_.open("for (uint j = lane / {}; j < cols0; j += {})", {each, at_once});
  out_.line("copy((uint)(ulong)(x_tile + (j * {} + (row ^ (j % 4 * 4)))), from, bytes);", {p.rows});
  out_.line("from += rows * {};", {at_once});
  out_.close();
  out_.close();
}

/// Predictors of the warp's rows, in parts by columns. Rows beyond 16 a warp are others in between, with the
/// same coefficients.
FUSECL_INLINE void tile_emitter::multiply_rows() {
  const schedule::product_tile p = shape_of_products();
  const auto round = [&](int r) { return p.rounds() == 1 ? std::string() : fill("[{}]", {r}); };
  const auto row_of = [&](int r, int half) { return r * p.row_groups() * 16 + half * 8; };
  const auto place = [&](int r, int half) {
    return fill("mixed{}{}", {half, r == 0 ? std::string() : fill(" + {}", {row_of(r, 0)})});
  };
  out_.open();
  out_.line("double along{}[{}][4] = {{0}};", {round(p.rounds()), p.predictor_tiles()});
  out_.line("const uint mixed0 = own_rows + (down ^ (across * 4)), mixed1 = mixed0 ^ 8;");
  out_.raw("#pragma unroll\n");
  out_.open("for (int s = 0; s < {}; ++s)", {p.steps()});
  out_.line("local const double* const from = x_tile + ((part * {} + s) * 4 + across) * {};",
            {p.steps(), p.rows});
  for (int n = 0; n < p.predictor_tiles(); ++n) out_.line("const double b{} = {};", {n, own_coefficient(n)});
  for (int r = 0; r < p.rounds(); ++r) {
    const std::string number = p.rounds() == 1 ? "" : std::to_string(r) + "_";
    out_.line("const double a{}0 = from[{}], a{}1 = from[{}];", {number, place(r, 0), number, place(r, 1)});
    for (int n = 0; n < p.predictor_tiles(); ++n)
      out_.line("multiply_unit(along{}[{}], a{}0, a{}1, b{});", {round(r), n, number, number, n});
  }
  out_.close();
  for (int r = 0; r < p.rounds(); ++r)
    for (int n = 0; n < p.predictor_tiles(); ++n)
      for (int q = 0; q < 4; ++q) {
        const int least = 8 * n + q % 2;  // of the predictors that work-items have
        const std::string some = least + 6 < p.predictors
                                     ? std::string()
                                     : fill("if ({} + across * 2 < {}) ", {least, p.predictors});
        out_.line(
            "{}row_values[(part * {} + {} + across * 2) * {} + own_rows + down + {}] = along{}[{}][{}];",
            {some, p.values(), least, p.stride(), row_of(r, q / 2), round(r), n, q});
      }
  out_.close();
}

/// Adds the products of all rows of the tile to the sums of the warp's columns.
FUSECL_INLINE void tile_emitter::multiply_columns() {
  const schedule::product_tile p = shape_of_products();
  out_.raw("#pragma unroll 4\n");
  out_.open("for (uint s = 0; s < {}; ++s)", {p.rows / 4});
  out_.line("const uint row = s * 4 + across;");
  for (int n = 0; n < p.given_tiles(); ++n)
    out_.line("const double b{} = row_values[({} + down) * {} + row];", {n, 8 * n, p.stride()});
  out_.raw("#pragma unroll\n");
  out_.open("for (int m = 0; m < {}; ++m)", {p.own_tiles()});
  out_.line("const uint own = warp + m * {};", {p.warps()});
  out_.open("if (own < {})", {p.column_tiles});
  out_.line("local const double* const from = x_tile + ((own * 16 + down) * {} + (row ^ (down % 4 * 4)));",
            {p.rows});
  out_.line("const double a0 = from[0], a1 = from[{}];", {8 * p.rows});
  for (int n = 0; n < p.given_tiles(); ++n) out_.line("multiply_unit(columns[m][{}], a0, a1, b{});", {n, n});
  out_.close();
  out_.close();
  out_.close();
}

/// Leaves the sums of columns as this group's part, and gives those of rows alone to accumulators.
FUSECL_INLINE void tile_emitter::leave_products() {
  const schedule::product_tile p = shape_of_products();
  out_.raw("#pragma unroll\n");
  out_.open("for (int m = 0; m < {}; ++m)", {p.own_tiles()});
  out_.raw("#pragma unroll\n");
  out_.open("for (int h = 0; h < 2; ++h)");
  out_.line("const uint j = (warp + m * {}) * 16 + h * 8 + down;", {p.warps()});
  const auto value = [&](std::size_t factor) {
    return fill("columns[m][{}][h * 2 + {}]", {factor / 8, factor % 2});
  };
  for (std::size_t k = 0; k < products_.sums.size(); ++k) {
    const auto factor = static_cast<std::size_t>(
        std::find(joined_.given.begin(), joined_.given.end(), products_.factors[k]) - joined_.given.begin());
    out_.line("if (across == {} && j < cols0) p{}[j + get_group_id(0) * cols0] = {};",
              {factor % 8 / 2, number_of_reduction(products_.sums[k]), value(factor)});
  }
  for (std::size_t k = 0; k < sums_of_rows_.size(); ++k)
    out_.line("if (across == {} && j == cols0) a{} = {};",
              {k % 8 / 2, number_of_reduction(sums_of_rows_[k]), value(k)});
  out_.close();
  out_.close();
}

FUSECL_INLINE void tile_emitter::walk_products() {
  add_size("rows");
  add_size("tiles");
  add_extent_arguments();
  find_alone();
  find_sums_of_rows();
  define_instructions();
  declare_products();
  const schedule::product_tile p = shape_of_products();
  value_emitter values = emitter_of_part(false);
  values.uniforms(out_);
  take_coefficients(values);
  declare_sums();
  out_.line("double columns[{}][{}][4] = {{{0}}};", {p.own_tiles(), p.given_tiles()});
  add_alone_apart();
  out_.line("uint turn = 0;");
  out_.open("for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0))");
  out_.line("const long start = tile * {};", {p.rows});
  copy_tile();
  bring_tile();
  out_.line("wait_for_copies();");
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  multiply_rows();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line("// one warp after the other has the rows: each runs on its own part of a multiprocessor");
  out_.line("const uint own_row = (lane + turn) % {};", {shape_.local});
  out_.open("if (own_row < {} && start + own_row < rows)", {p.rows});
  out_.line("const long i = start + own_row;");
  complete_rows();
  out_.close();
  out_.open("else if (own_row < {})", {p.rows});
  for (std::size_t k = 0; k < joined_.given.size(); ++k) out_.line("{} = 0;", {given(k, "own_row")});
  out_.close();
  out_.line("turn += 32;");
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  multiply_columns();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.close();
  leave_products();
  finish_sums();
}

}  // namespace fusecl::codegen::detail
