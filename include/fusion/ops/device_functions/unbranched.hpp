#pragma once
// Functions whose doubles NVIDIA's compiler computes with a branch for rare operands, written without one, so
// that it computes several at a time (docs/decisions/0054).

#include <fusion/ops/record.hpp>

namespace fusecl::device {

inline constexpr ir::device_function exp_in_range{
    .name = "exp_in_range",
    .text = R"($T exp_in_range$S($T x) {
  return exp(x);
}
)",
    .text_ptx =
        R"(// exp(x) = 2^k exp(r) for x from -746 to 710, with |r| <= log(2) / 2, where a polynomial is near exp(r) to
// 1.3e-17 of it; 2^k by two factors, as it may be below the smallest normal number. Within 0.95 ulp.
$T exp_in_range$S($T x) {
  $T m = fma(x, 1.4426950408889634, 6755399441055744.0);  // k in its last bits
  int k = as_int2(m).s0;
  m = m - 6755399441055744.0;
  $T r = fma(m, -2.3190468138462996e-17, fma(m, -0.6931471805599453, x));
  $T p = 2.510038549551032e-08;
  p = fma(fma(p, r, 2.7620088445409746e-07), r, 2.7557268459997064e-06);
  p = fma(fma(p, r, 2.4801521295954376e-05), r, 0.00019841269863053618);
  p = fma(fma(p, r, 0.0013888888917213717), r, 0.008333333333330062);
  p = fma(fma(p, r, 0.04166666666662413), r, 0.16666666666666669);
  p = fma(fma(fma(p, r, 0.5000000000000001), r, 1.0), r, 1.0);
  int first = k >> 1;
  return p * as_double((int2)(0, (first + 1023) << 20)) * as_double((int2)(0, (k - first + 1023) << 20));
}
)"};

inline constexpr ir::device_function exp_of_nonpositive{.name = "exp_of_nonpositive",
                                                        .text = R"($T exp_of_nonpositive$S($T x) {
  return exp(x);
}
)",
                                                        .text_ptx = R"($T exp_of_nonpositive$S($T x) {
  return exp_in_range$S(x < -746.0 ? -746.0 : x);
}
)",
                                                        .uses_ptx = uses<exp_in_range>};

inline constexpr ir::device_function exp_unbranched{.name = "exp_unbranched",
                                                    .text = R"($T exp_unbranched$S($T x) {
  return exp(x);
}
)",
                                                    .text_ptx = R"($T exp_unbranched$S($T x) {
  return exp_in_range$S(x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x);
}
)",
                                                    .uses_ptx = uses<exp_in_range>};

inline constexpr ir::device_function moderate_inverse{
    .name = "moderate_inverse",
    .text = R"($T moderate_inverse$S($T d) {
  return 1.0 / d;
}
)",
    .text_ptx =
        R"(// 1 / d for d from 1 to 4: to 20 bits, and a step of third order.
$T moderate_inverse$S($T d) {
  $T r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
  $T e = fma(-d, r, 1.0);
  return fma(r, fma(e, e, e), r);
}
)"};

inline constexpr ir::device_function moderate_quotient{
    .name = "moderate_quotient",
    .text = R"($T moderate_quotient$S($T n, $T d) {
  return n / d;
}
)",
    .text_ptx =
        R"(// n / d for d from 1 to 4: by the inverse, and what the quotient lacks.
$T moderate_quotient$S($T n, $T d) {
  $T r = moderate_inverse$S(d);
  $T q = n * r;
  return fma(r, fma(-d, q, n), q);
}
)",
    .uses_ptx = uses<moderate_inverse>};

inline constexpr ir::device_function log_of_parts{
    .name = "log_of_parts",
    .text = R"(// k log(2) + log(1 + f) for f from -0.3 to 0.42: the series in f / (2 + f) of fdlibm's log.
$T log_of_parts$S($T k, $T f) {
  $T s = moderate_quotient$S(f, 2 + f);
  $T z = s * s;
  $T p = 0.1479819860511658591;
  p = (p * z + 0.1531383769920937332) * z + 0.1818357216161805012;
  p = (p * z + 0.2222219843214978396) * z + 0.2857142874366239149;
  p = (p * z + 0.3999999999940941908) * z + 0.6666666666666735130;
  $T h = 0.5 * f * f;
  return k * 0.693147180369123816490 - ((h - (s * (h + z * p) + k * 1.90821492927058770002e-10)) - f);
}
)",
    .text_float =
        R"(// k log(2) + log(1 + f) for f from -0.3 to 0.42: the series in f / (2 + f) of fdlibm's logf.
$T log_of_parts$S($T k, $T f) {
  $T s = moderate_quotient$S(f, 2 + f);
  $T z = s * s;
  $T p = ((0.24279078841 * z + 0.28498786688) * z + 0.40000972152) * z + 0.66666662693;
  $T h = 0.5 * f * f;
  return k * 0.69313812256 - ((h - (s * (h + z * p) + k * 9.0580006145e-06)) - f);
}
)",
    .uses = uses<moderate_quotient>,
    .text_ptx =
        R"(// k log(2) + log(1 + f) for f from -0.3 to 0.42: with s = f / (2 + f), k log(2) + 2 s + s^3 p(s^2), p to 2^-51,
// and 2 s = f - s f.
$T log_of_parts$S($T k, $T f) {
  $T s = f * moderate_inverse$S(f + 2.0), z = s * s, h = 0.5 * f * f;
  $T p = fma(fma(0.14617147970636402, z, 0.15331661966257945), z, 0.1818289103245581);
  p = fma(fma(p, z, 0.2222221110672929), z, 0.2857142862616174);
  p = fma(fma(p, z, 0.39999999999899055), z, 0.666666666666667);
  return fma(k, 0.6931471803691238, f - (h - fma(s, fma(p, z, h), k * 1.9082149292705877e-10)));
}
)",
    .uses_ptx = uses<moderate_inverse>};

inline constexpr ir::device_function exponent_of_log{
    .name = "exponent_of_log",
    .text =
        R"(// k, and where the number with the upper half `high` is 0, negative, infinite or no number, its logarithm.
$T exponent_of_log$S(uint high, int k) {
  uint rare = high == 0x7FF00000 ? 0x7FF00000 : (high & 0x7FFFFFFF) == 0 ? 0xFFF00000 : 0x7FF80000;
  bool finite = high - 1 < 0x7FEFFFFF;
  return as_double((uint2)(finite ? (uint)k ^ 0x80000000 : 0, finite ? 0x43300000 : rare)) - 4503601774854144.0;
}
)"};

inline constexpr ir::device_function log_unbranched{
    .name = "log_unbranched",
    .text = R"($T log_unbranched$S($T x) {
  return log(x);
}
)",
    .text_ptx =
        R"(// log(x) = k log(2) + log(1 + f), 1 + f from sqrt(1/2) to sqrt(2). Within 0.9 ulp.
$T log_unbranched$S($T x) {
  bool tiny = as_int2(x).s1 < 0x00100000;
  x *= tiny ? 18014398509481984.0 : 1.0;
  uint high = as_uint2(x).s1;
  int k = (int)(high - 0x3FE6A09E) >> 20;
  $T f = as_double((uint2)(as_uint2(x).s0, high - ((uint)k << 20))) - 1.0;
  return log_of_parts$S(exponent_of_log$S(high, k - (tiny ? 54 : 0)), f);
}
)",
    .uses_ptx = uses<log_of_parts, exponent_of_log>};

inline constexpr ir::device_function log1p_unbranched{
    .name = "log1p_unbranched",
    .text = R"($T log1p_unbranched$S($T x) {
  return log1p(x);
}
)",
    .text_ptx =
        R"(// log(1 + x) as the logarithm of u = 1 + x, with what u lacks, c, in f. Within 1.5 ulp.
$T log1p_unbranched$S($T x) {
  $T u = 1.0 + x, of_x = u - 1.0, c = (1.0 - (u - of_x)) + (x - of_x);
  uint high = as_uint2(u).s1;
  int k = (int)(high - 0x3FE6A09E) >> 20;
  $T f = as_double((uint2)(as_uint2(u).s0, high - ((uint)k << 20))) - 1.0;
  f = fma(high < 0x43500000 ? c : 0.0, as_double((uint2)(0, (uint)max(1023 - k, 0) << 20)), f);
  return copysign(log_of_parts$S(exponent_of_log$S(high, k), f), x);
}
)",
    .uses_ptx = uses<log_of_parts, exponent_of_log>};

inline constexpr ir::device_function log1m_unbranched{.name = "log1m_unbranched",
                                                      .text = R"($T log1m_unbranched$S($T x) {
  return log1p(-x);
}
)",
                                                      .text_ptx = R"($T log1m_unbranched$S($T x) {
  return log1p_unbranched$S(-x);
}
)",
                                                      .uses_ptx = uses<log1p_unbranched>};

inline constexpr ir::device_function divisor{.name = "divisor", .text = R"(double2 divisor$S($T d) {
  return (double2)(1.0 / d, d);
}
)"};

inline constexpr ir::device_function quotient_by{
    .name = "quotient_by",
    .text =
        R"(// n / d, rounded as that where it and n are above 1e-290, else within 1.5 ulp; infinite where it is within 3 ulp
// of the largest number and 1 / d is rounded up.
$T quotient_by$S($T n, double2 d) {
  $T q = n * d.x, left = fma(($T)(-d.y), q, n);
  q = isnormal(left) ? fma(($T)(d.x), left, q) : q;
  if (fabs(d.y) < 0x1p-1022) q = n / d.y;  // the inverse may be infinite
  return q;
}
)"};

/// Quotients by one number.
inline constexpr ir::same_operand_rule divided_by_same{.prepare = &divisor, .apply = &quotient_by};

}  // namespace fusecl::device
