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

inline constexpr ir::device_function moderate_quotient{
    .name = "moderate_quotient",
    .text = R"($T moderate_quotient$S($T n, $T d) {
  return n / d;
}
)",
    .text_ptx =
        R"(// n / d for d from 1 to 4: 1 / d to 20 bits, a step of third order, and what the quotient lacks.
$T moderate_quotient$S($T n, $T d) {
  $T r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
  $T e = fma(-d, r, 1.0);
  r = fma(r, fma(e, e, e), r);
  $T q = n * r;
  return fma(r, fma(-d, q, n), q);
}
)"};

}  // namespace fusecl::device
