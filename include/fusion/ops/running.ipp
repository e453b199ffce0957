#pragma once
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/running.hpp>

namespace fusecl::op {
namespace detail {

// The larger of an element and the maximum so far scales the other's share: one exponential an element. Equal
// ones need none, so that infinities meet no difference of theirs.
inline constexpr ir::device_function add_exp_sum{"add_exp_sum",
                                                 "$T add_exp_sum$S($T s, $T m, $T x) {\n"
                                                 "  const $T t = x == m ? ($T)(1) : exp(-fabs(x - m));\n"
                                                 "  return x > m ? s * t + ($T)(1) : s + t;\n"
                                                 "}\n"};
inline constexpr ir::device_function merge_exp_sum{
    "merge_exp_sum",
    "$T merge_exp_sum$S($T s, $T m, $T s2, $T m2) {\n"
    "  const $T top = m > m2 ? m : m2;\n"
    "  return s * (m == top ? ($T)(1) : exp(m - top)) + s2 * (m2 == top ? ($T)(1) : exp(m2 - top));\n"
    "}\n"};
inline constexpr ir::device_function add_mean{
    "add_mean",
    "$T add_mean$S($T mean, $T n, $T x) { return mean + (x - mean) * (($T)(1) / (n + ($T)(1))); }\n"};
inline constexpr ir::device_function merge_mean{
    "merge_mean",
    "$T merge_mean$S($T mean, $T n, $T mean2, $T n2) {\n"
    "  const $T all = n + n2;\n"
    "  return all == 0 ? mean : mean + (mean2 - mean) * (n2 / all);\n"
    "}\n"};
inline constexpr ir::device_function add_squares{
    "add_squares",
    "$T add_squares$S($T s, $T mean, $T n, $T x) {\n"
    "  return s + (x - mean) * (x - mean) * (n * (($T)(1) / (n + ($T)(1))));\n"
    "}\n"};
inline constexpr ir::device_function merge_squares{
    "merge_squares",
    "$T merge_squares$S($T s, $T mean, $T n, $T s2, $T mean2, $T n2) {\n"
    "  const $T all = n + n2, d = mean2 - mean;\n"
    "  return s + s2 + (all == 0 ? ($T)(0) : d * d * (n * n2 / all));\n"
    "}\n"};
inline constexpr const ir::device_function* uses_exp_sum[] = {&add_exp_sum, &merge_exp_sum, nullptr};
inline constexpr const ir::device_function* uses_mean[] = {&add_mean, &merge_mean, nullptr};
inline constexpr const ir::device_function* uses_squares[] = {&add_squares, &merge_squares, nullptr};

inline constexpr ir::running_rule exp_sum_rule{
    {max::record, nullptr}, "add_exp_sum$S($0, $1, $3)", "merge_exp_sum$S($0, $1, $3, $4)"};
inline constexpr ir::running_rule count_rule{{nullptr, nullptr}, "$0 + ($T)(1)", "$0 + $3"};
inline constexpr ir::running_rule mean_rule{
    {running_count::record, nullptr}, "add_mean$S($0, $1, $3)", "merge_mean$S($0, $1, $3, $4)"};
inline constexpr ir::running_rule squares_rule{{running_mean::record, running_count::record},
                                               "add_squares$S($0, $1, $2, $3)",
                                               "merge_squares$S($0, $1, $2, $3, $4, $5)"};

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
          .running = &rule};
}

}  // namespace detail

FUSECL_INLINE const ir::operation& running_exp_sum::record() {
  static constexpr ir::operation record =
      detail::running("running_exp_sum", detail::exp_sum_rule, 24, detail::uses_exp_sum);
  return record;
}
FUSECL_INLINE const ir::operation& running_count::record() {
  static constexpr ir::operation record = detail::running("running_count", detail::count_rule, 1);
  return record;
}
FUSECL_INLINE const ir::operation& running_mean::record() {
  static constexpr ir::operation record =
      detail::running("running_mean", detail::mean_rule, 12, detail::uses_mean);
  return record;
}
FUSECL_INLINE const ir::operation& running_squares::record() {
  static constexpr ir::operation record =
      detail::running("running_squares", detail::squares_rule, 5, detail::uses_squares);
  return record;
}

}  // namespace fusecl::op
