#pragma once
// Error bounds of products of matrices, which these bring.

#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/error_bounds.ipp>

namespace fusecl::detail {

/// What errors of its factors make of the term x y, both not negative.
FUSECL_INLINE long double error_of_term(long double x, long double y, long double of_x, long double of_y) {
  return (of_x != 0 ? of_x * (y + of_y) : 0) + (of_y != 0 ? x * of_y : 0);
}

/// That of a sum of products with this value, whose terms have these absolute values and errors.
FUSECL_INLINE long double error_of_sum(scalar_type type, long double value, std::int64_t terms,
                                       long double size, long double carried) {
  if (!is_floating(type)) return carried;
  if (is_finite(value))
    return carried + static_cast<long double>(terms + 1) * (unit_of(type) * size + 4 * bounds::tiny(type));
  return is_infinite(carried) ? carried : 0;
}

/// Terms may be added in any order, each with one rounding or two: |fl(AB) - AB| <= (k + 1) eps |A||B| with
/// eps twice the unit roundoff (Higham, Accuracy and Stability of Numerical Algorithms, section 3.5). Errors
/// of operands add |dA||B| + |A||dB| + |dA||dB|. Zeros of a view are multiplied within tiles and left out
/// elsewhere, so that what is not finite in the other operand may make an element anything.
FUSECL_INLINE list_of<long double> errors_of_product(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const ir::host_matrix& own = before.values[static_cast<std::size_t>(id)];
  const auto operand = [&](int k) { return static_cast<std::size_t>(n.operands[k]); };
  const ir::host_matrix &a = before.values[operand(0)], &b = before.values[operand(1)];
  const matrix_cl_view a_view = before.g[n.operands[0]].view, b_view = before.g[n.operands[1]].view;
  const list_of<long double>&of_a = before.errors[operand(0)], &of_b = before.errors[operand(1)];
  list_of<long double> result;
  result.reserve(own.values.size());
  for (std::int64_t j = 0; j < own.cols; ++j)
    for (std::int64_t i = 0; i < own.rows; ++i) {
      long double size = 0, carried = 0;
      bool any = false;
      for (std::int64_t k = 0; k < a.cols; ++k) {
        const auto left = static_cast<std::size_t>(i + k * a.rows),
                   right = static_cast<std::size_t>(k + j * b.rows);
        const long double x = std::fabs(a.values[left]), y = std::fabs(b.values[right]);
        if (is_outside(a_view, i, k) || is_outside(b_view, k, j)) {
          any = any || !(is_finite(x) && is_finite(y));
          continue;
        }
        size += x * y;
        carried += error_of_term(x, y, of_a[left], of_b[right]);
      }
      result.push_back(any && !is_outside(n.view, i, j)
                           ? HUGE_VALL
                           : error_of_sum(n.type, own.values[result.size()], a.cols, size, carried));
    }
  return result;
}

}  // namespace fusecl::detail
