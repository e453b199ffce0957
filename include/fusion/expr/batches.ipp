#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/expr/batches.hpp>

namespace fusecl::detail {

FUSECL_INLINE matrix_size size_of_matrix(const char* function, const char* name, matrix_size batch,
                                         std::int64_t count) {
  check_known_size(function, batch.rows, batch.cols, name);
  if (count < 0)
    throw std::invalid_argument(
        text::fill("{}: the number of matrices ({}) must not be negative", {function, count}));
  if (count == 0 ? batch.cols != 0 : batch.cols % count != 0)
    throw std::invalid_argument(
        text::fill("{}: the columns of {} ({} x {}) must be a multiple of the number of matrices, {}",
                   {function, name, batch.rows, batch.cols, count}));
  return {batch.rows, count == 0 ? 0 : batch.cols / count};
}

FUSECL_INLINE std::int64_t count_of_squares(matrix_size batch) {
  check_known_size("transpose_each", batch.rows, batch.cols);
  if (batch.rows == 0 ? batch.cols != 0 : batch.cols % batch.rows != 0)
    throw std::invalid_argument(text::fill(
        "transpose_each: the columns of a ({} x {}) must be a multiple of its rows, square matrices "
        "side by side; of others tell how many they are, transpose_each(a, count)",
        {batch.rows, batch.cols}));
  return batch.rows == 0 ? 0 : batch.cols / batch.rows;
}

FUSECL_INLINE void check_count(const char* function, std::int64_t told, std::int64_t count) {
  if (told != count)
    throw std::invalid_argument(
        text::fill("{}: there are {} matrices, but transpose_each was told {}", {function, count, told}));
}

FUSECL_INLINE std::int64_t columns_of_batch(const char* function, std::int64_t cols, std::int64_t count) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(cols, count, &all))
    throw std::invalid_argument(
        text::fill("{}: a result of {} matrices of {} columns is too large", {function, count, cols}));
  return all;
}

FUSECL_INLINE matrix_size size_of_products(ops::transposed_operands turned, matrix_size a, matrix_size b,
                                           std::int64_t count) {
  constexpr const char* function = "batched_multiply";
  const matrix_size first = size_of_matrix(function, "a", a, count),
                    second = size_of_matrix(function, "b", b, count);
  // where there are none, matrices in transpose_each are as if they were square
  const std::int64_t rows = turned.first && count != 0 ? first.cols : first.rows,
                     terms = turned.first ? first.rows : first.cols,
                     others = turned.second ? second.cols : second.rows,
                     cols = turned.second ? second.rows : second.cols;
  if (terms != others && count != 0)
    throw std::invalid_argument(text::fill(
        "{}: columns of the matrices of a and rows of those of b must match in size: {} times {} x {}{} "
        "and {} x {}{}",
        {function, count, first.rows, first.cols, turned.first ? " (transposed)" : "", second.rows,
         second.cols, turned.second ? " (transposed)" : ""}));
  return {rows, columns_of_batch(function, cols, count)};
}

FUSECL_INLINE ir::node_id lower_batched_product(lowering& low, ops::transposed_operands turned, ir::node_id a,
                                                ir::node_id b) {
  ir::graph& g = low.graph();
  const std::uint32_t singles = low.next_word();
  const ir::extent size = low.extents();
  const auto extent_of = [&](bool single, bool known, ir::extent of_operand, ir::extent own) {
    if (known) g.unify(of_operand, own);
    if (single) g.unify(own, ir::one);
    return own;
  };
  const ir::extent rows = extent_of(singles & single_rows, !turned.first, g[a].rows, size),
                   cols = extent_of(singles & single_cols, !turned.second, g[b].cols, size + 1);
  return ops::batched_product(g, turned, a, b, rows, cols);
}

FUSECL_INLINE void check_square_batch(const char* function, std::int64_t rows, std::int64_t cols) {
  check_known_size(function, rows, cols);
  if (rows == 0 ? cols != 0 : cols % rows != 0)
    throw std::invalid_argument(text::fill(
        "{}: the columns of a ({} x {}) must be a multiple of its rows: square matrices side by side",
        {function, rows, cols}));
  if (rows > ops::most_batched_rows)
    throw std::invalid_argument(text::fill(
        "{}: matrices of a batch have at most {} rows, these are {} x {}; larger ones are factored "
        "one by one",
        {function, ops::most_batched_rows, rows, rows}));
}

FUSECL_INLINE void check_batched_sides(const char* function, matrix_size a, matrix_size b) {
  check_square_batch(function, a.rows, a.cols);
  check_known_size(function, b.rows, b.cols, "b");
  const std::int64_t count = a.rows == 0 ? 0 : a.cols / a.rows;
  if (a.rows == b.rows && (count == 0 ? b.cols == 0 : b.cols % count == 0)) return;
  throw std::invalid_argument(text::fill(
      "{}: b ({} x {}) must have as many rows as a ({} x {}) and a multiple of {} columns, some for "
      "each matrix",
      {function, b.rows, b.cols, a.rows, a.cols, count}));
}

FUSECL_INLINE ir::node_id lower_batched_factor(lowering& low,
                                               ir::node_id (*make)(ir::graph& g, ir::node_id a),
                                               ir::node_id a) {
  state_single_sizes(low.graph(), a, low.next_word());
  return make(low.graph(), a);
}

FUSECL_INLINE ir::node_id lower_batched_solve(lowering& low, bool transposed, ir::node_id a, ir::node_id b) {
  state_single_sizes(low.graph(), b, low.next_word());
  return ops::batched_solve(low.graph(), transposed, a, b);
}

}  // namespace fusecl::detail
