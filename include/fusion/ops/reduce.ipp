#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include <fusion/ops/reduce.hpp>

namespace fusecl::op {
namespace detail {

inline constexpr long double infinity = std::numeric_limits<long double>::infinity();

// fmax and fmin drop NaN; a reduction keeps it.
inline constexpr ir::device_function larger{
    "larger", "$T larger$S($T a, $T b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN\n"};
inline constexpr ir::device_function smaller{
    "smaller", "$T smaller$S($T a, $T b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN\n"};
inline constexpr const ir::device_function* uses_larger[] = {&larger, nullptr};
inline constexpr const ir::device_function* uses_smaller[] = {&smaller, nullptr};

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
          [](const std::int64_t* x) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(x[0]) +
                                             static_cast<std::uint64_t>(x[1]));
          },
      .at_zero = ir::zero_rule::all,
      .commutative = true};
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
          [](const std::int64_t* x) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(x[0]) *
                                             static_cast<std::uint64_t>(x[1]));
          },
      .commutative = true};
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
      .uses = detail::uses_larger,
      .host =
          [](const long double* x) {
            return !x ? -detail::infinity : std::isnan(x[0]) || x[0] > x[1] ? x[0] : x[1];
          },
      .host_integer = [](const std::int64_t* x) { return std::max(x[0], x[1]); },
      .commutative = true};
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
      .uses = detail::uses_smaller,
      .host =
          [](const long double* x) {
            return !x ? detail::infinity : std::isnan(x[0]) || x[0] < x[1] ? x[0] : x[1];
          },
      .host_integer = [](const std::int64_t* x) { return std::min(x[0], x[1]); },
      .commutative = true};
  return record;
}

}  // namespace fusecl::op
