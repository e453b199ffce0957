#pragma once
// Bodies of elementary.hpp: one row an operation. OpenCL builtins where they are accurate on every
// implementation at hand; the host column is the long double reference.

#include <cmath>

#include <fusion/ops/device_functions/elementary.hpp>
#include <fusion/ops/device_functions/unbranched.hpp>
#include <fusion/ops/elementary.hpp>

/// The record of an OpenCL builtin of one operand that <cmath> has under the same name; other fields follow.
#define FUSECL_BUILTIN(NAME, ZERO, LOW, HIGH, ULP, COST, PARTIAL, ...)                   \
  FUSECL_OPERATION_RECORD(                                                               \
      NAME, 1, .opencl = #NAME "($0)", .precedence = 16,                                 \
      .host = [](const long double* x) -> long double { return std::NAME(x[0]); },       \
      .at_zero = ir::zero_rule::ZERO, .domain = {{LOW, HIGH}}, .ulp = ULP, .cost = COST, \
      .partials = {PARTIAL} __VA_OPT__(, ) __VA_ARGS__)

/// The same for two operands.
#define FUSECL_BINARY_BUILTIN(NAME, ZERO, ULP, COST, COMMUTATIVE, ...)                      \
  FUSECL_OPERATION_RECORD(                                                                  \
      NAME, 2, .opencl = #NAME "($0, $1)", .precedence = 16,                                \
      .host = [](const long double* x) -> long double { return std::NAME(x[0], x[1]); },    \
      .at_zero = ir::zero_rule::ZERO, .ulp = ULP, .cost = COST, .commutative = COMMUTATIVE, \
      .partials = {__VA_ARGS__})

namespace fusecl::op {

// clang-format off
//             name   at zero  domain       ulp   flops  derivative
FUSECL_BUILTIN(sqrt,  all,     0, 100,      4,    8,    "0.5 / $y")
FUSECL_BUILTIN(cbrt,  all,     -100, 100,   4,    20,    "1 / (3 * square($y))")
FUSECL_BUILTIN(exp,   never,   -10, 10,     4,    16,    "$y", .by_ptx = &device::exp_unbranched)
FUSECL_BUILTIN(exp2,  never,   -10, 10,     4,    14,    "0.6931471805599453 * $y")
FUSECL_BUILTIN(expm1, all,     -10, 10,     4,    22,    "exp($0)")
FUSECL_BUILTIN(log,   never,   0.001, 100,  4,    20,    "1 / $0", .by_ptx = &device::log_unbranched)
FUSECL_BUILTIN(log2,  never,   0.001, 100,  4,    20,    "1.4426950408889634 / $0")
FUSECL_BUILTIN(log10, never,   0.001, 100,  4,    20,    "0.4342944819032518 / $0")
FUSECL_BUILTIN(log1p, all,     -0.99, 100,  4,    22,    "1 / (1 + $0)", .by_ptx = &device::log1p_unbranched)
FUSECL_BUILTIN(sinh,  all,     -10, 10,     4,    28,    "cosh($0)")
FUSECL_BUILTIN(cosh,  never,   -10, 10,     4,    28,    "sinh($0)")
FUSECL_BUILTIN(tanh,  all,     -5, 5,       4,    28,    "inv_square(cosh($0))")
FUSECL_BUILTIN(asin,  all,     -1, 1,       4,    20,    "rsqrt((1 - $0) * (1 + $0))")
FUSECL_BUILTIN(asinh, all,     -10, 10,     4,    35,    "1 / hypot($0, 1)")
FUSECL_BUILTIN(acos,  never,   -1, 1,       4,    20,    "-rsqrt((1 - $0) * (1 + $0))")
FUSECL_BUILTIN(acosh, never,   1, 100,      4,    35,    "rsqrt($0 - 1) * rsqrt($0 + 1)")
FUSECL_BUILTIN(atan,  all,     -10, 10,     4,    20,    "1 / (1 + square($0))")
FUSECL_BUILTIN(atanh, all,     -0.99, 0.99, 4,    30,    "1 / ((1 - $0) * (1 + $0))")
FUSECL_BUILTIN(floor, all,     -100, 100,   0.5f, 1,    "0")
FUSECL_BUILTIN(round, all,     -100, 100,   0.5f, 1,    "0")
FUSECL_BUILTIN(ceil,  all,     -100, 100,   0.5f, 1,    "0")
FUSECL_BUILTIN(fabs,  all,     -100, 100,   0.5f, 1,    "sign($0)")
FUSECL_BUILTIN(trunc, all,     -100, 100,   0.5f, 1,    "0")

//                    name      at zero    ulp   flops commutative  derivatives
FUSECL_BINARY_BUILTIN(fdim,     all,       0.5f, 2,    false,  "$0 > $1 ? 1 : 0", "$0 > $1 ? -1 : 0")
FUSECL_BINARY_BUILTIN(fmax,     all,       0.5f, 1,    true,  "$y == $0 ? ($0 == $1 ? 0.5 : 1) : 0", "$y == $1 ? ($0 == $1 ? 0.5 : 1) : 0")
FUSECL_BINARY_BUILTIN(fmin,     all,       0.5f, 1,    true,  "$y == $0 ? ($0 == $1 ? 0.5 : 1) : 0", "$y == $1 ? ($0 == $1 ? 0.5 : 1) : 0")
FUSECL_BINARY_BUILTIN(hypot,    all,       4,    20,   true,  "$0 / $y", "$1 / $y")
FUSECL_BINARY_BUILTIN(copysign, numerator, 0.5f, 1,    false,  "sign($0) * copysign(1, $1)", "0")
// clang-format on

// The sum makes a zero of either sign one without: those outside of a view may have any.
FUSECL_OPERATION_RECORD(
    atan2, 2, .opencl = "atan2($0 + 0, $1 + 0)", .precedence = 16,
    .host = [](const long double* x) -> long double { return std::atan2(x[0] + 0, x[1] + 0); },
    .at_zero = ir::zero_rule::all,
    .accuracy_note = "Of zeros the sign does not count: `atan2(0, -0.0)` is 0.", .cost = 30,
    .partials = {"$1 / hypot($0, $1) / hypot($0, $1)", "-($0 / hypot($0, $1) / hypot($0, $1))"})

FUSECL_OPERATION_RECORD(
    rsqrt, 1, .opencl = "rsqrt($0)", .precedence = 16,
    .host = [](const long double* x) -> long double { return 1 / std::sqrt(x[0]); }, .domain = {{0.001, 100}},
    .cost = 10, .partials = {"-0.5 * $y / $0"})

FUSECL_OPERATION_RECORD(
    inv_sqrt, 1, .opencl = "rsqrt($0)", .precedence = 16,
    .host = [](const long double* x) -> long double { return 1 / std::sqrt(x[0]); }, .domain = {{0.001, 100}},
    .cost = 10, .partials = {"-0.5 * $y / $0"})

FUSECL_OPERATION_RECORD(
    inv, 1, .opencl = "1 / $0", .precedence = 13,
    .host = [](const long double* x) -> long double { return 1 / x[0]; }, .domain = {{0.01, 100}}, .cost = 4,
    .partials = {"-square($y)"})

FUSECL_OPERATION_RECORD(
    square, 1, .opencl = "$0 * $0", .precedence = 13,
    .host = [](const long double* x) -> long double { return x[0] * x[0]; }, .at_zero = ir::zero_rule::all,
    .ulp = 0.5f, .cost = 1, .partials = {"2 * $0"})

}  // namespace fusecl::op

namespace fusecl::device {

inline constexpr ir::device_function signum{.name = "signum",
                                            .text = R"(// -1, 0 or 1; a zero keeps its sign and NaN stays NaN.
$T signum$S($T x) {
  return x > 0 ? ($T)(1) : (x < 0 ? ($T)(-1) : x);
}
)"};

inline constexpr ir::device_function inv_square{
    .name = "inv_square", .text = R"(// 1 / (x*x), without the square that overflows first.
$T inv_square$S($T x) {
  $T r = 1 / x;
  return r * r;
}
)"};

inline constexpr ir::device_function absolute{
    .name = "absolute",
    .text = R"(// The absolute value, of zero the positive one.
$T absolute$S($T x) {
  return x > 0 ? x : 0 - x;
}
)",
    .text_integer = R"(// The absolute value; the least integer stays itself.
$T absolute$S($T x) {
  return x > 0 ? x : as_$T(0 - as_$U(x));
}
)"};

}  // namespace fusecl::device

namespace fusecl::op {

FUSECL_OPERATION_RECORD(
    sign, 1, .opencl = "signum$S($0)", .precedence = 16, .uses = device::uses<device::signum>,
    .host = [](const long double* x) -> long double { return x[0] > 0   ? 1
                                                             : x[0] < 0 ? -1
                                                                        : x[0]; },
    .at_zero = ir::zero_rule::all, .ulp = 0.5f, .cost = 2, .partials = {"0"})

FUSECL_OPERATION_RECORD(
    inv_square, 1, .opencl = "inv_square$S($0)", .precedence = 16, .uses = device::uses<device::inv_square>,
    .host = [](const long double* x) -> long double { return 1 / (x[0] * x[0]); }, .domain = {{0.01, 100}},
    .cost = 5, .partials = {"-2 * $y / $0"})

FUSECL_OPERATION_RECORD(
    abs, 1, .opencl = "absolute$S($0)", .precedence = 16, .uses = device::uses<device::absolute>,
    .host = [](const long double* x) -> long double { return std::fabs(x[0]); },
    .host_integer = [](const std::int64_t* x) -> std::int64_t { return x[0] < 0 ? 0 - x[0] : x[0]; },
    .at_zero = ir::zero_rule::all, .ulp = 0.5f, .cost = 1, .partials = {"sign($0)"})

FUSECL_OPERATION_RECORD(
    isfinite, 1, .opencl = "isfinite($0)", .precedence = 16,
    .host = [](const long double* x) -> long double { return is_finite(x[0]); }, .ulp = 0.5f,
    .partials = {"0"})

FUSECL_OPERATION_RECORD(
    isinf, 1, .opencl = "isinf($0)", .precedence = 16,
    .host = [](const long double* x) -> long double { return is_infinite(x[0]); },
    .at_zero = ir::zero_rule::all, .ulp = 0.5f, .partials = {"0"})

FUSECL_OPERATION_RECORD(
    isnan, 1, .opencl = "isnan($0)", .precedence = 16,
    .host = [](const long double* x) -> long double { return is_nan(x[0]); }, .at_zero = ir::zero_rule::all,
    .ulp = 0.5f, .partials = {"0"})

FUSECL_OPERATION_RECORD(
    sin, 1, .opencl = "sin_checked$S($0)", .precedence = 16, .uses = device::uses<device::sin>,
    .host = [](const long double* x) -> long double { return std::sin(x[0]); }, .at_zero = ir::zero_rule::all,
    .cost = 28, .partials = {"cos($0)"})

FUSECL_OPERATION_RECORD(
    cos, 1, .opencl = "cos_checked$S($0)", .precedence = 16, .uses = device::uses<device::cos>,
    .host = [](const long double* x) -> long double { return std::cos(x[0]); },
    .at_zero = ir::zero_rule::never, .cost = 28, .partials = {"-sin($0)"})

FUSECL_OPERATION_RECORD(
    tan, 1, .opencl = "tan_checked$S($0)", .precedence = 16, .uses = device::uses<device::tan>,
    .host = [](const long double* x) -> long double { return std::tan(x[0]); }, .at_zero = ir::zero_rule::all,
    .cost = 28, .partials = {"1 + square($y)"})

FUSECL_OPERATION_RECORD(
    fmod, 2, .opencl = "fmod_exact$S($0, $1)", .precedence = 16, .uses = device::uses<device::fmod>,
    .host = [](const long double* x) -> long double { return std::fmod(x[0], x[1]); },
    .at_zero = ir::zero_rule::numerator, .ulp = 0.5f, .cost = 25, .partials = {"1", "-trunc($0 / $1)"})

FUSECL_OPERATION_RECORD(
    pow, 2, .opencl = "pow_branch_free$S($0, $1)", .precedence = 16, .uses = device::uses<device::pow>,
    .host = [](const long double* x) -> long double { return std::pow(x[0], x[1]); },
    .domain = {{0.01, 10}, {-10, 10}}, .cost = 60,
    .partials = {"$1 == 0 ? 0 : $1 * pow($0, $1 - 1)", "multiply_log($y, $0)"})

FUSECL_OPERATION_RECORD(
    ldexp, 2, .opencl = "ldexp($0, $1)", .precedence = 16,
    .host = [](const long double* x) -> long double { return std::ldexp(x[0], static_cast<int>(x[1])); },
    .at_zero = ir::zero_rule::numerator, .domain = {{-10, 10}, {-20, 20}}, .ulp = 0.5f, .cost = 4,
    .partials = {"ldexp(1, $1)", "0"})

FUSECL_OPERATION_RECORD(
    fma, 3, .opencl = "fma($0, $1, $2)", .precedence = 16,
    .host = [](const long double* x) -> long double { return std::fma(x[0], x[1], x[2]); },
    .at_zero = ir::zero_rule::all, .ulp = 0.5f, .cost = 2, .partials = {"$1", "$0", "1"})

#undef FUSECL_BUILTIN
#undef FUSECL_BINARY_BUILTIN

}  // namespace fusecl::op
