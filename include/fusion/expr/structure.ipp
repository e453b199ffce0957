#pragma once
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/expr/structure.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_known_size(const char* function, std::int64_t rows, std::int64_t cols,
                                    const char* operand) {
  if (rows < 0 || cols < 0)
    throw std::invalid_argument(
        text::fill("{}: {} of {} are not known", {function, rows < 0 ? "rows" : "columns", operand}));
}

FUSECL_INLINE void check_range(const char* function, const char* what, std::int64_t size, std::int64_t first,
                               std::int64_t count, std::int64_t base) {
  if (count >= 0 && first >= 0 && first <= size && count <= size - first) return;
  const std::string one(what, std::string_view(what).size() - 1);  // "row" of "rows"
  const std::string message =
      count < 0    ? text::fill("{}: the number of {} ({}) must not be negative", {function, what, count})
      : count == 1 ? text::fill("{}: {} {}, counted from {}, is not within the {} {} of a",
                                {function, one, first + base, base, size, what})
      : first < 0 && count > size
          ? text::fill("{}: {} {} are more than the {} {} of a", {function, count, what, size, what})
          : text::fill("{}: {} {} from number {} on, counted from {}, are not within the {} {} of a",
                       {function, count, what, first + base, base, size, what});
  if (base == 0 || count < 0) throw std::invalid_argument(message);
  throw std::out_of_range(message);
}

FUSECL_INLINE void check_place(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) {
  if (i < 0 || j < 0 || i >= rows || j >= cols)
    throw std::out_of_range(
        text::fill("operator(): element ({}, {}), counted from 0, is not within the {} x {} of the matrix",
                   {i, j, rows, cols}));
}

FUSECL_INLINE std::pair<std::int64_t, std::int64_t> place_in_vector(std::int64_t i, std::int64_t rows,
                                                                    std::int64_t cols) {
  if (cols == 1) return {i, 0};
  if (rows == 1) return {0, i};
  throw std::invalid_argument(text::fill(
      "operator(): one index is for vectors, not for a ({} x {}), which takes (i, j)", {rows, cols}));
}

FUSECL_INLINE void check_vector(const char* function, std::int64_t rows, std::int64_t cols) {
  if (rows != 1 && cols != 1)
    throw std::invalid_argument(std::string(function) + ": a (" + std::to_string(rows) + " x " +
                                std::to_string(cols) + ") must be a vector");
}

FUSECL_INLINE ir::access_map map_of(std::uint32_t word, ir::extent row0) {
  ir::access_map map;
  for (std::int8_t* c : {&map.col_by_j, &map.col_by_i, &map.row_by_j, &map.row_by_i}) {
    *c = static_cast<std::int8_t>(static_cast<int>(word % 4) - 1);
    word /= 4;
  }
  map.row0 = {row0};
  map.col0 = {row0 + 1};
  map.from_diagonal = ir::diagonal_from::anywhere;
  return map;
}

FUSECL_INLINE void state_single_sizes(ir::graph& g, ir::node_id id, std::uint32_t singles) {
  const ir::node& n = g[id];
  const ir::extent rows = n.rows, cols = n.cols;
  if (singles & single_rows) g.unify(ir::one, rows);
  if (singles & single_cols) g.unify(ir::one, cols);
}

FUSECL_INLINE ir::node_id lower_single(lowering& low) {
  const ir::node_id matrix = low.matrix();
  state_single_sizes(low.graph(), matrix, single_rows | single_cols);
  return low.graph().access(op::access::record(), ir::access_map::transpose(), matrix, ir::one, ir::one);
}

FUSECL_INLINE std::uint32_t block_word(std::uint32_t facts, ir::diagonal_from start, bool all_rows,
                                       bool all_cols) {
  if (!all_rows) facts &= ~block_of_all_rows;
  if (!all_cols) facts &= ~block_of_all_cols;
  return facts + static_cast<std::uint32_t>(static_cast<int>(start) + 1) * block_start;
}

FUSECL_INLINE ir::node_id lower_block(lowering& low, ir::node_id operand) {
  ir::graph& g = low.graph();
  const std::uint32_t word = low.next_word();
  const ir::extent offset = low.extents(), size = low.extents();
  state_single_sizes(g, operand, word & both_single);
  const ir::extent all_rows = g[operand].rows, all_cols = g[operand].cols;
  const auto start = static_cast<ir::diagonal_from>(static_cast<int>(word / block_start) - 1);
  auto map = ir::access_map::block(offset, offset + 1, start);
  if (word & block_of_all_rows) map.row0 = {};
  if (word & block_of_all_cols) map.col0 = {};
  const auto extent_of = [&](bool single, bool all, ir::extent whole, ir::extent own) {
    return single ? ir::one : all ? whole : own;
  };
  return g.access(op::access::record(), map, operand,
                  extent_of(word & block_single_rows, word & block_of_all_rows, all_rows, size),
                  extent_of(word & block_single_cols, word & block_of_all_cols, all_cols, size + 1));
}

FUSECL_INLINE ir::node_id lower_transposed(ir::graph& g, ir::node_id id, std::uint32_t singles) {
  state_single_sizes(g, id, singles);
  return ops::transposed(g, id);
}

}  // namespace fusecl::detail
