#pragma once
#include <fusion/ops/record.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/running.hpp>

namespace fusecl::op {
namespace detail {

// The larger of an element and the maximum so far scales the other's share: one exponential an element. The
// same ones need none, so that infinities meet no difference of theirs; bits are compared because that takes
// nothing from the units that compute the exponential.
inline constexpr ir::device_function add_exp_sum{
    "add_exp_sum",
    "$T add_exp_sum$S($T s, $T m, $T x) {\n"
    "  const $T t = as_$I(x) == as_$I(m) ? ($T)(1) : exp(-fabs(x - m));\n"
    "  return x > m ? fma(s, t, ($T)(1)) : s + t;\n"
    "}\n"};
inline constexpr ir::device_function merge_exp_sum{
    "merge_exp_sum",
    "$T merge_exp_sum$S($T s, $T m, $T s2, $T m2) {\n"
    "  const $T top = m > m2 ? m : m2;\n"
    "  return s * (m == top ? ($T)(1) : exp(m - top)) + s2 * (m2 == top ? ($T)(1) : exp(m2 - top));\n"
    "}\n"};
// The pivot of a few elements is the first of them, or zero where that is not finite: what it is taken from
// stays infinite or NaN. Others' are met by as much as they have elements, so that one far from the rest
// costs digits in its own few elements only.
inline constexpr ir::device_function running_pivot_of{
    "pivot_of", "$T pivot_of$S($T p, $T n, $T x) { return n == 0 && isfinite(x) ? x : p; }\n"};
inline constexpr ir::device_function middle_of{
    "middle_of",
    "$T middle_of$S($T p, $T n, $T p2, $T n2) {\n"
    "  const $T gap = p2 - p, met = isinf(gap) ? p * ($T)(0.5) + p2 * ($T)(0.5) : p + n2 / (n + n2) * gap;\n"
    "  return n == 0 ? p2 : n2 == 0 ? p : met;\n"
    "}\n"};
inline constexpr ir::device_function add_total{
    "add_total",
    "$T add_total$S($T s, $T p, $T n, $T x) { return s + (x - pivot_of$S(p, n, x)); }\n",
    {},
    device::uses<running_pivot_of>};
inline constexpr ir::device_function merge_total{"merge_total",
                                                 "$T merge_total$S($T s, $T p, $T n, $T s2, $T p2, $T n2) {\n"
                                                 "  const $T to = middle_of$S(p, n, p2, n2);\n"
                                                 "  return (s + n * (p - to)) + (s2 + n2 * (p2 - to));\n"
                                                 "}\n",
                                                 {},
                                                 device::uses<middle_of>};
inline constexpr ir::device_function add_squares{"add_squares",
                                                 "$T add_squares$S($T s, $T p, $T n, $T x) {\n"
                                                 "  const $T d = x - pivot_of$S(p, n, x);\n"
                                                 "  return s + d * d;\n"
                                                 "}\n",
                                                 {},
                                                 device::uses<running_pivot_of>};
// Squares that overflow, or are of infinities, stay infinite.
inline constexpr ir::device_function merge_squares{
    "merge_squares",
    "$T merge_squares$S($T s, $T p, $T n, $T t, $T s2, $T p2, $T n2, $T t2) {\n"
    "  const $T to = middle_of$S(p, n, p2, n2), d = p - to, d2 = p2 - to, both = s + s2;\n"
    "  return isinf(both) ? both : (s + d * (t + t + n * d)) + (s2 + d2 * (t2 + t2 + n2 * d2));\n"
    "}\n",
    {},
    device::uses<middle_of>};

inline constexpr ir::running_rule exp_sum_rule{
    {max::record}, "add_exp_sum$S($0, $1, $4)", "merge_exp_sum$S($0, $1, $4, $5)"};
inline constexpr ir::running_rule count_rule{{}, "$0 + ($T)(1)", "$0 + $4", "$0 + ($T)(1)", "$0 + $4"};
inline constexpr ir::running_rule pivot_rule{
    {running_count::record}, "pivot_of$S($0, $1, $4)", "middle_of$S($0, $1, $4, $5)", "$0", "$0"};
inline constexpr ir::running_rule total_rule{{running_pivot::record, running_count::record},
                                             "add_total$S($0, $1, $2, $4)",
                                             "merge_total$S($0, $1, $2, $4, $5, $6)",
                                             "$0 + (($4) - $1)",
                                             "$0 + $4"};
inline constexpr ir::running_rule squares_rule{
    {running_pivot::record, running_count::record, running_total::record},
    "add_squares$S($0, $1, $2, $4)",
    "merge_squares$S($0, $1, $2, $3, $4, $5, $6, $7)",
    "$0 + (($4) - $1) * (($4) - $1)",
    "$0 + $4"};

/// A reduction that starts at zero.
constexpr ir::operation running(std::string_view name, const ir::running_rule& rule, float cost,
                                const ir::device_function* const* uses = nullptr) {
  return {.name = name,
          .kind = ir::op_class::reduction,
          .arity = 1,
          .types = ir::type_rule::floating,
          .opencl = rule.merge,
          .precedence = 16,
          .uses = uses,
          .host = [](const long double*) { return 0.0L; },
          .cost = cost,
          .running = &rule,
          .brings = &ir::supports::reductions};
}

}  // namespace detail

FUSECL_INLINE const ir::operation& running_exp_sum::record() {
  static constexpr ir::operation record = detail::running(
      "running_exp_sum", detail::exp_sum_rule, 24, device::uses<detail::add_exp_sum, detail::merge_exp_sum>);
  return record;
}
FUSECL_INLINE const ir::operation& running_count::record() {
  static constexpr ir::operation record = detail::running("running_count", detail::count_rule, 1);
  return record;
}
FUSECL_INLINE const ir::operation& running_pivot::record() {
  static constexpr ir::operation record = detail::running(
      "running_pivot", detail::pivot_rule, 1, device::uses<detail::running_pivot_of, detail::middle_of>);
  return record;
}
FUSECL_INLINE const ir::operation& running_total::record() {
  static constexpr ir::operation record = detail::running(
      "running_total", detail::total_rule, 3, device::uses<detail::add_total, detail::merge_total>);
  return record;
}
FUSECL_INLINE const ir::operation& running_squares::record() {
  static constexpr ir::operation record = detail::running(
      "running_squares", detail::squares_rule, 3, device::uses<detail::add_squares, detail::merge_squares>);
  return record;
}

}  // namespace fusecl::op
