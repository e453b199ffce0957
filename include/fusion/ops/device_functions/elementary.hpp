#pragma once
// OpenCL C texts for elementary functions: exponential and logarithm in two parts, pow, and builtins that
// need care. Coefficients are near-minimax fits made by tools/fit_coefficients.py.

#include <fusion/ops/record.hpp>

namespace fusecl::device {

inline constexpr ir::device_function log_extended{
    .name = "log_extended",
    .text = R"(// log(x + x_low) as the sum of the result and *low, to twice the precision, for finite x >
// 0 and |x_low| << x: x = 2^k m, log(m) = 2 atanh((m-1)/(m+1)), the first two terms of the series carried
// in two parts.
$T log_extended$S($T x, $T x_low, $T* low) {
  $T scaled = x < 2.2250738585072014e-308 ? 18014398509481984.0 * x : x;
  $I bits = as_$I(scaled);
  $I k = (bits - 0x3fe6a09e667f3bcd) >> 52;
  $T m = as_$T(bits - (k << 52));
  $T m_low = x_low * as_$T(max(1023 - k, ($I)(1)) << 52);
  $T exponent = convert_$T(k) - (x < 2.2250738585072014e-308 ? ($T)(54) : ($T)(0));
  $T n = m - 1;
  $T d = m + 1;
  $T d_low = (1 - d) + m + m_low;
  $T f = n / d;
  $T f_low = (fma(-f, d, n) + m_low - f * d_low) / d;
  $T s = f * f;
  $T s_low = fma(f, f, -s) + 2 * f * f_low;
  $T p = 0.11730253569661825 * s + 0.11705556813699285;
  p = (p * s + 0.13334830186984287) * s + 0.15384594491403428;
  p = (p * s + 0.18181818339828532) * s + 0.22222222221636156;
  p = (p * s + 0.28571428571429397) * s + 0.4;
  p = s * p;
  $T c = 0.6666666666666666 + p;
  $T c_low = (0.6666666666666666 - c) + p + 3.700743415417188e-17;
  $T t = s * c;
  $T t_low = fma(s, c, -t) + s * c_low + s_low * c;
  $T u = f * t;
  $T u_low = fma(f, t, -u) + f * t_low + f_low * t;
  $T a = exponent * 0.6931471803691238;
  $T b = a + 2 * f;
  $T value = b + u;
  *low = ((a - b) + 2 * f) + ((b - value) + u) + (2 * f_low + u_low + exponent * 1.9082149292705877e-10);
  return value;
}
)",
    .text_float = R"(// log(x + x_low) as the sum of the result and *low, to twice the precision, for
// finite x > 0 and |x_low| << x: x = 2^k m, log(m) = 2 atanh((m-1)/(m+1)), the first two terms of the
// series carried in two parts.
$T log_extended$S($T x, $T x_low, $T* low) {
  $T scaled = x < 1.17549435e-38 ? 16777216.0 * x : x;
  $I bits = as_$I(scaled);
  $I k = (bits - 0x3f3504f3) >> 23;
  $T m = as_$T(bits - (k << 23));
  $T m_low = x_low * as_$T(max(127 - k, ($I)(1)) << 23);
  $T exponent = convert_$T(k) - (x < 1.17549435e-38 ? ($T)(24) : ($T)(0));
  $T n = m - 1;
  $T d = m + 1;
  $T d_low = (1 - d) + m + m_low;
  $T f = n / d;
  $T f_low = (fma(-f, d, n) + m_low - f * d_low) / d;
  $T s = f * f;
  $T s_low = fma(f, f, -s) + 2 * f * f_low;
  $T p = 0.230531;
  p = (p * s + 0.28562127) * s + 0.40000015;
  p = s * p;
  $T c = 0.6666667 + p;
  $T c_low = (0.6666667 - c) + p - 1.9868216e-08;
  $T t = s * c;
  $T t_low = fma(s, c, -t) + s * c_low + s_low * c;
  $T u = f * t;
  $T u_low = fma(f, t, -u) + f * t_low + f_low * t;
  $T a = exponent * 0.693145752;
  $T b = a + 2 * f;
  $T value = b + u;
  *low = ((a - b) + 2 * f) + ((b - value) + u) + (2 * f_low + u_low + exponent * 1.42860677e-06);
  return value;
}
)"};

inline constexpr ir::device_function exp_extended{
    .name = "exp_extended",
    .text = R"(// exp(x + x_low) for |x_low| << 1: 2^n exp(r) with r = x - n log(2) in two parts; 2^n in
// two factors, so that results below the normal range round once.
$T exp_extended$S($T x, $T x_low) {
  $T u = x > 1400 ? ($T)(1400) : (x < -1400 ? ($T)(-1400) : x);
  $T n = rint(u * 1.4426950408889634);
  $T r = fma(-n, ($T)(0.6931471803691238), u);
  $T c = x_low - n * 1.9082149292705877e-10;
  $T s = r + c;
  $T s_low = (r - s) + c;
  $T p = 2.088880228523728e-09;
  p = (p * s + 2.510521145872963e-08) * s + 2.755735140196938e-07;
  p = (p * s + 2.7557255423549426e-06) * s + 2.4801587243800976e-05;
  p = (p * s + 0.00019841269874792093) * s + 0.0013888888888918818;
  p = (p * s + 0.008333333333326146) * s + 0.041666666666666616;
  p = (p * s + 0.1666666666666667) * s + 0.5;
  $T value = 1 + (s + (s_low + s * s * p));
  $I k = convert_$I(n);
  $I half_k = k >> 1;
  return value * as_$T((half_k + 1023) << 52) * as_$T((k - half_k + 1023) << 52);
}
)",
    .text_float = R"(// exp(x + x_low) for |x_low| << 1: 2^n exp(r) with r = x - n log(2) in two parts; 2^n
// in two factors, so that results below the normal range round once.
$T exp_extended$S($T x, $T x_low) {
  $T u = x > 170 ? ($T)(170) : (x < -170 ? ($T)(-170) : x);
  $T n = rint(u * 1.4426950408889634);
  $T r = fma(-n, ($T)(0.693145752), u);
  $T c = x_low - n * 1.42860677e-06;
  $T s = r + c;
  $T s_low = (r - s) + c;
  $T p = 0.00139010178;
  p = (p * s + 0.008363162) * s + 0.041666857;
  p = (p * s + 0.166665772) * s + 0.5;
  $T value = 1 + (s + (s_low + s * s * p));
  $I k = convert_$I(n);
  $I half_k = k >> 1;
  return value * as_$T((half_k + 127) << 23) * as_$T((k - half_k + 127) << 23);
}
)"};

inline constexpr ir::device_function pow{
    .name = "pow_branch_free",
    .text = R"(// exp(y log|x|) with the logarithm and the product in two parts; then the sign, and the
// special cases of C.
$T pow_branch_free$S($T x, $T y) {
  $T a = fabs(x);
  $T l_low;
  $T l = log_extended$S(a, ($T)(0), &l_low);
  l = a == 0 ? ($T)(-INFINITY) : (isinf(a) ? a : l);
  $T u = a == 1 ? ($T)(0) : y * l;
  $T u_low = fabs(u) < 1400 && a != 1 ? fma(y, l, -u) + y * l_low : ($T)(0);
  $T e = exp_extended$S(u, u_low);
  e = copysign(($T)(1), x) < 0 && y == rint(y) && 0.5 * y != rint(0.5 * y) ? -e : e;
  e = x != x || y != y || (x < 0 && !isinf(x) && y != rint(y)) ? ($T)(NAN) : e;
  return y == 0 || x == 1 ? ($T)(1) : e;
}
)",
    .uses = uses<log_extended, exp_extended>};

inline constexpr ir::device_function sin{
    .name = "sin_checked",
    .text = R"(// The builtin, with the series of sin near zero .
$T sin_checked$S($T x) {
  return sin(x);
}
)",
    .text_float = R"(// The builtin, with the series of sin near zero : SLEEF's float vectors err there
// beside an operand above 4e4.
$T sin_checked$S($T x) {
  return fabs(x) < 0.01 ? x - x * x * x * 0.16666667 : sin(x);
}
)"};

inline constexpr ir::device_function cos{
    .name = "cos_checked",
    .text = R"(// The builtin, with the series of cos near zero .
$T cos_checked$S($T x) {
  return cos(x);
}
)",
    .text_float = R"(// The builtin, with the series of cos near zero : SLEEF's float vectors err there
// beside an operand above 4e4.
$T cos_checked$S($T x) {
  return fabs(x) < 0.01 ? 1 - 0.5 * x * x : cos(x);
}
)"};

inline constexpr ir::device_function tan{
    .name = "tan_checked",
    .text = R"(// The builtin, with the series of tan near zero .
$T tan_checked$S($T x) {
  return tan(x);
}
)",
    .text_float = R"(// The builtin, with the series of tan near zero : SLEEF's float vectors err there
// beside an operand above 4e4.
$T tan_checked$S($T x) {
  return fabs(x) < 0.01 ? x + x * x * x * 0.33333333 : tan(x);
}
)"};

inline constexpr ir::device_function fmod{
    .name = "fmod_exact",
    .text = R"(// The remainder of |x| by |y|, exact by fma once the quotient's rounding is put right;
// quotients that do not fit the mantissa take further rounds. SLEEF's vector fmod, behind PoCL's builtin,
// loops for ever there.
$T fmod_exact$S($T x, $T y) {
  $T d = fabs(y);
  $T r = fabs(x);
  $I ordinary = isfinite(x) && isfinite(y) && d > 0 ? ($I)(-1) : ($I)(0);
  r = ordinary ? r : ($T)(0);
  d = ordinary ? d : ($T)(1);
  for (int pass = 0; pass < 44 && any(fabs(r) >= d ? ($I)(-1) : ($I)(0)); ++pass) {
    $T step = isinf(r / d) ? 8.98846567431158e307 * d : d;
    step = isinf(r / step) ? 1.8446744073709552e19 * step : step;  // d is one of the smallest numbers
    r = fma(-trunc(r / step), step, r);
  }
  r = r < 0 ? r + d : r;
  r = copysign(ordinary ? r : ($T)(NAN), x);
  return isinf(y) && isfinite(x) ? x : r;
}
)",
    .text_float = R"(// The remainder of |x| by |y|, exact by fma once the quotient's rounding is put
// right; quotients that do not fit the mantissa take further rounds. SLEEF's vector fmod, behind PoCL's
// builtin, loops for ever there.
$T fmod_exact$S($T x, $T y) {
  $T d = fabs(y);
  $T r = fabs(x);
  $I ordinary = isfinite(x) && isfinite(y) && d > 0 ? ($I)(-1) : ($I)(0);
  r = ordinary ? r : ($T)(0);
  d = ordinary ? d : ($T)(1);
  for (int pass = 0; pass < 14 && any(fabs(r) >= d ? ($I)(-1) : ($I)(0)); ++pass) {
    $T step = isinf(r / d) ? 1.7014118e38 * d : d;
    step = isinf(r / step) ? 1.8446744e19 * step : step;  // d is one of the smallest numbers
    r = fma(-trunc(r / step), step, r);
  }
  r = r >= d ? r - d : r;  // OpenCL allows quotients that are 2.5 ulp too small
  r = r < 0 ? r + d : r;
  r = copysign(ordinary ? r : ($T)(NAN), x);
  return isinf(y) && isfinite(x) ? x : r;
}
)"};

}  // namespace fusecl::device
