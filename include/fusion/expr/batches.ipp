#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/expr/batches.hpp>

namespace fusecl::detail {

FUSECL_INLINE matrix_size size_of_matrix(const char* function, const char* name, matrix_size batch,
                                         std::int64_t count) {
  check_known_size(function, batch.rows, batch.cols);
  if (count < 0)
    throw std::invalid_argument(
        text::fill("{}: the number of matrices ({}) must not be negative", {function, count}));
  if (count == 0 ? batch.cols != 0 : batch.cols % count != 0)
    throw std::invalid_argument(
        text::fill("{}: the columns of {} ({} x {}) must be a multiple of the number of matrices, {}",
                   {function, name, batch.rows, batch.cols, count}));
  return {batch.rows, count == 0 ? 0 : batch.cols / count};
}

FUSECL_INLINE matrix_size size_of_products(ops::transposed_operands turned, matrix_size a, matrix_size b,
                                           std::int64_t count) {
  constexpr const char* function = "batched_multiply";
  const matrix_size first = size_of_matrix(function, "a", a, count),
                    second = size_of_matrix(function, "b", b, count);
  const std::int64_t rows = turned.first ? first.cols : first.rows,
                     terms = turned.first ? first.rows : first.cols,
                     others = turned.second ? second.cols : second.rows,
                     cols = turned.second ? second.rows : second.cols;
  if (terms != others && count != 0)
    throw std::invalid_argument(text::fill(
        "{}: columns of the matrices of a and rows of those of b must match in size: {} times {} x {}{} "
        "and {} x {}{}",
        {function, count, first.rows, first.cols, turned.first ? " (transposed)" : "", second.rows,
         second.cols, turned.second ? " (transposed)" : ""}));
  return {rows, cols * count};
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

}  // namespace fusecl::detail
