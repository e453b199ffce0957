#pragma once
// Host evaluation of factors, inverses and systems, which these bring.

#include <fusion/ir/interpret.hpp>
#include <fusion/ops/factorizations.hpp>

namespace fusecl::ops {

/// One triangle of a square matrix; zeros outside of it.
struct host_triangle {
  const ir::host_matrix& of;
  bool upper;
  long double operator()(std::int64_t i, std::int64_t j) const {
    const bool outside = upper ? i > j : i < j;
    return outside ? 0 : of.values[static_cast<std::size_t>(i + j * of.rows)];
  }
};

/// The inverse of a triangle.
ir::host_matrix inverted(const host_triangle& a);

/// The Cholesky factor of the lower triangle; from the first pivot on that is not positive it is NaN.
ir::host_matrix cholesky_factor(const ir::host_matrix& a);
/// X of A X = B in the place of B.
void solve_in_place(const host_triangle& a, ir::host_matrix& b);

/// In extended precision, rounded at the end.
ir::host_matrix interpret_factorization(const ir::graph& g, const ir::host_bindings& bindings,
                                        const ir::node& n, const list_of<ir::host_matrix>& values);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/interpret_factorization.ipp>
#endif
