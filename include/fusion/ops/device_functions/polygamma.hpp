#pragma once
// OpenCL C texts of the derivatives of log gamma: digamma, what Stirling's formula leaves of it, trigamma and
// those of higher order.

#include <fusion/ops/record.hpp>

namespace fusecl::device {

// num / den is R(t) of psi(y) = log(y) - (1/2 + t R(t)) t with t = 1 / y, for y >= 1.
#define FUSECL_REMAINDER_OF_DIGAMMA                                      \
  "  $T num = -8.196074758367896e-05;\n"                                 \
  "  num = (num * t + 0.060367678069556355) * t + 0.8957146384592142;\n" \
  "  num = (num * t + 2.5738565181356585) * t + 3.6865804170823133;\n"   \
  "  num = (num * t + 3.066776336149328) * t + 1.6038000254770424;\n"    \
  "  num = (num * t + 0.48780859006868726) * t + 0.08333333333333337;\n" \
  "  $T den = 0.12219472015390752;\n"                                    \
  "  den = (den * t + 2.6721668459937247) * t + 14.48987250535355;\n"    \
  "  den = (den * t + 34.346204168777845) * t + 46.125905759030694;\n"   \
  "  den = (den * t + 37.38668634812312) * t + 19.34560030563531;\n"     \
  "  den = (den * t + 5.8537030808247446) * t + 1.0;\n"

inline constexpr ir::device_function digamma{
    .name = "digamma",
    .text = R"(// psi(y) = log(y) - (1/2 + R(1/y) / y) / y for y >= 1, a polynomial round its root, psi(x)
// = psi(1+x) - 1/x below 1, and the reflection psi(x) = psi(1-x) - pi cot(pi x), with pi cot(pi r) = 1/r -
// r C(r*r), below 0.
$T digamma$S($T x) {
  $T r = x - rint(x);
  $T y = x < 0 ? 1 - x : (x < 1 ? 1 + x : x);
  $T t = 1 / y;
)" FUSECL_REMAINDER_OF_DIGAMMA R"(  $T value = log(y) - t * (0.5 + t * num / den);
  if (any(x < 1 ? ($I)(-1) : ($I)(0))) {
    $T pole = 1 / (x < 0 ? r : x);
    if (any(x < 0 ? ($I)(-1) : ($I)(0))) {
      $T s = r * r;
      $T c = 16.173714308666042;
      c = (c * s - 14.294479570996936) * s + 11.542484519550412;
      c = (c * s - 1.4859519506529406) * s + 2.861158807195874;
      c = (c * s + 1.8506584918474904) * s + 2.018463348854059;
      c = (c * s + 1.998405821597749) * s + 2.0002230050520016;
      c = (c * s + 2.000487926545081) * s + 2.001989267027847;
      c = (c * s + 2.0081547104660613) * s + 2.0346861239855776;
      c = (c * s + 2.1646464674222194) * s + 3.289868133696453;
      pole = x < 0 ? pole - r * c : pole;
    }
    value = value - (x < 1 ? pole : ($T)(0));
  }
  $T u = (x - 1.4616321449683622) - 9.549995429965697e-17;
  $T v = -0.00046742251882727503 * u + 0.0006770121219903368;
  v = (v * u - 0.0007032409864949044) * u + 0.0010315207093300307;
  v = (v * u - 0.0015823332210039968) * u + 0.002312130963169716;
  v = (v * u - 0.003369296546774824) * u + 0.004926161415769333;
  v = (v * u - 0.007204563939419812) * u + 0.010538825392799487;
  v = (v * u - 0.01542476483084326) * u + 0.022597647115563512;
  v = (v * u - 0.03316112649809154) * u + 0.04880428818530404;
  v = (v * u - 0.07219956125618135) * u + 0.107824050691059;
  v = (v * u - 0.163942705442408) * u + 0.25849976095565175;
  v = (v * u - 0.4427631689835921) * u + 0.9676722454476212;
  value = fabs(u) < 0.35 ? u * v : value;
  return x <= 0 && r == 0 ? ($T)(NAN) : value;
}
)",
    .text_float = R"(// psi(y) = log(y) - (1/2 + R(1/y) / y) / y for y >= 1, a polynomial round its root,
// psi(x) = psi(1+x) - 1/x below 1, and the reflection psi(x) = psi(1-x) - pi cot(pi x), with pi cot(pi r) =
// 1/r - r C(r*r), below 0.
$T digamma$S($T x) {
  $T r = x - rint(x);
  $T y = x < 0 ? 1 - x : (x < 1 ? 1 + x : x);
  $T t = 1 / y;
  $T num = 0.0012073091;
  num = (num * t + 0.06902548) * t + 0.17032047;
  num = (num * t + 0.15515362) * t + 0.083333333;
  $T den = 0.18408053;
  den = (den * t + 1.0141334) * t + 2.14386834;
  den = (den * t + 1.8618429) * t + 1.0;
  $T value = log(y) - t * (0.5 + t * num / den);
  if (any(x < 1 ? ($I)(-1) : ($I)(0))) {
    $T pole = 1 / (x < 0 ? r : x);
    if (any(x < 0 ? ($I)(-1) : ($I)(0))) {
      $T s = r * r;
      $T c = 6.126867 * s - 0.053855713;
      c = (c * s + 2.482885) * s + 1.94153585;
      c = (c * s + 2.012195) * s + 2.0345548;
      c = (c * s + 2.164648) * s + 3.289868;
      pole = x < 0 ? pole - r * c : pole;
    }
    value = value - (x < 1 ? pole : ($T)(0));
  }
  $T u = (x - 1.46163213) - 1.24381499e-08;
  $T v = -0.018019238 * u + 0.026154513;
  v = (v * u - 0.03284734) * u + 0.048410944;
  v = (v * u - 0.07221563) * u + 0.10784152;
  v = (v * u - 0.16394238) * u + 0.2584995;
  v = (v * u - 0.44276317) * u + 0.9676722;
  value = fabs(u) < 0.35 ? u * v : value;
  return x <= 0 && r == 0 ? ($T)(NAN) : value;
}
)"};

inline constexpr ir::device_function digamma_stirling_diff{
    .name = "digamma_stirling_diff",
    .text =
        R"(// psi(x) - log(x) + 1 / (2x) = -R(1/x) / x^2 for x >= 1 with the R of digamma; below 1 from its value at
// 1 + x.
$T digamma_stirling_diff$S($T x) {
  $T t = 1 / (x < 1 ? 1 + x : x);
)" FUSECL_REMAINDER_OF_DIGAMMA R"(  $T value = -(t * t * num / den);
  if (any(x < 1 ? ($I)(-1) : ($I)(0))) {
    $T step = log1p(1 / x) - 0.5 / x - 0.5 * t;
    value = x == 0 ? ($T)(-INFINITY) : (x < 1 ? step + value : value);
  }
  return x < 0 ? ($T)(NAN) : value;
}
)"};

#undef FUSECL_REMAINDER_OF_DIGAMMA

inline constexpr ir::device_function trigamma{
    .name = "trigamma",
    .text = R"(// psi'(y) = (1 + R(1/y) / y) / y for y >= 1, psi'(x) = psi'(1+x) + 1/x^2 below 1, and the
// reflection psi'(x) = pi^2 / sin(pi x)^2 - psi'(1-x), with pi^2 / sin(pi r)^2 = 1/r^2 + C(r*r), below 0.
$T trigamma$S($T x) {
  $T r = x - rint(x);
  $T y = x < 0 ? 1 - x : (x < 1 ? 1 + x : x);
  $T t = 1 / y;
  $T num = 39.5807803774116;
  num = (num * t + 152.18150845451467) * t + 275.7871883175879;
  num = (num * t + 299.2897616121301) * t + 210.57398209245255;
  num = (num * t + 98.376117273974) * t + 30.041945010410984;
  num = (num * t + 5.572957594169315) * t + 0.5;
  $T den = 39.58078411096115;
  den = (den * t + 191.76224999217274) * t + 402.4418984095615;
  den = (den * t + 481.45120977667125) * t + 362.53802433381884;
  den = (den * t + 177.99233585868575) * t + 56.4796960691486;
  den = (den * t + 10.812581855005318) * t + 1.0;
  $T value = t + t * t * num / den;
  $T d = x < 0 ? r : x;
  $T s = d * d;
  $T c = 817.5898416325869;
  c = (c * s - 970.1116876600213) * s + 776.6625578940586;
  c = (c * s - 261.50189511125456) * s + 145.34956691469142;
  c = (c * s + 25.28043021653875) * s + 45.30901660684596;
  c = (c * s + 37.6083095883439) * s + 34.034452048076936;
  c = (c * s + 29.99825649310442) * s + 26.001693763464687;
  c = (c * s + 22.005410671703324) * s + 18.017902420187347;
  c = (c * s + 14.057082985907337) * s + 10.173430619850272;
  c = (c * s + 6.493939402266814) * s + 3.289868133696453;
  return x < 0 ? 1 / s + c - value : (x < 1 ? 1 / s + value : value);
}
)",
    .text_float = R"(// psi'(y) = (1 + R(1/y) / y) / y for y >= 1, psi'(x) = psi'(1+x) + 1/x^2 below 1, and
// the reflection psi'(x) = pi^2 / sin(pi x)^2 - psi'(1-x), with pi^2 / sin(pi r)^2 = 1/r^2 + C(r*r), below
// 0.
$T trigamma$S($T x) {
  $T r = x - rint(x);
  $T y = x < 0 ? 1 - x : (x < 1 ? 1 + x : x);
  $T t = 1 / y;
  $T num = 0.65058976;
  num = (num * t + 1.8505554) * t + 2.3682906;
  num = (num * t + 1.5469272) * t + 0.5;
  $T den = 0.65137406;
  den = (den * t + 2.495848) * t + 3.8163963;
  den = (den * t + 2.7605214) * t + 1.0;
  $T value = t + t * t * num / den;
  $T d = x < 0 ? r : x;
  $T s = d * d;
  $T c = 179.012229 * s - 62.664645;
  c = (c * s + 62.359273) * s + 19.7610335;
  c = (c * s + 22.73293) * s + 17.96695;
  c = (c * s + 14.0591166) * s + 10.1733896;
  c = (c * s + 6.49394) * s + 3.289868;
  return x < 0 ? 1 / s + c - value : (x < 1 ? 1 / s + value : value);
}
)"};

inline constexpr ir::device_function reciprocal_power{
    .name = "reciprocal_power", .text = R"(// 1 / z^n for whole n from 0 to 63, by squaring.
$T reciprocal_power$S($T z, $T n) {
  $T b = 1 / z;
  $T p = 1;
  for (int k = 0; k < 6; ++k) {
    $T half_n = floor(0.5 * n);
    p = n - 2 * half_n > 0.5 ? p * b : p;
    b = b * b;
    n = half_n;
  }
  return p;
}
)"};

inline constexpr ir::device_function polygamma{
    .name = "polygamma",
    .text = R"(// (-1)^(n+1) n! sum_k (x+k)^-(n+1): 20 terms, and the Euler-Maclaurin formula for the rest.
$T polygamma$S($T order, $T x) {
  $T n = rint(order);
  $T s = n + 1;
  $T z = x + 20.0;
  $T q = 1 / (z * z);
  $T v = 8.586062056277845e-15;
  v = -3.3896802963225827e-13 + v * (s + 15.0) * (s + 16.0) * q;
  v = 1.3382536530684679e-11 + v * (s + 13.0) * (s + 14.0) * q;
  v = -5.284190138687493e-10 + v * (s + 11.0) * (s + 12.0) * q;
  v = 2.08767569878681e-08 + v * (s + 9.0) * (s + 10.0) * q;
  v = -8.267195767195768e-07 + v * (s + 7.0) * (s + 8.0) * q;
  v = 3.306878306878307e-05 + v * (s + 5.0) * (s + 6.0) * q;
  v = -0.001388888888888889 + v * (s + 3.0) * (s + 4.0) * q;
  v = 0.08333333333333333 + v * (s + 1.0) * (s + 2.0) * q;
  $T w = reciprocal_power$S(z, n);
  $T value = w / n + w / z * (0.5 + v * s / z);
  for (int k = 0; k < 20; ++k) {
    z = x + (19.0 - k);
    value = value + reciprocal_power$S(z, s);
  }
  $T factorial = 1;
  for (int k = 2; k <= 32; ++k) {
    $T factor = ($T)(k);
    factorial = factor <= n ? factorial * factor : factorial;
  }
  value = 0.5 * n == rint(0.5 * n) ? -factorial * value : factorial * value;
  return x < 0 || n < 1 || n > 32 || n != n ? ($T)(NAN) : value;
}
)",
    .uses = uses<reciprocal_power>};

}  // namespace fusecl::device
