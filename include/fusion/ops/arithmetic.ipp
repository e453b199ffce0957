#pragma once
#include <cmath>
#include <cstdint>

#include <fusion/ir/graph.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/device_functions/unbranched.hpp>

namespace fusecl::op {
namespace detail {

using ir::op_class, ir::operation, ir::type_rule, ir::zero_rule;

inline constexpr ir::device_function integer_quotient{
    "quotient",
    "// truncated quotient that is 0 for a zero divisor and wraps for the most negative value over -1\n"
    "$T quotient$S($T a, $T b) {\n"
    "  const $T divisor = (b == 0) || ((b == ($T)(-1)) & (($T)(-1) < ($T)(0))) ? ($T)(1) : b;\n"
    "  return b == 0 ? ($T)(0) : (divisor == b ? a / divisor : ($T)(0) - a);\n"
    "}\n"};
inline constexpr ir::device_function integer_remainder{
    "remainder",
    "// remainder of the truncated quotient, 0 for a zero divisor\n"
    "$T remainder$S($T a, $T b) {\n"
    "  const $T divisor = (b == 0) || ((b == ($T)(-1)) & (($T)(-1) < ($T)(0))) ? ($T)(1) : b;\n"
    "  return a % divisor;\n"
    "}\n"};

FUSECL_INLINE std::int64_t quotient(const std::int64_t* x) {
  if (x[1] == 0) return 0;
  return x[1] == -1 ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(x[0])) : x[0] / x[1];
}
FUSECL_INLINE std::int64_t remainder(const std::int64_t* x) {
  return x[1] == 0 || x[1] == -1 ? 0 : x[0] % x[1];
}

}  // namespace detail

#define FUSECL_OPERATOR(TAG, TEXT, PRECEDENCE, HOST, HOST_INTEGER, ZERO, COMMUTATIVE, ...)  \
  FUSECL_INLINE const ir::operation& TAG::record() {                                        \
    static constexpr ir::operation record{                                                  \
        .name = #TAG,                                                                       \
        .kind = ir::op_class::elementwise,                                                  \
        .arity = 2,                                                                         \
        .types = TAG::types,                                                                \
        .opencl = TEXT,                                                                     \
        .precedence = PRECEDENCE,                                                           \
        .host = [](const long double* x) -> long double { return HOST; },                   \
        .host_integer = [](const std::int64_t* x) -> std::int64_t { return HOST_INTEGER; }, \
        .at_zero = ir::zero_rule::ZERO,                                                     \
        .ulp = 0.5f,                                                                        \
        .commutative = COMMUTATIVE,                                                         \
        .partials = {__VA_ARGS__}};                                                         \
    return record;                                                                          \
  }

FUSECL_OPERATOR(add, "$0 + $1", 12, x[0] + x[1], detail::wrapping(x, [](auto a, auto b) { return a + b; }),
                all, true, "1", "1")
FUSECL_OPERATOR(subtract, "$0 - $1", 12, x[0] - x[1],
                detail::wrapping(x, [](auto a, auto b) { return a - b; }), all, false, "1", "-1")
FUSECL_OPERATOR(multiply, "$0 * $1", 13, x[0] * x[1],
                detail::wrapping(x, [](auto a, auto b) { return a * b; }), any, true, "$1", "$0")
FUSECL_OPERATOR(less, "$0 < $1", 10, x[0] < x[1], x[0] < x[1], all, false, "0", "0")
FUSECL_OPERATOR(less_or_equal, "$0 <= $1", 10, x[0] <= x[1], x[0] <= x[1], never, false, "0", "0")
FUSECL_OPERATOR(greater, "$0 > $1", 10, x[0] > x[1], x[0] > x[1], all, false, "0", "0")
FUSECL_OPERATOR(greater_or_equal, "$0 >= $1", 10, x[0] >= x[1], x[0] >= x[1], never, false, "0", "0")
FUSECL_OPERATOR(equal, "$0 == $1", 9, x[0] == x[1], x[0] == x[1], never, true, "0", "0")
FUSECL_OPERATOR(not_equal, "$0 != $1", 9, x[0] != x[1], x[0] != x[1], all, true, "0", "0")
FUSECL_OPERATOR(logical_and, "$0 && $1", 5, x[0] != 0 && x[1] != 0, x[0] && x[1], any, true, "0", "0")
FUSECL_OPERATOR(logical_or, "$0 || $1", 4, x[0] != 0 || x[1] != 0, x[0] || x[1], all, true, "0", "0")
#undef FUSECL_OPERATOR

FUSECL_INLINE const ir::operation& divide::record() {
  static constexpr ir::operation record{.name = "divide",
                                        .kind = ir::op_class::elementwise,
                                        .arity = 2,
                                        .types = types,
                                        .opencl = "$0 / $1",
                                        .precedence = 13,
                                        .host = [](const long double* x) { return x[0] / x[1]; },
                                        .host_integer = detail::quotient,
                                        .at_zero = ir::zero_rule::numerator,
                                        .ulp = 0.5f,
                                        .cost = 4,
                                        .partials = {"1 / $1", "-$y / $1"},
                                        .by_same = &device::divided_by_same};
  return record;
}

FUSECL_INLINE const ir::operation& integer_divide::record() {
  static constexpr ir::operation record{.name = "integer_divide",
                                        .kind = ir::op_class::elementwise,
                                        .arity = 2,
                                        .types = types,
                                        .opencl = "quotient$S($0, $1)",
                                        .precedence = 16,
                                        .uses = device::uses<detail::integer_quotient>,
                                        .host = [](const long double* x) { return x[0] / x[1]; },
                                        .host_integer = detail::quotient,
                                        .at_zero = ir::zero_rule::any,
                                        .ulp = 0.5f,
                                        .cost = 20};
  return record;
}

FUSECL_INLINE const ir::operation& modulo::record() {
  static constexpr ir::operation record{.name = "modulo",
                                        .kind = ir::op_class::elementwise,
                                        .arity = 2,
                                        .types = types,
                                        .opencl = "remainder$S($0, $1)",
                                        .precedence = 16,
                                        .uses = device::uses<detail::integer_remainder>,
                                        .host = [](const long double* x) { return std::fmod(x[0], x[1]); },
                                        .host_integer = detail::remainder,
                                        .at_zero = ir::zero_rule::any,
                                        .ulp = 0.5f,
                                        .cost = 20};
  return record;
}

FUSECL_INLINE const ir::operation& stop_gradient::record() {
  static constexpr ir::operation record{.name = "stop_gradient",
                                        .kind = ir::op_class::elementwise,
                                        .arity = 1,
                                        .types = types,
                                        .opencl = "$0",
                                        .precedence = 16,
                                        .host = [](const long double* x) { return x[0]; },
                                        .at_zero = ir::zero_rule::all,
                                        .ulp = 0,
                                        .cost = 0,
                                        .partials = {"0"},
                                        .is_mark = true};
  return record;
}

FUSECL_INLINE const ir::operation& negate::record() {
  static constexpr ir::operation record{
      .name = "negate",
      .kind = ir::op_class::elementwise,
      .arity = 1,
      .types = types,
      .opencl = "-$0",
      .precedence = 14,
      .host = [](const long double* x) { return -x[0]; },
      .host_integer =
          [](const std::int64_t* x) { return static_cast<std::int64_t>(-static_cast<std::uint64_t>(x[0])); },
      .at_zero = ir::zero_rule::all,
      .ulp = 0.5f,
      .partials = {"-1"}};
  return record;
}

FUSECL_INLINE const ir::operation& logical_not::record() {
  static constexpr ir::operation record{
      .name = "logical_not",
      .kind = ir::op_class::elementwise,
      .arity = 1,
      .types = types,
      .opencl = "!$0",
      .precedence = 14,
      .host = [](const long double* x) -> long double { return x[0] == 0; },
      .host_integer = [](const std::int64_t* x) -> std::int64_t { return !x[0]; },
      .partials = {"0"}};
  return record;
}

namespace detail {

FUSECL_INLINE ir::node_id pull_selection_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
  const ir::node n = g[self];
  const ir::node_id zero = g.zero(n.type);
  const ir::node_id operands[] = {n.operands[0], k == 1 ? adjoint : zero, k == 1 ? zero : adjoint};
  return k == 0 ? ir::no_node : g.apply(select::record(), operands);
}

FUSECL_INLINE ir::node_id push_selection_forward(ir::graph& g, ir::node_id self,
                                                 const ir::node_id* tangents) {
  if (tangents[1] == ir::no_node && tangents[2] == ir::no_node) return ir::no_node;
  const ir::node n = g[self];
  const auto tangent = [&](int k) {
    return tangents[k] == ir::no_node ? g.zero(g[n.operands[k]].type) : tangents[k];
  };
  const ir::node_id yes = tangent(1);
  const ir::node_id operands[] = {n.operands[0], yes, tangent(2)};
  return g.apply(select::record(), operands);
}

}  // namespace detail

FUSECL_INLINE const ir::operation& select::record() {
  static constexpr ir::operation record{
      .name = "select",
      .kind = ir::op_class::elementwise,
      .arity = 3,
      .types = types,
      .opencl = "$0 ? $1 : $2",
      .precedence = 3,
      .host = [](const long double* x) { return x[0] != 0 ? x[1] : x[2]; },
      .host_integer = [](const std::int64_t* x) { return x[0] ? x[1] : x[2]; },
      .at_zero = ir::zero_rule::branches,
      .partials = {"0", "$0 ? 1 : 0", "$0 ? 0 : 1"},
      .pullback = detail::pull_selection_back,
      .pushforward = detail::push_selection_forward};
  return record;
}

}  // namespace fusecl::op
