#pragma once
#include <fusion/ir/interpret.ipp>
#include <fusion/ops/interpret_batches.hpp>
#include <fusion/ops/interpret_factorization.hpp>

namespace fusecl::ops {

FUSECL_INLINE batch_sizes sizes_of_batch(const ir::graph& g, const ir::host_bindings& bindings,
                                         const ir::node& n, const ir::host_matrix& a,
                                         const ir::host_matrix& b) {
  return sizes_of_batch(transposed_operands::of(n), a.rows, a.cols, b.rows,
                        ir::detail::size_of_extent(g, bindings, n.rows),
                        ir::detail::size_of_extent(g, bindings, n.cols));
}

FUSECL_INLINE ir::host_matrix interpret_batched_product(const ir::graph& g, const ir::host_bindings& bindings,
                                                        const ir::node& n,
                                                        const list_of<ir::host_matrix>& values) {
  const ir::host_matrix &a = values[static_cast<std::size_t>(n.operands[0])],
                        &b = values[static_cast<std::size_t>(n.operands[1])];
  const batch_sizes sizes = sizes_of_batch(g, bindings, n, a, b);
  ir::host_matrix result{sizes.rows, sizes.cols * sizes.count, {}};
  const auto elements = static_cast<std::size_t>(result.rows * result.cols);
  list_of<long double> sums(elements);
  list_of<std::uint64_t> wholes(elements);
  const auto wrapped = [](long double x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
  const bool floating = is_floating(n.type);
  detail::for_each_term(transposed_operands::of(n), sizes,
                        [&](std::size_t at, std::size_t left, std::size_t right) {
                          const long double x = a.values[left], y = b.values[right];
                          if (floating)
                            sums[at] += x * y;
                          else
                            wholes[at] += wrapped(x) * wrapped(y);
                        });
  for (std::size_t k = 0; k < elements; ++k) {
    const auto whole = static_cast<long double>(static_cast<std::int64_t>(wholes[k]));
    result.values.push_back(ir::rounded(n.type, floating ? sums[k] : whole));
  }
  return result;
}

FUSECL_INLINE ir::host_matrix matrix_of_batch(const ir::host_matrix& batch, std::int64_t cols,
                                              std::int64_t block) {
  const auto first = batch.values.begin() + block * cols * batch.rows;
  return {batch.rows, cols, list_of<long double>(first, first + cols * batch.rows)};
}

FUSECL_INLINE ir::host_matrix turned(const ir::host_matrix& m) {
  ir::host_matrix result{m.cols, m.rows, {}};
  for (std::int64_t j = 0; j < m.rows; ++j)
    for (std::int64_t i = 0; i < m.cols; ++i)
      result.values.push_back(m.values[static_cast<std::size_t>(j + i * m.rows)]);
  return result;
}

FUSECL_INLINE ir::host_matrix interpret_batched_factor(const ir::graph&, const ir::host_bindings&,
                                                       const ir::node& n,
                                                       const list_of<ir::host_matrix>& values) {
  const auto operand = [&](int k) -> const ir::host_matrix& {
    return values[static_cast<std::size_t>(n.operands[k])];
  };
  const ir::host_matrix& a = operand(0);
  const std::int64_t count = square_matrices(a);
  const ir::host_matrix& shape = operand(n.op->arity - 1);
  ir::host_matrix result{shape.rows, shape.cols, {}};
  for (std::int64_t block = 0; block < count; ++block) {
    const ir::host_matrix own = matrix_of_batch(a, a.rows, block);
    ir::host_matrix one;
    if (n.is(op::batched_cholesky::record())) {
      one = cholesky_factor(own);
    } else if (n.is(op::batched_inverse::record())) {
      one = inverted({own, false});
    } else {
      one = matrix_of_batch(operand(1), shape.cols / count, block);
      const ir::host_matrix other = turned(own);
      solve_in_place({solves_transposed(n) ? other : own, solves_transposed(n)}, one);
    }
    for (const long double value : one.values) result.values.push_back(ir::rounded(n.type, value));
  }
  return result;
}

}  // namespace fusecl::ops
