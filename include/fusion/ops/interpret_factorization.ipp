#pragma once
#include <cmath>
#include <limits>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/interpret_factorization.hpp>

namespace fusecl::ops {
namespace detail {

using ir::host_matrix;

/// X of A X = B in the place of B, of which only rows from `first_row` of a column (to there, of an upper
/// triangle) may be other than zero.
template <class FirstRow>
void substitute(const host_triangle& a, host_matrix& b, FirstRow first_row) {
  const std::int64_t n = b.rows;
  for (std::int64_t j = 0; j < b.cols; ++j) {
    long double* x = b.values.data() + j * n;
    const std::int64_t first = first_row(j);
    for (std::int64_t at = a.upper ? n - 1 - first : first; at < n; ++at) {
      const std::int64_t i = a.upper ? n - 1 - at : at;
      long double sum = x[i];
      if (a.upper)
        for (std::int64_t k = i + 1; k <= first; ++k) sum -= a(i, k) * x[k];
      else
        for (std::int64_t k = first; k < i; ++k) sum -= a(i, k) * x[k];
      x[i] = sum / a(i, i);
    }
  }
}

}  // namespace detail

FUSECL_INLINE ir::host_matrix inverted(const host_triangle& a) {
  const std::int64_t n = a.of.rows;
  ir::host_matrix x{n, n, {}};
  x.values.assign(static_cast<std::size_t>(n * n), 0);
  for (std::int64_t j = 0; j < n; ++j) x.values[static_cast<std::size_t>(j + j * n)] = 1;
  detail::substitute(a, x, [](std::int64_t j) { return j; });
  return x;
}

FUSECL_INLINE void solve_in_place(const host_triangle& a, ir::host_matrix& b) {
  const std::int64_t first = a.upper ? b.rows - 1 : 0;
  detail::substitute(a, b, [=](std::int64_t) { return first; });
}

FUSECL_INLINE ir::host_matrix cholesky_factor(const ir::host_matrix& a) {
  const std::int64_t n = a.rows;
  ir::host_matrix l{n, n, {}};
  l.values.assign(static_cast<std::size_t>(n * n), 0);
  const auto at = [&](std::int64_t i, std::int64_t j) -> long double& {
    return l.values[static_cast<std::size_t>(i + j * n)];
  };
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      long double sum = a.values[static_cast<std::size_t>(i + j * n)];
      for (std::int64_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      at(i, j) = sum;
    }
    const long double pivot = at(j, j);
    const long double root = pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<long double>::quiet_NaN();
    for (std::int64_t i = j; i < n; ++i) at(i, j) = i == j ? root : at(i, j) / root;
  }
  return l;
}

FUSECL_INLINE ir::host_matrix interpret_factorization(const ir::graph&, const ir::host_bindings&,
                                                      const ir::node& n,
                                                      const list_of<ir::host_matrix>& values) {
  const auto operand = [&](int k) -> const ir::host_matrix& {
    return values[static_cast<std::size_t>(n.operands[k])];
  };
  const ir::host_matrix& a = operand(0);
  const host_triangle triangle{a, is_upper(n)};
  ir::host_matrix result;
  if (n.is(op::cholesky::record())) {
    result = cholesky_factor(a);
  } else if (n.is(op::triangular_inverse::record())) {
    result = inverted(triangle);
  } else {
    result = operand(1);
    solve_in_place(triangle, result);
  }
  for (long double& value : result.values) value = ir::rounded(n.type, value);
  return result;
}

}  // namespace fusecl::ops
