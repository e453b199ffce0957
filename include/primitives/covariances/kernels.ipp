#pragma once
#include <cmath>

#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <primitives/covariances/kernels.hpp>

namespace fusecl::op {
namespace detail {

/// `factor` times the value of another correlation at the same place.
FUSECL_INLINE ir::node_id times_correlation(ir::graph& g, const ir::operation& other, ir::node_id u,
                                            double factor) {
  return g.apply(multiply::record(), g.apply(other, u), g.constant(g[u].type, factor));
}

/// -exp(-sqrt(u)) / (2 sqrt(u)), and 0 at the kink.
FUSECL_INLINE ir::node_id exponential_partial(ir::graph& g, const ir::node_id* u, ir::node_id result, int) {
  const scalar_type type = g[result].type;
  const ir::node_id zero = g.constant(type, 0);
  const ir::node_id slope =
      g.apply(divide::record(), g.apply(multiply::record(), result, g.constant(type, -0.5)),
              g.apply(sqrt::record(), u[0]));
  return ops::choose(g, g.apply(equal::record(), u[0], zero), zero, slope);
}
FUSECL_INLINE ir::node_id matern32_partial(ir::graph& g, const ir::node_id* u, ir::node_id, int) {
  return times_correlation(g, exponential_correlation::record(), u[0], -0.5);
}
FUSECL_INLINE ir::node_id matern52_partial(ir::graph& g, const ir::node_id* u, ir::node_id, int) {
  return times_correlation(g, matern32_correlation::record(), u[0], -1.0 / 6.0);
}

/// The rounding of sqrt(u) counts sqrt(u) / 2 times in the result, which is 0 from sqrt(u) = 745 on.
inline constexpr float correlation_ulp = 400;

}  // namespace detail

FUSECL_OPERATION_RECORD(
    exponential_correlation, 1, .opencl = "exp(-sqrt($0))", .precedence = 16,
    .host = [](const long double* u) -> long double { return std::exp(-std::sqrt(u[0])); },
    .domain = {{0, 100}}, .ulp = detail::correlation_ulp, .cost = 20, .partial = detail::exponential_partial)

FUSECL_OPERATION_RECORD(
    matern32_correlation, 1, .opencl = "(1.0 + sqrt($0)) * exp(-sqrt($0))", .precedence = 13,
    .host = [](const long double* u) -> long double {
      return (1 + std::sqrt(u[0])) * std::exp(-std::sqrt(u[0]));
    },
    .domain = {{0, 100}}, .ulp = detail::correlation_ulp, .cost = 22, .partial = detail::matern32_partial)

FUSECL_OPERATION_RECORD(
    matern52_correlation, 1, .opencl = "(1.0 + sqrt($0) + $0 / 3.0) * exp(-sqrt($0))", .precedence = 13,
    .host = [](const long double* u) -> long double {
      return (1 + std::sqrt(u[0]) + u[0] / 3) * std::exp(-std::sqrt(u[0]));
    },
    .domain = {{0, 100}}, .ulp = detail::correlation_ulp, .cost = 25, .partial = detail::matern52_partial)

}  // namespace fusecl::op
