#pragma once
// Error bounds of operations on batches of small matrices, which these bring.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/errors_of_factorization.ipp>
#include <fusion/ops/errors_of_product.ipp>
#include <fusion/ops/interpret_batches.hpp>

namespace fusecl::detail {

/// As of products of matrices.
FUSECL_INLINE list_of<long double> errors_of_batched_product(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const ir::host_matrix& own = before.values[static_cast<std::size_t>(id)];
  const auto operand = [&](int k) { return static_cast<std::size_t>(n.operands[k]); };
  const ir::host_matrix &a = before.values[operand(0)], &b = before.values[operand(1)];
  const list_of<long double>&of_a = before.errors[operand(0)], &of_b = before.errors[operand(1)];
  const ops::batch_sizes sizes = ops::sizes_of_batch(before.g, before.bindings, n, a, b);
  list_of<long double> size(own.values.size()), carried(own.values.size());
  ops::detail::for_each_term(
      ops::transposed_operands::of(n), sizes, [&](std::size_t at, std::size_t left, std::size_t right) {
        const long double x = std::fabs(a.values[left]), y = std::fabs(b.values[right]);
        size[at] += x * y;
        carried[at] += error_of_term(x, y, of_a[left], of_b[right]);
      });
  list_of<long double> result;
  for (std::size_t k = 0; k < own.values.size(); ++k)
    result.push_back(error_of_sum(n.type, own.values[k], sizes.inner, size[k], carried[k]));
  return result;
}

FUSECL_INLINE bool all_finite(const ir::host_matrix& m) {
  return std::all_of(m.values.begin(), m.values.end(), [](long double x) { return is_finite(x); });
}
/// Makes bounds of the lower triangle infinite.
FUSECL_INLINE void allow_all_of_triangle(ir::host_matrix& bound) {
  for (std::int64_t j = 0; j < bound.cols; ++j)
    for (std::int64_t i = j; i < bound.rows; ++i)
      bound.values[static_cast<std::size_t>(i + j * bound.rows)] =
          std::numeric_limits<long double>::infinity();
}

/// As of factors, systems and inverses of one matrix. What is not finite may spread over the triangle of an
/// inverse whose rows are computed side by side.
FUSECL_INLINE list_of<long double> errors_of_batched_factor(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const auto number = [&](int k) { return static_cast<std::size_t>(n.operands[k]); };
  const ir::host_matrix &own = before.values[static_cast<std::size_t>(id)], &a = before.values[number(0)];
  const ir::host_matrix of_a{a.rows, a.cols, before.errors[number(0)]};
  const bool solves = n.is(op::batched_solve::record()), upper = solves && ops::solves_transposed(n);
  const std::int64_t count = ops::square_matrices(a), cols = count == 0 ? 0 : own.cols / count;
  const long double rounding = bounds::backward_error(n.type, a.rows);
  list_of<long double> result;
  for (std::int64_t block = 0; block < count; ++block) {
    const auto each = [&](const ir::host_matrix& batch) {
      const ir::host_matrix one = ops::matrix_of_batch(batch, a.rows, block);
      return upper ? ops::turned(one) : one;
    };
    const ir::host_matrix matrix = each(a), error = each(of_a),
                          value = ops::matrix_of_batch(own, cols, block);
    ir::host_matrix bound;
    if (n.is(op::batched_cholesky::record())) {
      bound = bounds::error_of_cholesky(value, error, rounding);
    } else {
      ir::host_matrix sides;
      if (solves) sides = ops::matrix_of_batch({own.rows, own.cols, before.errors[number(1)]}, cols, block);
      bound =
          bounds::error_of_system({matrix, upper}, error, value, rounding, solves ? &sides.values : nullptr);
    }
    if (n.is(op::batched_inverse::record()) && !all_finite(value)) allow_all_of_triangle(bound);
    for (std::size_t k = 0; k < value.values.size(); ++k)
      result.push_back(bounds::finished(n.type, value.values[k], bound.values[k]));
  }
  return result;
}

}  // namespace fusecl::detail
