#pragma once
// Error bounds of products of matrices, which these bring.

#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/error_bounds.ipp>

namespace fusecl::detail {

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
        if (of_a[left] != 0) carried += of_a[left] * (y + of_b[right]);
        if (of_b[right] != 0) carried += x * of_b[right];
      }
      const bool finite = is_finite(own.values[result.size()]);
      const auto terms = static_cast<long double>(a.cols + 1);
      if (any && !is_outside(n.view, i, j))
        result.push_back(HUGE_VALL);
      else if (!is_floating(n.type))
        result.push_back(carried);
      else if (finite)
        result.push_back(carried + terms * (unit_of(n.type) * size + 4 * bounds::tiny(n.type)));
      else
        result.push_back(is_infinite(carried) ? carried : 0);
    }
  return result;
}

}  // namespace fusecl::detail
