#pragma once
// OpenCL C texts of the logistic and log-scale functions. Each formula is arranged so that its terms have the
// same sign wherever the result is not near a zero of the function.

#include <fusion/ops/device_functions/unbranched.hpp>

namespace fusecl::device {

inline constexpr ir::device_function inv_logit{
    .name = "inv_logit",
    .text =
        R"(// 1 / (1 + exp(-x)), with an exponential that never overflows; of x and -x, the quotient is the same.
$T inv_logit$S($T x) {
  $T e = exp_of_nonpositive$S(-fabs(x));
  $T larger = moderate_quotient$S(1, 1 + e);
  return x < 0 ? e * larger : larger;
}
)",
    .uses = uses<exp_of_nonpositive, moderate_quotient>};

inline constexpr ir::device_function logit{
    .name = "logit",
    .text = R"(// log(p / (1-p)); near 1/2 as log1p((2p-1) / (1-p)), whose numerator is exact.
$T logit$S($T p) {
  $T near_half = log1p(2 * (p - 0.5) / (1 - p));
  return fabs(p - 0.5) < 0.25 ? near_half : log(p / (1 - p));
}
)"};

inline constexpr ir::device_function log1p_unit{
    .name = "log1p_unit",
    .text = R"(// log(1 + x) for 0 <= x <= 1, with 1 + x = 2^k (1 + f).
$T log1p_unit$S($T x) {
  $T k = x > 0.41421356237309503 ? ($T)(1) : ($T)(0);
  return log_of_parts$S(k, x > 0.41421356237309503 ? 0.5 * (x - 1) : x);
}
)",
    .uses = uses<log_of_parts>};

inline constexpr ir::device_function log1p_exp{.name = "log1p_exp",
                                               .text = R"(// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)).
$T log1p_exp$S($T x) {
  return fmax(x, ($T)(0)) + log1p_unit$S(exp_of_nonpositive$S(-fabs(x)));
}
)",
                                               .uses = uses<exp_of_nonpositive, log1p_unit>};

inline constexpr ir::device_function log1p_exp_both{
    .name = "log1p_exp_both",
    .text =
        R"(// log((1 + exp(x)) (1 + exp(y))) = max(x, 0) + max(y, 0) + log(1 + s) with s <= 3, 1 + s = 2^k (1 + f).
$T log1p_exp_both$S($T x, $T y) {
  $T of_x = exp_of_nonpositive$S(-fabs(x));
  $T of_y = exp_of_nonpositive$S(-fabs(y));
  $T s = fma(of_x, of_y, of_x + of_y);
  $T k = s > 1.8284271247461903 ? ($T)(2) : (s > 0.41421356237309503 ? ($T)(1) : ($T)(0));
  $T f = s > 1.8284271247461903 ? 0.25 * (s - 3) : (s > 0.41421356237309503 ? 0.5 * (s - 1) : s);
  return fmax(x, ($T)(0)) + fmax(y, ($T)(0)) + log_of_parts$S(k, f);
}
)",
    .uses = uses<exp_of_nonpositive, log_of_parts>};

inline constexpr ir::device_function logistic_log_kernel{
    .name = "logistic_log_kernel",
    .text = R"(// -2 log(2 cosh(x / 2)) = -|x| - 2 log(1 + exp(-|x|)).
$T logistic_log_kernel$S($T x) {
  return -(fabs(x) + 2 * log1p_unit$S(exp_of_nonpositive$S(-fabs(x))));
}
)",
    .uses = uses<exp_of_nonpositive, log1p_unit>};

inline constexpr ir::device_function log1p_rest{
    .name = "log1p_rest",
    .text = R"(// (log(1 + x) / r - 2) / r^2 for -1/2 <= x <= 1, with r = x / (2 + x), of r^2.
$T log1p_rest$S($T s) {
  $T p = 0.16172240042505187 * s + 0.087966491014375064;
  p = (p * s + 0.12001922922248738) * s + 0.13314048938795839;
  p = (p * s + 0.15385576285212635) * s + 0.1818178919768306;
  p = (p * s + 0.22222222722559509) * s + 0.28571428567053475;
  return (p * s + 0.40000000000014813) * s + 0.66666666666666663;
}
)",
    .text_float = R"(// (log(1 + x) / r - 2) / r^2 for -1/2 <= x <= 1, with r = x / (2 + x), of r^2.
$T log1p_rest$S($T s) {
  $T p = 0.23232552;
  p = (p * s + 0.217047552) * s + 0.285924838;
  return (p * s + 0.399997036) * s + 0.666666673;
}
)"};

inline constexpr ir::device_function log1pmx{
    .name = "log1pmx",
    .text = R"(// log(1 + x) - x; near zero with r = x / (2 + x), so that x - 2 r = x r.
$T log1pmx$S($T x) {
  $T r = x / (2 + x);
  $T s = r * r;
  $T value = r * (s * log1p_rest$S(s) - x);
  if (any(x > -0.5 && x < 1 ? ($I)(0) : ($I)(-1))) {
    $T far = isinf(x) ? -fabs(x) : log1p(x) - x;
    value = x > -0.5 && x < 1 ? value : far;
  }
  return value;
}
)",
    .uses = uses<log1p_rest>};

inline constexpr ir::device_function poisson_log_kernel{
    .name = "poisson_log_kernel",
    .text =
        R"(// x log(m / x) - (m - x), given l = log(m / x) and d = m - x; where m is near x, x log1pmx(d / x).
$T poisson_log_kernel$S($T x, $T l, $T d) {
  $T r = 0.5 * d / (x + 0.5 * d);
  $T s = r * r;
  $T near = r * (s * log1p_rest$S(s) * x - d);
  $T far = isinf(d) ? -d : x * l - d;
  return fabs(d - 0.25 * x) < 0.75 * x ? near : far;
}
)",
    .uses = uses<log1p_rest>};

inline constexpr ir::device_function student_t_log_kernel{
    .name = "student_t_log_kernel",
    .text =
        R"(// -(nu + 1) / 2 log(1 + r) - log(sigma) with r = (d / sigma)^2 / nu; where r overflows, 1 is nothing beside it.
$T student_t_log_kernel$S($T nu, $T d, $T sigma) {
  $T r = d / sigma * (d / sigma / nu);
  $T l = log1p_unbranched$S(r);
  if (any(isinf(r) ? ($I)(-1) : ($I)(0))) l = isinf(r) ? 2 * (log(fabs(d)) - log(sigma)) - log(nu) : l;
  return -((0.5 * nu + 0.5) * l + log_unbranched$S(sigma));
}
)",
    .uses = uses<log_unbranched, log1p_unbranched>};

inline constexpr ir::device_function expm1_negative{
    .name = "expm1_negative",
    .text = R"(// exp(x) - 1 for x <= 0: a polynomial above -log(2).
$T expm1_negative$S($T x) {
  $T p = 1.2249021662419435e-10;
  p = (p * x + 2.0277467470011278e-09) * x + 2.499749977346244e-08;
  p = (p * x + 2.7554197249498234e-07) * x + 2.7557203938221597e-06;
  p = (p * x + 2.4801584558110676e-05) * x + 0.00019841269800465337;
  p = (p * x + 0.0013888888888534082) * x + 0.008333333333331748;
  p = (p * x + 0.04166666666666664) * x + 0.16666666666666666;
  return x > -0.6931472 ? x + x * x * (0.5 + x * p) : exp(x) - 1;
}
)",
    .text_float = R"(// exp(x) - 1 for x <= 0: a polynomial above -log(2).
$T expm1_negative$S($T x) {
  $T p = 0.00016019131;
  p = (p * x + 0.00136649315) * x + 0.008327846;
  p = (p * x + 0.04166619) * x + 0.16666666;
  return x > -0.6931472 ? x + x * x * (0.5 + x * p) : exp(x) - 1;
}
)"};

inline constexpr ir::device_function log1m_exp{
    .name = "log1m_exp",
    .text = R"(// log(1 - exp(x)) for x <= 0 as log(y), y = 1 - exp(x), with the rounding error of y put
// back below -log(2), where exp(x) is small (compare Maechler 2012).
$T log1m_exp$S($T x) {
  $T e = exp(x);
  $T y = x > -0.6931472 ? -expm1_negative$S(x) : 1 - e;
  return log(y) + (x > -0.6931472 ? ($T)(0) : ((1 - y) - e) / y);
}
)",
    .uses = uses<expm1_negative>};

inline constexpr ir::device_function inv_cloglog{.name = "inv_cloglog",
                                                 .text = R"(// 1 - exp(-exp(x)).
$T inv_cloglog$S($T x) {
  return -expm1_negative$S(-exp(x));
}
)",
                                                 .uses = uses<expm1_negative>};

inline constexpr ir::device_function log_inv_logit_diff{
    .name = "log_inv_logit_diff",
    .text = R"(// log(inv_logit(x) - inv_logit(y)) = log_inv_logit(x) + log1m_inv_logit(y) + log1m_exp(y -
// x), all of one sign.
$T log_inv_logit_diff$S($T x, $T y) {
  return log1m_exp$S(x == y ? ($T)(0) : y - x) - log1p_exp$S(-x) - log1p_exp$S(y);
}
)",
    .uses = uses<log1m_exp, log1p_exp>};

inline constexpr ir::device_function log_diff_exp{
    .name = "log_diff_exp",
    .text = R"(// log(exp(x) - exp(y)) = x + log(1 - exp(y - x)); equal operands give -infinity, also where
// y - x is NaN.
$T log_diff_exp$S($T x, $T y) {
  return x + log1m_exp$S(x == y ? ($T)(0) : y - x);
}
)",
    .uses = uses<log1m_exp>};

inline constexpr ir::device_function log_sum_exp{
    .name = "log_sum_exp",
    .text = R"(// log(exp(x) + exp(y)) = max(x, y) + log(1 + exp(-|x - y|)); equal infinities have
// difference 0.
$T log_sum_exp$S($T x, $T y) {
  return fmax(x, y) + log1p_unit$S(exp(x == y ? ($T)(0) : -fabs(x - y)));
}
)",
    .uses = uses<log1p_unit>};

inline constexpr ir::device_function multiply_log{.name = "multiply_log",
                                                  .text = R"(// x log(y), with 0 log(0) = 0.
$T multiply_log$S($T x, $T y) {
  return x == 0 && y == 0 ? ($T)(0) : x * log(y);
}
)"};

inline constexpr ir::device_function Phi_approx{
    .name = "Phi_approx",
    .text = R"(// inv_logit(z), z = 0.07056 x^3 + 1.5976 x = x (441 x^2 + 9985) / 6250 in two parts, as exp
// magnifies its rounding error. Explicit fma, and 9985 - s, which is exact, leave a compiler that contracts
// products and sums nothing to change.
$T Phi_approx$S($T x) {
  $T a = fabs(x) > 25 ? ($T)(25) : fabs(x);
  $T h = a * a;
  $T s = fma(($T)(441), h, ($T)(9985));
  $T s_low = fma(($T)(441), h, 9985 - s) + 441 * fma(a, a, -h);
  $T t = a * s;
  $T z = t / 6250;
  $T z_low = (fma(-z, ($T)(6250), t) + fma(a, s, -t) + a * s_low) / 6250;
  $T e = exp(-z);
  e = e - e * z_low;
  return (x < 0 ? e : ($T)(1)) / (1 + e);
}
)"};

}  // namespace fusecl::device
