#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/reduce.hpp>

namespace fusecl::op {
namespace detail {

inline constexpr long double infinity = std::numeric_limits<long double>::infinity();

// fmax and fmin drop NaN; a reduction keeps it. Compilers warn of integers that are compared with themselves.
inline constexpr ir::device_function larger{
    .name = "larger",
    .text = "$T larger$S($T a, $T b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN\n",
    .text_integer = "$T larger$S($T a, $T b) { return a > b ? a : b; }\n"};
inline constexpr ir::device_function smaller{
    .name = "smaller",
    .text = "$T smaller$S($T a, $T b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN\n",
    .text_integer = "$T smaller$S($T a, $T b) { return a < b ? a : b; }\n"};

/// What the reduction `like` would give of `what`, repeated to the shape of its operand.
FUSECL_INLINE ir::node_id total(ir::graph& g, const ir::operation& op, const ir::node& like,
                                ir::node_id what) {
  const ir::node operand = g[like.operands[0]];
  return ops::spread(g, g.reduce(op, like.axis(), ops::filled(g, what, operand)), operand);
}

/// Derivative of a product of elements by each: the product of the others, y / x, or where x is the only zero
/// the product without it.
FUSECL_INLINE ir::node_id partial_of_product(ir::graph& g, ir::node_id self) {
  const ir::node n = g[self];
  const ir::node_id x = n.operands[0], zero = g.constant(n.type, 0), one = g.constant(n.type, 1);
  const ir::node_id value = ops::spread(g, self, g[x]);
  const ir::node_id is_zero = g.apply(equal::record(), x, zero);
  const ir::node_id zeros = total(g, sum::record(), n, g.cast(n.type, is_zero));
  const ir::node_id divisor = ops::choose(g, is_zero, one, x);
  const ir::node_id others = total(g, prod::record(), n, divisor);
  const ir::node_id lone = ops::choose(g, g.apply(equal::record(), zeros, one), others, zero);
  return ops::choose(g, is_zero, lone, g.apply(divide::record(), value, divisor));
}

/// Derivative of an extreme by each element: equal ones share it.
FUSECL_INLINE ir::node_id partial_of_extreme(ir::graph& g, ir::node_id self) {
  const ir::node n = g[self];
  const ir::node_id x = n.operands[0], zero = g.constant(n.type, 0), one = g.constant(n.type, 1);
  const ir::node_id value = ops::spread(g, self, g[x]);
  const ir::node_id chosen = g.apply(equal::record(), x, value);
  const ir::node_id ties = total(g, sum::record(), n, g.cast(n.type, chosen));
  return ops::choose(g, chosen, g.apply(divide::record(), one, ties), zero);
}

FUSECL_INLINE ir::node_id pull_sum_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int) {
  const ir::node operand = g[g[self].operands[0]];
  return ops::spread(g, adjoint, operand);
}

FUSECL_INLINE ir::node_id push_sum_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  if (tangents[0] == ir::no_node) return tangents[0];
  const ir::node n = g[self], operand = g[n.operands[0]];
  return g.reduce(sum::record(), n.axis(), ops::filled(g, tangents[0], operand));
}

template <ir::node_id (*Partial)(ir::graph&, ir::node_id)>
ir::node_id pull_reduction_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
  const ir::node_id above = pull_sum_back(g, self, adjoint, k);
  return ops::scaled(g, above, Partial(g, self));
}

template <ir::node_id (*Partial)(ir::graph&, ir::node_id)>
ir::node_id push_reduction_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  if (tangents[0] == ir::no_node) return tangents[0];
  const ir::node_id amount = ops::scaled(g, tangents[0], Partial(g, self));
  return push_sum_forward(g, self, &amount);
}

}  // namespace detail

FUSECL_INLINE const ir::operation& sum::record() {
  static constexpr ir::operation record{
      .name = "sum",
      .kind = ir::op_class::reduction,
      .arity = 1,
      .types = types,
      .opencl = "$0 + $1",
      .precedence = 12,
      .host = [](const long double* x) { return x ? x[0] + x[1] : 0.0L; },
      .host_integer =
          [](const std::int64_t* x) { return detail::wrapping(x, [](auto a, auto b) { return a + b; }); },
      .at_zero = ir::zero_rule::all,
      .commutative = true,
      .pullback = detail::pull_sum_back,
      .pushforward = detail::push_sum_forward,
      .brings = &ir::supports::reductions};
  return record;
}

FUSECL_INLINE const ir::operation& prod::record() {
  static constexpr ir::operation record{
      .name = "prod",
      .kind = ir::op_class::reduction,
      .arity = 1,
      .types = types,
      .opencl = "$0 * $1",
      .precedence = 13,
      .host = [](const long double* x) { return x ? x[0] * x[1] : 1.0L; },
      .host_integer =
          [](const std::int64_t* x) { return detail::wrapping(x, [](auto a, auto b) { return a * b; }); },
      .commutative = true,
      .pullback = detail::pull_reduction_back<detail::partial_of_product>,
      .pushforward = detail::push_reduction_forward<detail::partial_of_product>,
      .brings = &ir::supports::reductions};
  return record;
}

FUSECL_INLINE const ir::operation& max::record() {
  static constexpr ir::operation record{
      .name = "max",
      .kind = ir::op_class::reduction,
      .arity = 1,
      .types = types,
      .opencl = "larger$S($0, $1)",
      .precedence = 16,
      .uses = device::uses<detail::larger>,
      .host =
          [](const long double* x) {
            return !x ? -detail::infinity : is_nan(x[0]) || x[0] > x[1] ? x[0] : x[1];
          },
      .host_integer = [](const std::int64_t* x) { return std::max(x[0], x[1]); },
      .commutative = true,
      .pullback = detail::pull_reduction_back<detail::partial_of_extreme>,
      .pushforward = detail::push_reduction_forward<detail::partial_of_extreme>,
      .brings = &ir::supports::reductions};
  return record;
}

FUSECL_INLINE const ir::operation& min::record() {
  static constexpr ir::operation record{
      .name = "min",
      .kind = ir::op_class::reduction,
      .arity = 1,
      .types = types,
      .opencl = "smaller$S($0, $1)",
      .precedence = 16,
      .uses = device::uses<detail::smaller>,
      .host =
          [](const long double* x) {
            return !x ? detail::infinity : is_nan(x[0]) || x[0] < x[1] ? x[0] : x[1];
          },
      .host_integer = [](const std::int64_t* x) { return std::min(x[0], x[1]); },
      .commutative = true,
      .pullback = detail::pull_reduction_back<detail::partial_of_extreme>,
      .pushforward = detail::push_reduction_forward<detail::partial_of_extreme>,
      .brings = &ir::supports::reductions};
  return record;
}

}  // namespace fusecl::op
