#pragma once
// Error bounds of factors, inverses and systems, which these bring. All follow from backward errors (Higham,
// Accuracy and Stability of Numerical Algorithms, sections 8.1, 10.1 and 14.2), with eps twice the unit
// roundoff and absolute values of all matrices; inverses of tiles on the diagonal give systems one more
// condition number.

#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/error_bounds.ipp>
#include <fusion/ops/interpret_factorization.hpp>

namespace fusecl::detail {
namespace bounds {

/// Matrices of sizes.
FUSECL_INLINE host_matrix absolute(const host_matrix& m) {
  host_matrix result = m;
  for (long double& x : result.values) x = std::fabs(x);
  return result;
}

FUSECL_INLINE host_matrix triangle_of(const host_matrix& m, bool upper) {
  host_matrix result = m;
  const ops::host_triangle part{m, upper};
  for (std::int64_t j = 0; j < m.cols; ++j)
    for (std::int64_t i = 0; i < m.rows; ++i)
      result.values[static_cast<std::size_t>(i + j * m.rows)] = part(i, j);
  return result;
}

/// a b, skipping zeros.
FUSECL_INLINE host_matrix times(const host_matrix& a, const host_matrix& b) {
  host_matrix result{a.rows, b.cols, {}};
  result.values.assign(static_cast<std::size_t>(a.rows * b.cols), 0);
  for (std::int64_t j = 0; j < b.cols; ++j)
    for (std::int64_t k = 0; k < a.cols; ++k) {
      const long double factor = values_at(b, k, j);
      if (factor == 0) continue;
      for (std::int64_t i = 0; i < a.rows; ++i)
        result.values[static_cast<std::size_t>(i + j * a.rows)] += values_at(a, i, k) * factor;
    }
  return result;
}

FUSECL_INLINE host_matrix turned(const host_matrix& m) {
  host_matrix result{m.cols, m.rows, {}};
  result.values.resize(m.values.size());
  for (std::int64_t j = 0; j < m.cols; ++j)
    for (std::int64_t i = 0; i < m.rows; ++i)
      result.values[static_cast<std::size_t>(j + i * m.cols)] = values_at(m, i, j);
  return result;
}

/// m times `scale`, plus `more`.
FUSECL_INLINE void add_scaled(host_matrix& m, long double scale, const long_doubles& more) {
  for (std::size_t k = 0; k < m.values.size(); ++k) m.values[k] = scale * m.values[k] + more[k];
}

/// |L| Phi(|inverse(L)| E |inverse(L')|), where E bounds the backward error and that of the operand.
FUSECL_INLINE host_matrix error_of_cholesky(const host_matrix& l, const host_matrix& of_a,
                                            long double rounding) {
  const host_matrix size = absolute(l), inverse = absolute(ops::inverted({l, false}));
  host_matrix backward = times(size, turned(size));
  const std::int64_t n = l.rows;
  long_doubles carried(l.values.size());
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      carried[static_cast<std::size_t>(i + j * n)] = values_at(of_a, i < j ? j : i, i < j ? i : j);
  add_scaled(backward, rounding, carried);
  return times(size, triangle_of(times(times(inverse, backward), turned(inverse)), false));
}

/// That of a system with this triangle, or of its inverse, where `of_a` bounds the errors of the matrix and
/// `of_b` those of the sides; none of an inverse.
FUSECL_INLINE host_matrix error_of_system(const ops::host_triangle& a, const host_matrix& of_a,
                                          const host_matrix& own, long double rounding,
                                          const long_doubles* of_b) {
  const host_matrix size = absolute(triangle_of(a.of, a.upper)), inverse = absolute(ops::inverted(a)),
                    result = absolute(own);
  host_matrix residual = times(size, result);
  residual = times(size, times(inverse, residual));
  add_scaled(residual, rounding, times(triangle_of(of_a, a.upper), result).values);
  if (of_b) add_scaled(residual, 1, *of_b);
  return times(inverse, residual);
}

/// Of the backward error, relative to the matrix, of factors and systems of n rows: higher orders are not
/// above the first one as long as the bounds mean anything.
FUSECL_INLINE long double backward_error(scalar_type type, std::int64_t n) {
  return 2 * static_cast<long double>(n + 72) * unit_of(type);
}

/// The bound for an element with this value.
FUSECL_INLINE long double finished(scalar_type type, long double value, long double bound) {
  if (is_nan(value)) return 0;
  if (!is_finite(value) || is_nan(bound)) return std::numeric_limits<long double>::infinity();
  return 2 * bound + 4 * tiny(type);
}

}  // namespace bounds

FUSECL_INLINE list_of<long double> errors_of_factorization(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const auto number = [&](int k) { return static_cast<std::size_t>(n.operands[k]); };
  const ir::host_matrix &own = before.values[static_cast<std::size_t>(id)], &a = before.values[number(0)];
  const bool upper = ops::is_upper(n);
  const long double rounding = bounds::backward_error(n.type, a.rows);
  const ir::host_matrix of_a{a.rows, a.cols, before.errors[number(0)]};
  const list_of<long double>* of_b =
      n.is(op::triangular_solve::record()) ? &before.errors[number(1)] : nullptr;
  ir::host_matrix bound = n.is(op::cholesky::record())
                              ? bounds::error_of_cholesky(own, of_a, rounding)
                              : bounds::error_of_system({a, upper}, of_a, own, rounding, of_b);
  for (std::size_t k = 0; k < own.values.size(); ++k)
    bound.values[k] = bounds::finished(n.type, own.values[k], bound.values[k]);
  return bound.values;
}

}  // namespace fusecl::detail
