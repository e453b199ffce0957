#pragma once
// Texts of eliminations of a Cholesky factor: on a GPU each work-item has a row in registers, on a CPU the
// matrix is in memory and columns are gone through in vectors.

#include <string>

#include <fusion/codegen/writer.hpp>

namespace fusecl::kinds {

/// What surrounds an elimination on a GPU, whose row is the array `row`.
struct row_elimination {
  std::string type;
  int width;          ///< columns
  bool unrolled;      ///< whether arrays are in registers
  const char* pair;   ///< two elements of each row of the triangle for the buffer `k / 2 % 2`
  const char* tell;   ///< what stores `({}2)(row[k], row[k + 1])` where others read it: "if (...) both[...]"
  const char* first;  ///< condition for the work-item that stores the pivots
  const char* roots;  ///< where it stores them, by column
  /// Whether all columns have as many rounds: compilers that unroll inner loops first keep arrays in
  /// registers then, at the price of longer texts on the way.
  bool same_rounds = false;
  const char* inverse =
      nullptr;  ///< that of a pivot, in terms of {}; else 1 / {}, NaN where it is not positive
};

/// Without a root on the way: with p and t the pivots, b what is below the first one in the second one's row
/// and x, y what another column has in theirs, a row changes by its elements times x / p and (y - x b / p) /
/// t.
inline void eliminate_by_rows(codegen::writer& out, const row_elimination& e) {
  const auto unroll = [&] {
    if (e.unrolled) out.raw("#pragma unroll\n");
  };
  const std::string pair = e.type + "2";
  const auto inverse = [&](const char* pivot) {
    return e.inverse ? codegen::fill(e.inverse, {pivot})
                     : codegen::fill("{} > 0 ? 1 / {} : ({})(NAN)", {pivot, pivot, e.type});
  };
  unroll();
  out.open("for (uint k = 0; k < {}; k += 2)", {e.width});
  out.line("local {}* both = {};", {pair, e.pair});
  out.line("{} = ({})(row[k], row[k + 1]);", {e.tell, pair});
  out.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out.line("const {} pivot = both[k].x, below = both[k + 1].x;", {e.type});
  out.line("const {} inverse = {}, factor = below * inverse;", {e.type, inverse("pivot")});
  out.line("const {} second_pivot = fma(-below, factor, both[k + 1].y);", {e.type});
  out.line("const {} second_inverse = {};", {e.type, inverse("second_pivot")});
  out.line("const {} scaled = row[k] * inverse, changed = fma(-scaled, below, row[k + 1]);", {e.type});
  out.line("const {} second = changed * second_inverse, share = fma(-second, factor, scaled);", {e.type});
  out.line("row[k + 1] = changed;");
  unroll();
  out.line("for (uint c = {}; c < {}; ++c)", {e.same_rounds ? "2" : "k + 2", e.width});
  out.line("  {}row[c] = fma(-share, both[c].x, fma(-second, both[c].y, row[c]));",
           {e.same_rounds ? "if (c > k + 1) " : ""});
  out.open("if ({})", {e.first});
  out.line("{}[k] = pivot;", {e.roots});
  out.line("{}[k + 1] = second_pivot;", {e.roots});
  out.close();
  out.close();
}

/// In the place of `d`, whose columns are `size` long in memory of this kind, in whole vectors: what they
/// hold above the diagonal is anything. `note` writes what is done with each `pivot`, number k; the array
/// `scales` gets the inverses of the diagonal.
template <class Note>
void eliminate_in_vectors(codegen::writer& out, scalar_type type, int lanes, int size, const char* memory,
                          Note note) {
  const std::string vector = codegen::vector_type(type, lanes), element = std::string(opencl_name(type));
  const auto loaded = [&](const char* at) {
    return lanes > 1 ? codegen::fill("vload{}(0, {})", {lanes, at}) : codegen::fill("*({})", {at});
  };
  const auto stored = [&](const std::string& value, const char* at) {
    return lanes > 1 ? codegen::fill("vstore{}({}, 0, {})", {lanes, value, at})
                     : codegen::fill("*({}) = {}", {at, value});
  };
  out.open("for (int k = 0; k < {}; ++k)", {size});
  out.line("const {} pivot = d[k + k * {}];", {element, size});
  note();
  out.line("const {} root = pivot > 0 ? sqrt(pivot) : ({})(NAN), scale = 1 / root;", {element, element});
  out.line("scales[k] = scale;");
  out.line("{}{}* column = d + k * {};", {memory, element, size});
  out.open("for (int r = k / {} * {}; r < {}; r += {})", {lanes, lanes, size, lanes});
  out.line("{};", {stored(codegen::fill("{} * ({})(scale)", {loaded("column + r"), vector}), "column + r")});
  out.close();
  out.line("column[k] = root;");
  out.open("for (int q = k + 1; q < {}; ++q)", {size});
  out.line("const {} factor = ({})(-column[q]);", {vector, vector});
  out.line("{}{}* changed = d + q * {};", {memory, element, size});
  out.open("for (int r = q / {} * {}; r < {}; r += {})", {lanes, lanes, size, lanes});
  const std::string less =
      codegen::fill("fma({}, factor, {})", {loaded("column + r"), loaded("changed + r")});
  out.line("{};", {stored(less, "changed + r")});
  out.close();
  out.close();
  out.close();
}

}  // namespace fusecl::kinds
