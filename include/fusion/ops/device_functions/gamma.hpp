#pragma once
// OpenCL C texts of the gamma family: tgamma, lgamma, beta, lbeta and
// binomial_coefficient_log. Coefficients are near-minimax fits made by tools/fit_coefficients.py.

#include <fusion/ops/device_functions/elementary.hpp>

namespace fusecl::device {

inline constexpr ir::device_function lgamma{
    .name = "log_gamma",
    .text = R"(// With y = 1 + z >= 1/2: lgamma(y) = z (z-1) (1/2 + R(z)) below 5, else Stirling's series;
// lgamma(x) = lgamma(1+x) - log(x) below 1/2, and lgamma(x) = -log(|sin(pi x)| / pi) - lgamma(1-x) below 0.
$T log_gamma$S($T x) {
  $T z = x < 0.5 ? fabs(x) : x - 1;
  $T v = z + 0.5;
  $T num = -2.4826024655455947e-08;
  num = (num * v - 0.0002574309582931263) * v - 0.011887597010887147;
  num = (num * v - 0.16166944176572667) * v - 0.894478929915661;
  num = (num * v - 2.2114014433852014) * v - 2.1799088712155963;
  num = (num * v + 0.2256711855315465) * v + 1.9614638965589544;
  num = (num * v + 1.288516159104328) * v + 0.2631532572329334;
  $T den = 0.0005258926346759723 * v + 0.027803892571427385;
  den = (den * v + 0.46015355527429874) * v + 3.366352635004216;
  den = (den * v + 12.619082124798117) * v + 26.12344084490004;
  den = (den * v + 30.80850621486936) * v + 20.47965014856136;
  den = (den * v + 7.111651188323255) * v + 1.0;
  $T y = x < 0.5 ? 1 + z : x;
  $T t = 1 / (y < 5 ? den : y);
  $T s = t * t;
  $T correction = -0.013302567074776245 * s + 0.005558696349007315;
  correction = (correction * s - 0.0018916713720939146) * s + 0.0008412969137226245;
  correction = (correction * s - 0.0005952336787527981) * s + 0.0007936507723274582;
  correction = (correction * s - 0.0027777777777383533) * s + 0.08333333333333331;
  $T product = z * (z - 1);
  $T near = fma(product, num * t, 0.5 * product);
  $T l = log(x >= 0 && x < 0.5 ? x : y);
  $T far = (y - 0.5) * (l - 1) + (0.4189385332046727 + t * correction);
  $T value = y < 5 ? near : far;
  value = x < 0.5 ? value - l : value;
  if (any(x < 0 ? ($I)(-1) : ($I)(0))) {
    $T r = x - rint(x);
    s = r * r;
    $T sine = 2.449273628334033e-07;
    sine = (sine * s - 6.971997192846468e-06) * s + 0.00014842779959369133;
    sine = (sine * s - 0.002346080886564395) * s + 0.02614784780450039;
    sine = (sine * s - 0.1907518241214287) * s + 0.8117424252833372;
    sine = (sine * s - 1.6449340668482262) * s + 1.0;
    value = x < 0 ? -(y < 5 ? near : far) - log(fabs(r) * sine) : value;
  }
  return isinf(x) ? fabs(x) : value;
}
)",
    .text_float = R"(// With y = 1 + z >= 1/2: lgamma(y) = z (z-1) (1/2 + R(z)) below 5, else Stirling's
// series; lgamma(x) = lgamma(1+x) - log(x) below 1/2, and lgamma(x) = -log(|sin(pi x)| / pi) - lgamma(1-x)
// below 0.
$T log_gamma$S($T x) {
  $T z = x < 0.5 ? fabs(x) : x - 1;
  $T v = z + 0.5;
  $T num = -0.02374739;
  num = (num * v - 0.25682178) * v - 0.3499065;
  num = (num * v + 0.23583478) * v + 0.26315322;
  $T den = 0.04961401;
  den = (den * v + 0.79743298) * v + 2.835267;
  den = (den * v + 3.1113732) * v + 1.0;
  $T y = x < 0.5 ? 1 + z : x;
  $T t = 1 / (y < 5 ? den : y);
  $T s = t * t;
  $T correction = 0.0007601448;
  correction = (correction * s - 0.002777287) * s + 0.0833333323;
  $T product = z * (z - 1);
  $T near = fma(product, num * t, 0.5 * product);
  $T l = log(x >= 0 && x < 0.5 ? x : y);
  $T far = (y - 0.5) * (l - 1) + (0.4189385332046727 + t * correction);
  $T value = y < 5 ? near : far;
  value = x < 0.5 ? value - l : value;
  if (any(x < 0 ? ($I)(-1) : ($I)(0))) {
    $T r = x - rint(x);
    s = r * r;
    $T sine = 0.024687637;
    sine = (sine * s - 0.19042611) * s + 0.8117124;
    sine = (sine * s - 1.6449331) * s + 1.0;
    value = x < 0 ? -(y < 5 ? near : far) - log(fabs(r) * sine) : value;
  }
  return isinf(x) ? fabs(x) : value;
}
)"};

inline constexpr ir::device_function stirling_correction{
    .name = "stirling_correction",
    .text = R"(// lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 1: a rational function of
// 1/x.
$T stirling_correction$S($T x) {
  $T t = 1 / x;
  $T num = -3.186845202138288e-05;
  num = (num * t + 0.019696239439096947) * t + 0.3588634801387386;
  num = (num * t + 1.2787637162054337) * t + 2.2068419962020016;
  num = (num * t + 2.146860020635745) * t + 1.2861663805593588;
  num = (num * t + 0.43966322836997274) * t + 0.08333333333333334;
  $T den = 0.011241817279901235;
  den = (den * t + 0.5657431378290337) * t + 5.0657935703891095;
  den = (den * t + 16.159524153567908) * t + 26.988157779808148;
  den = (den * t + 25.938185539793167) * t + 15.467329900033373;
  den = (den * t + 5.275958740439745) * t + 1.0;
  return t * num / den;
}
)",
    .text_float = R"(// lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 1: a rational function
// of 1/x.
$T stirling_correction$S($T x) {
  $T t = 1 / x;
  $T num = -0.0012823982 * t + 0.028179888;
  num = (num * t + 0.04815816) * t + 0.083333336;
  $T den = 0.0046409314 * t + 0.3713933;
  den = (den * t + 0.5779027) * t + 1.0;
  return t * num / den;
}
)"};

inline constexpr ir::device_function lgamma_stirling_diff{
    .name = "lgamma_stirling_diff",
    .text =
        R"(// lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 0; below 1 from its value at 1 + x.
$T lgamma_stirling_diff$S($T x) {
  $T value = stirling_correction$S(x < 1 ? 1 + x : x);
  if (any(x < 1 ? ($I)(-1) : ($I)(0))) value = x < 1 ? (x + 0.5) * log1p(1 / x) - 1 + value : value;
  return x < 0 ? ($T)(NAN) : value;
}
)",
    .uses = uses<stirling_correction>};

inline constexpr ir::device_function lbeta_below_1{
    .name = "lbeta_below_1",
    .text =
        R"(// Logarithm of the beta function for a < 1, a <= b. Both below 1: B(a,b) = B(a,b+1) (a+b)/b. The
// three log-gammas are then Stirling's formula with corrections, its large terms cancelled by hand;
// lgamma(a) = lgamma(1+a) - log(a).
$T lbeta_below_1$S($T x, $T y) {
  $T a = fmin(x, y);
  $T b = fmax(x, y);
  $T shift = log1p(b < 1 ? a / b : ($T)(0));
  b = b < 1 ? 1 + b : b;
  $T value = (a + 0.5) * log1p(a) - a * log(a + b) - (b - 0.5) * log1p(a / b) - 0.08106146679532726 - log(a);
  $T correction = stirling_correction$S(1 + a) + stirling_correction$S(b) - stirling_correction$S(a + b);
  value = value + correction + shift;
  value = a == 0 ? ($T)(INFINITY) : (isinf(b) ? -b : value);
  return a < 0 || x != x || y != y ? ($T)(NAN) : value;
}
)",
    .uses = uses<stirling_correction>};

inline constexpr ir::device_function lbeta{
    .name = "lbeta",
    .text =
        R"(// Logarithm of the beta function. Where x and y are at least 1, the three log-gammas are Stirling's
// formula with corrections, its large terms cancelled by hand. Its logarithms are those of the derivatives.
$T lbeta$S($T x, $T y) {
  $T value = 0.9189385332046727 - (x - 0.5) * log1p(y / x) - y * log1p(x / y) - 0.5 * log(y);
  value = value + (stirling_correction$S(x) + stirling_correction$S(y) - stirling_correction$S(x + y));
  value = isinf(x) || isinf(y) ? ($T)(-INFINITY) : value;
  $I special = x >= 1 && y >= 1 ? ($I)(0) : ($I)(-1);
  if (any(special)) value = special ? lbeta_below_1$S(x, y) : value;
  return value;
}
)",
    .uses = uses<stirling_correction, lbeta_below_1>};

inline constexpr ir::device_function binomial_coefficient_log{
    .name = "binomial_coefficient_log",
    .text = R"(// log(n over k) = lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) for -1 <= k <= n+1: Stirling's
// formula with corrections, its large terms cancelled by hand, for the smaller of k and n-k; (n over k) =
// (n+1 over k+1) (k+1) / (n+1) for k < 0.
$T binomial_coefficient_log$S($T n, $T k) {
  $T i = fmin(k, n - k);
  $T j = fmax(k, n - k);
  $T factor = (i < 0 ? (i + 1) / (n + 1) : ($T)(1)) * (j < 0 ? (j + 1) / (n + 2) : ($T)(1));
  i = i < 0 ? i + 1 : i;
  j = j < 0 ? j + 1 : j;
  $T m = i + j;
  $T correction = stirling_correction$S(m + 1) - stirling_correction$S(j + 1) - stirling_correction$S(i + 1);
  $T value = i * log((m + 1) / (i + 1)) + (j + 0.5) * log1p(i / (j + 1)) - 0.5 * log1p(i) +
             (0.08106146679532726 + correction) + log(factor);
  value = k == 0 || k == n ? ($T)(0) : value;
  return n >= -1 && k >= -1 && k <= n + 1 ? value : ($T)(NAN);
}
)",
    .uses = uses<stirling_correction>};

inline constexpr ir::device_function tgamma{
    .name = "tgamma_branch_free",
    .text = R"(// sqrt(2 pi) exp((y - 1/2) log(y) - y + correction) for y >= 1 (Stirling), the exponent in
// two parts; tgamma(x) = tgamma(1+x) / x below 1 and 1 / (sin(pi x) / pi tgamma(1-x)) below 0.
$T tgamma_branch_free$S($T x) {
  $T y = x < 0 ? 1 - x : (x < 1 ? 1 + x : x);
  $T y_low = x < 0 ? (1 - y) - x : (x < 1 ? x - (y - 1) : ($T)(0));
  y = y > 200 ? ($T)(200) : y;
  $T l_low;
  $T l = log_extended$S(y, ($T)(0), &l_low);
  $T h = y - 0.5;
  $T a = h * l;
  $T w = a - y;
  $T w_low = (a - (w - (w - a))) - (y + (w - a)) + fma(h, l, -a) + h * l_low;
  w_low = w_low + y_low * (l - 0.5 / y) + stirling_correction$S(y);
  $T u = w + w_low;
  $T u_low = (w - u) + w_low;
  $T e = exp_extended$S(x < 0 ? -u : u, x < 0 ? -u_low : u_low);
  $T n = rint(x);
  $T r = x - n;
  $T s = r * r;
  $T sine = 2.449273628334033e-07;
  sine = (sine * s - 6.971997192846468e-06) * s + 0.00014842779959369133;
  sine = (sine * s - 0.002346080886564395) * s + 0.02614784780450039;
  sine = (sine * s - 0.1907518241214287) * s + 0.8117424252833372;
  sine = (sine * s - 1.6449340668482262) * s + 1.0;
  sine = 2.5066282746310007 * r * sine;
  sine = 0.5 * n == rint(0.5 * n) ? sine : -sine;
  e = x < 0 ? e / sine : 2.5066282746310007 * e;
  e = x < 1 && x >= 0 ? e / x : e;
  return x < 0 && r == 0 ? ($T)(NAN) : e;
}
)",
    .text_float = R"(// sqrt(2 pi) exp((y - 1/2) log(y) - y + correction) for y >= 1 (Stirling), the
// exponent in two parts; tgamma(x) = tgamma(1+x) / x below 1 and 1 / (sin(pi x) / pi tgamma(1-x)) below 0.
$T tgamma_branch_free$S($T x) {
  $T y = x < 0 ? 1 - x : (x < 1 ? 1 + x : x);
  $T y_low = x < 0 ? (1 - y) - x : (x < 1 ? x - (y - 1) : ($T)(0));
  y = y > 200 ? ($T)(200) : y;
  $T l_low;
  $T l = log_extended$S(y, ($T)(0), &l_low);
  $T h = y - 0.5;
  $T a = h * l;
  $T w = a - y;
  $T w_low = (a - (w - (w - a))) - (y + (w - a)) + fma(h, l, -a) + h * l_low;
  w_low = w_low + y_low * (l - 0.5 / y) + stirling_correction$S(y);
  $T u = w + w_low;
  $T u_low = (w - u) + w_low;
  $T e = exp_extended$S(x < 0 ? -u : u, x < 0 ? -u_low : u_low);
  $T n = rint(x);
  $T r = x - n;
  $T s = r * r;
  $T sine = 0.024687637;
  sine = (sine * s - 0.19042611) * s + 0.8117124;
  sine = (sine * s - 1.6449331) * s + 1.0;
  sine = 2.5066282746310007 * r * sine;
  sine = 0.5 * n == rint(0.5 * n) ? sine : -sine;
  e = x < 0 ? e / sine : 2.5066282746310007 * e;
  e = x < 1 && x >= 0 ? e / x : e;
  return x < 0 && r == 0 ? ($T)(NAN) : e;
}
)",
    .uses = uses<stirling_correction, log_extended, exp_extended>};

inline constexpr ir::device_function beta{
    .name = "beta",
    .text = R"(// exp((a-1/2) log(a/(a+b)) + b log(b/(a+b))) sqrt(2 pi / b) exp(corrections) for a, b >= 1
// (Stirling), the exponent in two parts; below 1, B(a,b) = B(a+1,b) (a+b)/a.
$T beta$S($T x, $T y) {
  $T a = fmin(x, y);
  $T b = fmax(x, y);
  $T sum = a + b;
  $T factor = b < 1 ? (1 / a + 1 / b) * (1 + sum) : (a < 1 ? sum : ($T)(1));
  $T divisor = a < 1 && b >= 1 ? a : ($T)(1);
  $T a_low = a < 1 ? a - ((1 + a) - 1) : ($T)(0);
  $T b_low = b < 1 ? b - ((1 + b) - 1) : ($T)(0);
  a = a < 1 ? 1 + a : a;
  b = b < 1 ? 1 + b : b;
  $T s = a + b;
  $T s_low = a < b ? (b - s) + a : (a - s) + b;
  $T p = a / s;
  $T q = b / s;
  $T p_low;
  $T q_low;
  p = log_extended$S(p, (fma(-p, s, a) - p * s_low) / s, &p_low);
  q = log_extended$S(q, (fma(-q, s, b) - q * s_low) / s, &q_low);
  $T u = (a - 0.5) * p;
  $T v = b * q;
  $T w = u + v;
  $T w_low = (u < v ? (u - w) + v : (v - w) + u) + fma(a - 0.5, p, -u) + fma(b, q, -v) + (a - 0.5) * p_low +
             b * q_low + a_low * p + b_low * q;
  $T correction = stirling_correction$S(a) + stirling_correction$S(b) - stirling_correction$S(s);
  w_low = w_low + correction;
  u = w + w_low;
  $T value = exp_extended$S(u, (w - u) + w_low) * factor * sqrt(6.283185307179586 / b) / divisor;
  value = x == 0 || y == 0 ? ($T)(INFINITY) : (isinf(y) || isinf(x) ? ($T)(0) : value);
  return x < 0 || y < 0 || x != x || y != y ? ($T)(NAN) : value;
}
)",
    .uses = uses<stirling_correction, log_extended, exp_extended>};

}  // namespace fusecl::device
