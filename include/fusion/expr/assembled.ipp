#pragma once
#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/expr/assembled.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_appended(const char* function, bool by_rows, std::int64_t a_rows,
                                  std::int64_t a_cols, std::int64_t b_rows, std::int64_t b_cols) {
  const char* names[] = {"a", "b"};
  const std::int64_t counts[] = {by_rows ? a_rows : a_cols, by_rows ? b_rows : b_cols};
  for (int k = 0; k < 2; ++k)
    if (counts[k] < 0)
      throw std::invalid_argument(text::fill("{}: {} of {} are not determined by the expression",
                                             {function, by_rows ? "rows" : "columns", names[k]}));
  const std::int64_t a = by_rows ? a_cols : a_rows, b = by_rows ? b_cols : b_rows;
  if (a == b || a < 0 || b < 0) return;
  throw std::invalid_argument(
      text::fill("{}: {} of a ({} x {}) and b ({} x {}) must match in size{}{}",
                 {function, by_rows ? "columns" : "rows", a_rows, a_cols, b_rows, b_cols,
                  hint_of_nothing(a_rows, a_cols), hint_of_nothing(b_rows, b_cols)}));
}

FUSECL_INLINE std::int64_t appended_size(bool by_rows, std::int64_t a, std::int64_t b) {
  std::int64_t both = 0;
  if (!__builtin_add_overflow(a, b, &both)) return both;
  throw std::length_error(
      text::fill("{}: {} {} and {} are too many together",
                 {by_rows ? "append_row" : "append_col", a, by_rows ? "rows" : "columns", b}));
}

FUSECL_INLINE void check_fits_diagonal(std::int64_t rows, std::int64_t cols, std::int64_t matrix_rows,
                                       std::int64_t matrix_cols) {
  const std::int64_t wanted = std::min(matrix_rows, matrix_cols);
  if ((rows == 1 && cols == wanted) || (cols == 1 && rows == wanted)) return;
  throw std::invalid_argument(
      text::fill("add_diag: a ({} x {}) must be a vector of {} elements, as many as the diagonal of m "
                 "({} x {}) has",
                 {rows, cols, wanted, matrix_rows, matrix_cols}));
}

FUSECL_INLINE void check_element_for_each(const char* function, std::int64_t elements, std::int64_t lines,
                                          const char* line) {
  if (elements >= 0 && lines >= 0 && elements != lines)
    throw std::invalid_argument(
        text::fill("{}: the vector has {} elements, the matrix {} {}s: there must be one for each",
                   {function, elements, lines, line}));
}

FUSECL_INLINE void check_square(const char* function, std::int64_t rows, std::int64_t cols) {
  if (rows != cols || rows < 0)
    throw std::invalid_argument(text::fill("{}: a ({} x {}) must be square", {function, rows, cols}));
}

FUSECL_INLINE std::vector<int> sizes_as_int(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (rows > most || cols > most)
    throw std::length_error(text::fill("dims: a ({} x {}) is larger than an int says", {rows, cols}));
  return {static_cast<int>(rows), static_cast<int>(cols)};
}

FUSECL_INLINE ir::node_id lower_appended(ir::graph& g, bool by_rows, ir::node_id a, ir::node_id b,
                                         ir::extent size, ir::extent parts) {
  const ir::node first = g[a], second = g[b];
  const ir::extent rows = size, cols = size + 1;
  g.unify(by_rows ? cols : rows, by_rows ? first.cols : first.rows);
  g.unify(by_rows ? cols : rows, by_rows ? second.cols : second.rows);
  g.unify(parts, by_rows ? first.rows : first.cols);
  g.unify(parts + 1, by_rows ? second.rows : second.cols);
  ir::access_map before, behind;
  behind.from_diagonal = ir::diagonal_from::anywhere;
  (by_rows ? before.row_limit : before.col_limit) = parts;
  (by_rows ? behind.row_limit : behind.col_limit) = parts + 1;
  (by_rows ? behind.row0 : behind.col0) = {parts, -1, 0};
  const auto put = [&](const ir::access_map& map, ir::node_id id) {
    return g.access(op::access::record(), map, id, rows, cols);
  };
  const ir::node_id yes = put(before, g.constant(scalar_type::boolean, 1));
  const ir::node_id operands[] = {yes, put(before, a), put(behind, b)};
  return g.apply(op::select::record(), operands);
}

FUSECL_INLINE ir::node_id lower_on_diagonal(ir::graph& g, ir::node_id a, ir::extent size) {
  const ir::node from = g[a];
  ir::access_map map;  // column i - j of the operand, which has column 0 only
  map.col_by_i = 1;
  map.col_by_j = -1;
  map.row_limit = from.rows;
  map.col_limit = from.cols;
  map.from_diagonal = ir::diagonal_from::anywhere;
  return g.access(op::access::record(), map, a, size, size + 1);
}

FUSECL_INLINE ir::node_id lower_column(ir::graph& g, ir::node_id a, std::uint32_t word) {
  if (word & turned_vector) return lower_transposed(g, a, word & both_single);
  state_single_sizes(g, a, word & both_single);
  return a;
}

}  // namespace fusecl::detail
