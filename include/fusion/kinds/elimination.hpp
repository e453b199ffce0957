#pragma once
// Texts of eliminations of a Cholesky factor: on a GPU each work-item has a row in registers, or some columns
// of some rows, on a CPU the matrix is in memory and columns are gone through in vectors.

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
};

/// Columns `k` and the one after it of the triangle are in `both`: their pivots, whose inverses are NaN where
/// they are not positive. `inverse`: a text for that of {}.
inline void declare_pivots(codegen::writer& out, const std::string& type, const char* inverse) {
  const auto inverse_of = [&](const char* pivot) {
    return inverse ? codegen::fill(inverse, {pivot})
                   : codegen::fill("{} > 0 ? 1 / {} : ({})(NAN)", {pivot, pivot, type});
  };
  out.line("const {} pivot = both[k].x, below = both[k + 1].x;", {type});
  out.line("const {} inverse = {}, factor = below * inverse;", {type, inverse_of("pivot")});
  out.line("const {} second_pivot = fma(-below, factor, both[k + 1].y);", {type});
  out.line("const {} second_inverse = {};", {type, inverse_of("second_pivot")});
}
inline void store_pivots(codegen::writer& out, const char* pivots) {
  out.line("{}[k] = pivot;", {pivots});
  out.line("{}[k + 1] = second_pivot;", {pivots});
}

/// Without a root on the way: with p and t the pivots, b what is below the first one in the second one's row
/// and x, y what another column has in theirs, a row changes by its elements times x / p and (y - x b / p) /
/// t.
inline void eliminate_by_rows(codegen::writer& out, const row_elimination& e) {
  const auto unroll = [&] {
    if (e.unrolled) out.raw("#pragma unroll\n");
  };
  const std::string pair = e.type + "2";
  unroll();
  out.open("for (uint k = 0; k < {}; k += 2)", {e.width});
  out.line("local {}* both = {};", {pair, e.pair});
  out.line("{} = ({})(row[k], row[k + 1]);", {e.tell, pair});
  out.line("barrier(CLK_LOCAL_MEM_FENCE);");
  declare_pivots(out, e.type, nullptr);
  out.line("const {} scaled = row[k] * inverse, changed = fma(-scaled, below, row[k + 1]);", {e.type});
  out.line("const {} second = changed * second_inverse, share = fma(-second, factor, scaled);", {e.type});
  out.line("row[k + 1] = changed;");
  unroll();
  out.line("for (uint c = {}; c < {}; ++c)", {e.same_rounds ? "2" : "k + 2", e.width});
  out.line("  {}row[c] = fma(-share, both[c].x, fma(-second, both[c].y, row[c]));",
           {e.same_rounds ? "if (c > k + 1) " : ""});
  out.open("if ({})", {e.first});
  store_pivots(out, e.roots);
  out.close();
  out.close();
}

/// What surrounds an elimination by work-items that have some columns of some rows: in `row[s][m]` of row
/// `side + sides * s` the elements of two columns, the first of which is `2 * (m * parts + part)`.
struct tile_elimination {
  std::string type;
  int width;            ///< columns
  int own_rows;         ///< of a work-item
  int sides, parts;     ///< work-items down a column, and along a row
  bool unrolled;        ///< whether arrays are in registers
  const char* inverse;  ///< that of a pivot, in terms of {}, NaN where it is not positive; or none
};

/// Text of a function that eliminates one pair of columns of each part, by the same formulas. What a
/// work-item reads of a column it uses for several rows, as reading is what takes time. Columns that follow a
/// pivot which is not positive become NaN, so that this shows in the last pivot.
inline std::string function_of_elimination(const tile_elimination& e) {
  codegen::writer out;
  const char* const unrolled = e.unrolled ? "#pragma unroll\n" : "";
  const std::string pair = e.type + "2";
  const int pairs = e.width / (2 * e.parts);
  out.open(
      "static inline __attribute__((always_inline)) void eliminate({} (*row)[{}], local {} (*pairs)[{}], "
      "local {}* pivots, uint own, uint side, uint part)",
      {pair, pairs, pair, e.sides * e.own_rows, e.type});
  out.open_loop("t", "0", e.parts, e.unrolled ? "#pragma unroll 1\n" : "");
  out.line("const uint k = 2 * (own * {} + t);", {e.parts});
  out.line("local {}* both = pairs[t % 2];", {pair});
  out.open_loop("s", "0", e.own_rows, unrolled);
  out.line("if (part == t) both[side + {} * s] = row[s][own];", {e.sides});
  out.close();
  out.line("barrier(CLK_LOCAL_MEM_FENCE);");
  declare_pivots(out, e.type, e.inverse);
  out.line("{} shares[{}], seconds[{}];", {pair, e.own_rows, e.own_rows});
  out.open_loop("s", "0", e.own_rows, unrolled);
  out.line("const {} mine = both[side + {} * s];", {pair, e.sides});
  out.line("const {} scaled = mine.x * inverse, changed = fma(-scaled, below, mine.y);", {e.type});
  out.line("const {} second = changed * second_inverse;", {e.type});
  out.line("seconds[s] = -second;");
  out.line("shares[s] = -fma(-second, factor, scaled);");
  out.line("if (part == t) row[s][own].y = changed;");
  out.close();
  out.open_loop("m", "own", pairs, unrolled);
  out.open("if (m > own || part > t)");
  out.line("local const {}* const columns = both + 2 * (m * {} + part);", {pair, e.parts});
  out.line("const {} x = ({})(columns[0].x, columns[1].x), y = ({})(columns[0].y, columns[1].y);",
           {pair, pair, pair});
  out.open_loop("s", "0", e.own_rows, unrolled);
  out.line("row[s][m] = fma(shares[s], x, fma(seconds[s], y, row[s][m]));");
  out.close();
  out.close();
  out.close();
  out.open("if (part == 0 && side == 0)");
  store_pivots(out, "pivots");
  out.close();
  out.close();
  out.close();
  return out.text() + "\n";
}
/// Its calls. Each is written out where arrays are in registers, as compilers unroll loops of loops in part.
inline void eliminate_by_tiles(codegen::writer& out, const tile_elimination& e) {
  const int pairs = e.width / (2 * e.parts);
  if (!e.unrolled) out.line("for (uint own = 0; own < {}; ++own)", {pairs});
  for (int own = 0; own < (e.unrolled ? pairs : 1); ++own)
    out.line("{}eliminate(row, pairs, pivots, {}, side, part);",
             {e.unrolled ? "" : "  ", e.unrolled ? codegen::fill("{}", {own}) : "own"});
}

/// In the place of `d`, whose columns are `size` long in memory of this kind, in whole vectors: what they
/// hold above the diagonal is anything. `note` writes what is done with each `pivot`, number k; the array
/// `scales` gets the inverses of the diagonal.
template <class Note>
void eliminate_in_vectors(codegen::writer& out, scalar_type type, int lanes, int size, const char* memory,
                          Note note) {
  const std::string vector = codegen::vector_type(type, lanes), element = std::string(opencl_name(type));
  const auto loaded = [&](const char* at) { return codegen::vector_at(lanes, at); };
  const auto stored = [&](const std::string& value, const char* at) {
    return codegen::store_vector(lanes, value, at);
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
