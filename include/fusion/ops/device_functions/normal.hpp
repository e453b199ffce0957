#pragma once
// OpenCL C texts of the normal distribution's family: erf, erfc, Phi, inv_Phi.
// Coefficients are near-minimax fits made by tools/fit_coefficients.py.

#include <fusion/ops/device_functions/elementary.hpp>

namespace fusecl::device {

inline constexpr ir::device_function erfcx{
    .name = "erfcx",
    .text = R"(// exp(x*x) erfc(x) for 0.46 <= x <= 28: times (1 + 2x) it is a polynomial in (x-4)/(x+4)
// (Shepherd, Laframboise 1981). Both constants are operands so that x may come scaled: erfcx(x/sqrt(2)) has
// four = 4 sqrt(2), two = sqrt(2).
$T erfcx$S($T x, $T four, $T two) {
  $T s = (x - four) / (x + four);
  $T p = 1.6237423148616208e-09;
  p = (p * s - 9.679995376133136e-09) * s - 1.73083863922282e-08;
  p = (p * s + 1.0332786750367561e-07) * s + 7.390941579424247e-08;
  p = (p * s - 8.195845139767406e-07) * s + 2.942808622374573e-07;
  p = (p * s + 5.706538353817407e-06) * s - 1.1222216335796982e-05;
  p = (p * s - 2.4398071790887348e-05) * s + 0.00015062172310286243;
  p = (p * s - 0.0001992569628128304) * s - 0.0007577732962184201;
  p = (p * s + 0.00503197001830712) * s - 0.01619773405707864;
  p = (p * s + 0.03716751553379988) * s - 0.06633036581224944;
  p = (p * s + 0.09373283499853521) * s - 0.10103906603630414;
  p = (p * s + 0.0680970542546884) * s + 0.015379652102619757;
  p = (p * s - 0.1396211168405625) * s + 1.2329951186255526;
  return p / (1 + two * x);
}
)",
    .text_float = R"(// exp(x*x) erfc(x) for 0.46 <= x <= 28: times (1 + 2x) it is a polynomial in
// (x-4)/(x+4) (Shepherd, Laframboise 1981). Both constants are operands so that x may come scaled:
// erfcx(x/sqrt(2)) has four = 4 sqrt(2), two = sqrt(2).
$T erfcx$S($T x, $T four, $T two) {
  $T s = (x - four) / (x + four);
  $T p = -0.0002674473 * s - 0.00051375694;
  p = (p * s + 0.005103876) * s - 0.016354839;
  p = (p * s + 0.037133933) * s - 0.066282909;
  p = (p * s + 0.093740035) * s - 0.10104561;
  p = (p * s + 0.06809642) * s + 0.015379984;
  p = (p * s - 0.1396211014) * s + 1.2329951;
  return p / (1 + two * x);
}
)"};

inline constexpr ir::device_function erf_near_zero{
    .name = "erf_near_zero",
    .text = R"(// erf(x) for |x| <= 0.5: x times a polynomial in x*x.
$T erf_near_zero$S($T x) {
  $T s = x * x;
  $T p = 1.315221896340853e-08;
  p = (p * s - 1.626558686115975e-07) * s + 1.6458645282928573e-06;
  p = (p * s - 1.492557549240705e-05) * s + 0.00012055331941448802;
  p = (p * s - 0.0008548327014152674) * s + 0.0052239776253903214;
  p = (p * s - 0.026866170645129563) * s + 0.11283791670955123;
  p = (p * s - 0.37612638903183754) * s + 1.1283791670955126;
  return x * p;
}
)",
    .text_float = R"(// erf(x) for |x| <= 0.5: x times a polynomial in x*x.
$T erf_near_zero$S($T x) {
  $T s = x * x;
  $T p = -0.00076605625 * s + 0.005198449;
  p = (p * s - 0.02686275) * s + 0.11283771;
  p = (p * s - 0.37612638) * s + 1.1283792;
  return x * p;
}
)"};

inline constexpr ir::device_function erf{
    .name = "erf_branch_free",
    .text = R"(// A polynomial near zero, else 1 - exp(-a*a) erfcx(a) with a = |x|.
$T erf_branch_free$S($T x) {
  $T a = fabs(x) > 6 ? ($T)(6) : fabs(x);
  $T e = 1 - exp(-a * a) * erfcx$S(a, 4, 2);
  return a < 0.5 ? erf_near_zero$S(x) : copysign(e, x);
}
)",
    .text_float = R"(// A polynomial near zero, else 1 - exp(-a*a) erfcx(a) with a = |x|.
$T erf_branch_free$S($T x) {
  $T a = fabs(x) > 4 ? ($T)(4) : fabs(x);
  $T e = 1 - exp(-a * a) * erfcx$S(a, 4, 2);
  return a < 0.5 ? erf_near_zero$S(x) : copysign(e, x);
}
)",
    .uses = uses<erfcx, erf_near_zero>};

inline constexpr ir::device_function erfc{
    .name = "erfc_branch_free",
    .text = R"(// 1 - erf(x) near zero, else exp(-a*a) erfcx(a) with a = |x|, a*a in two parts; 2 - that
// below 0.
$T erfc_branch_free$S($T x) {
  $T a = fabs(x) > 28 ? ($T)(28) : fabs(x);
  $T h = a * a;
  $T e = exp_extended$S(-h, -fma(a, a, -h)) * erfcx$S(a, 4, 2);
  e = x < 0 ? 2 - e : e;
  return a < 0.5 ? 1 - erf_near_zero$S(x) : e;
}
)",
    .uses = uses<erfcx, erf_near_zero, exp_extended>};

inline constexpr ir::device_function Phi{
    .name = "Phi",
    .text = R"(// (1 + erf(x/sqrt(2))) / 2 near zero, else exp(-a*a/2) erfcx(a/sqrt(2)) / 2 with a = |x|,
// a*a in two parts; 1 - that above 0.
$T Phi$S($T x) {
  $T a = fabs(x) > 39 ? ($T)(39) : fabs(x);
  $T h = a * a;
  $T e = 0.5 * exp_extended$S(-0.5 * h, -0.5 * fma(a, a, -h)) * erfcx$S(a, 5.656854249492381, 1.4142135623730951);
  e = x < 0 ? e : 1 - e;
  return a < 0.7 ? 0.5 + 0.5 * erf_near_zero$S(x * 0.7071067811865476) : e;
}
)",
    .uses = uses<erfcx, erf_near_zero, exp_extended>};

inline constexpr ir::device_function log_Phi{
    .name = "log_Phi",
    .text =
        R"(// log(Phi(x)), with Phi(x) = exp(-x*x/2) w below -0.7, w = erfcx(-x/sqrt(2)) / 2, of which below -39 an
// asymptotic series is taken, and 1 - Phi(-x) above 0.7.
$T log_Phi$S($T x) {
  $T a = fabs(x);
  $T b = a > 39 ? ($T)(39) : (a < 0.7 ? ($T)(0.7) : a);
  $T h = b * b;
  $T w = 0.5 * erfcx$S(b, 5.656854249492381, 1.4142135623730951);
  $T above = w * exp(-0.5 * h);
  above = fma(above, -0.5 * fma(b, b, -h), above);
  $T middle = 0.5 + 0.5 * erf_near_zero$S(x * 0.7071067811865476);
  $T value = log1p(x < 0.7 ? (x < -0.7 ? w : middle) - 1 : -above);
  if (any(x < -39 ? ($I)(-1) : ($I)(0))) {
    $T s = 1 / (a * a);
    $T far = 0.3989422804014327 / a * (1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s))));
    value = x < -39 ? log(far) : value;
  }
  return x < -0.7 ? value - 0.5 * a * a : value;
}
)",
    .uses = uses<erfcx, erf_near_zero>};

inline constexpr ir::device_function inv_Phi{
    .name = "inv_Phi",
    .text = R"(// Rational approximations of the quantile minus its leading term: of 0.4^2 - q^2, q = p -
// 1/2, in the centre (leading term sqrt(2 pi) q), of r = sqrt(-log(min(p, 1-p))) in the tails (its value at
// 1.5, or sqrt(2) r beyond 5). Compare AS 241.
$T inv_Phi$S($T p) {
  $T q = p - 0.5;
  $T s = 0.16 - q * q;
  $T num = 117.36693644587854 * s + 9304.706206758012;
  num = (num * s + 26179.660707912415) * s + 22965.545568808408;
  num = (num * s + 8685.001154390593) * s + 1575.3109183674642;
  num = (num * s + 134.7571347592189) * s + 4.3578164951906295;
  $T den = 4950.460775757039 * s + 19748.974101714808;
  den = (den * s + 24219.26216513739) * s + 13057.634902017327;
  den = (den * s + 3546.6524726218854) * s + 504.84003884421907;
  den = (den * s + 35.851728351831575) * s + 1.0;
  $T r = sqrt(-log(p < 0.5 ? p : 1 - p));
  $T t = r - 1.5;
  $T tail_num = 7.078376128315905e-05 * t + 0.002932354132114971;
  tail_num = (tail_num * t + 0.0421823098966411) * t + 0.30379246681737804;
  tail_num = (tail_num * t + 1.2413191033381534) * t + 2.893178003901643;
  tail_num = (tail_num * t + 3.532676370715718) * t + 1.7341509465927423;
  $T tail_den = 5.004940175071363e-05 * t + 0.002043065868876362;
  tail_den = (tail_den * t + 0.028714759768513537) * t + 0.20141182116248468;
  tail_den = (tail_den * t + 0.7997160032400802) * t + 1.8021126574566462;
  tail_den = (tail_den * t + 2.118753503323823) * t + 1.0;
  $T u = r - 5;
  $T far_num = 1.7622712702842243e-14;
  far_num = (far_num * u + 1.0078069461062683e-10) * u + 1.910243233844416e-08;
  far_num = (far_num * u + 4.000354670284904e-07) * u - 4.427913716790854e-05;
  far_num = (far_num * u - 0.002024059272970018) * u - 0.030567911760134653;
  far_num = (far_num * u - 0.1899841342963985) * u - 0.41316316836437217;
  $T far_den = -1.814698526439379e-11;
  far_den = (far_den * u - 4.668137969618383e-09) * u - 1.878422766288368e-07;
  far_den = (far_den * u + 8.886199339532176e-06) * u + 0.0006526324034427202;
  far_den = (far_den * u + 0.01391453455329916) * u + 0.13355599214013392;
  far_den = (far_den * u + 0.5952366245787553) * u + 1.0;
  $T start = r > 5 ? 1.4142135623730951 * r : ($T)(1.2513729290570323);
  tail_num = r > 5 ? far_num : t * tail_num;
  tail_den = r > 5 ? far_den : tail_den;
  num = fabs(q) <= 0.4 ? q * (q * q * num) : tail_num;
  den = fabs(q) <= 0.4 ? den : tail_den;
  $T value = num / den;
  tail_num = copysign(start + value, q);
  value = fabs(q) <= 0.4 ? 2.5066282746310007 * q + (value - 1.8328580e-16 * q) : tail_num;
  return p == 0 || p == 1 ? copysign(($T)(INFINITY), q) : value;
}
)",
    .text_float = R"(// Rational approximations of the quantile minus its leading term: of 0.4^2 - q^2, q =
// p - 1/2, in the centre (leading term sqrt(2 pi) q), of r = sqrt(-log(min(p, 1-p))) in the tails (its
// value at 1.5, or sqrt(2) r beyond 5). Compare AS 241.
$T inv_Phi$S($T p) {
  $T q = p - 0.5;
  $T s = 0.16 - q * q;
  $T num = 11.0374774 * s + 109.546524;
  num = (num * s + 48.81704) * s + 4.357816;
  $T den = 76.986654 * s + 71.29189;
  den = (den * s + 16.130808) * s + 1.0;
  $T r = sqrt(-log(p < 0.5 ? p : 1 - p));
  $T t = r - 1.5;
  $T tail_num = -4.9863e-07;
  tail_num = (tail_num * t + 0.048029057) * t + 0.55964265;
  tail_num = (tail_num * t + 1.81701571) * t + 1.7341509;
  $T tail_den = 0.033940974 * t + 0.3757171;
  tail_den = (tail_den * t + 1.1294158) * t + 1.0;
  num = fabs(q) <= 0.4 ? q * (q * q * num) : t * tail_num;
  den = fabs(q) <= 0.4 ? den : tail_den;
  $T value = num / den;
  tail_num = copysign(1.2513729333877563 + value, q);
  value = fabs(q) <= 0.4 ? 2.50662827 * q + (value - 2.8660204e-10 * q) : tail_num;
  return p == 0 || p == 1 ? copysign(($T)(INFINITY), q) : value;
}
)"};

}  // namespace fusecl::device
