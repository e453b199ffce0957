#pragma once
// Host evaluation of operations on batches of small matrices, which these bring.

#include <fusion/ir/interpret.hpp>
#include <fusion/ops/batched_factors.hpp>
#include <fusion/ops/batched_product.hpp>

namespace fusecl::ops {

namespace detail {

/// Number of the element (i, j) of matrix `block`, transposed or not, whose batch has columns of `rows`
/// elements and matrices of `cols` columns.
inline std::size_t place_in_batch(bool turned, std::int64_t rows, std::int64_t cols, std::int64_t block,
                                  std::int64_t i, std::int64_t j) {
  return static_cast<std::size_t>((turned ? j : i) + (block * cols + (turned ? i : j)) * rows);
}

/// Calls `visit(result, x, y)` with the numbers of elements of the result, column by column, and of those of
/// both operands that are multiplied, term by term.
template <class Visit>
void for_each_term(transposed_operands turned, const batch_sizes& sizes, Visit visit) {
  std::size_t result = 0;
  const std::int64_t a_rows = turned.first ? sizes.inner : sizes.rows,
                     b_rows = turned.second ? sizes.cols : sizes.inner,
                     a_cols = sizes.cols_of_operand(0, turned), b_cols = sizes.cols_of_operand(1, turned);
  for (std::int64_t block = 0; block < sizes.count; ++block)
    for (std::int64_t j = 0; j < sizes.cols; ++j)
      for (std::int64_t i = 0; i < sizes.rows; ++i, ++result)
        for (std::int64_t k = 0; k < sizes.inner; ++k)
          visit(result, place_in_batch(turned.first, a_rows, a_cols, block, i, k),
                place_in_batch(turned.second, b_rows, b_cols, block, k, j));
}

}  // namespace detail

/// Sizes of the batched product `n`.
batch_sizes sizes_of_batch(const ir::graph& g, const ir::host_bindings& bindings, const ir::node& n,
                           const ir::host_matrix& a, const ir::host_matrix& b);

/// In extended precision, rounded where an element is complete; integers wrap.
ir::host_matrix interpret_batched_product(const ir::graph& g, const ir::host_bindings& bindings,
                                          const ir::node& n, const list_of<ir::host_matrix>& values);

/// Matrix number `block` of a batch, of which each has `cols` columns.
ir::host_matrix matrix_of_batch(const ir::host_matrix& batch, std::int64_t cols, std::int64_t block);
/// Number of square matrices of a batch.
inline std::int64_t square_matrices(const ir::host_matrix& batch) {
  return batch.rows == 0 ? 0 : batch.cols / batch.rows;
}
/// The transpose.
ir::host_matrix turned(const ir::host_matrix& m);

/// Of factors, systems and inverses, in extended precision, rounded at the end.
ir::host_matrix interpret_batched_factor(const ir::graph& g, const ir::host_bindings& bindings,
                                         const ir::node& n, const list_of<ir::host_matrix>& values);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/interpret_batches.ipp>
#endif
