#pragma once
// Bodies of host_functions.hpp.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fusion/base/floating.hpp>
#include <fusion/ops/host_functions.hpp>

namespace fusecl::host_math {

namespace constants {
inline constexpr long double pi = 3.141592653589793238462643383279502884L;
inline constexpr long double sqrt_half = 0.707106781186547524400844362104849039L;
inline constexpr long double sqrt_two_pi = 2.506628274631000502415765284811045253L;
inline constexpr long double half_log_two_pi = 0.918938533204672741780329736405617640L;
inline constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
inline constexpr long double infinity = std::numeric_limits<long double>::infinity();
}  // namespace constants

/// B_2k / (2k) for k = 1..12.
inline constexpr long double bernoulli_over_2k[] = {
    1.0L / 12, -1.0L / 120,     1.0L / 252,       -1.0L / 240,       1.0L / 132,     -691.0L / 32760,
    1.0L / 12, -3617.0L / 8160, 43867.0L / 14364, -174611.0L / 6600, 77683.0L / 276, -236364091.0L / 65520};

FUSECL_INLINE long double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/// digamma(x) / (x - x0) round its positive root x0, in powers of x - x0.
inline constexpr long double digamma_at_root[] = {
    0.9676722454476211704273L,     -0.4427631689835921060923L,    0.2584997609556510108621L,
    -0.1639427054424065280283L,    0.1078240506912622734927L,     -0.07219956125645457109051L,
    0.04880428816415712300659L,    -0.03316112647486446341254L,   0.02259764823111916444174L,
    -0.01542476590378810008885L,   0.01053879166738911610813L,    -0.007204534434695358843877L,
    0.004926779910870161069045L,   -0.003369800349204278659637L,  0.002305154842196462971656L,
    -0.001576960344028350819637L,  0.001078461247339390954898L,   -0.0007377848603170259020109L,
    0.0005080019291896740906932L,  -0.0003477662023765293446175L, 0.0002203660989342080824614L,
    -0.0001500729385294821287884L, 0.0001572861547307036049359L,  -0.0001085944297406676486517L};

FUSECL_INLINE long double digamma(long double x) {
  const long double u = (x - 1.46163214496836234125L) + 1.82570963159635e-20L;
  if (std::fabs(u) < 0.35L) {
    long double value = 0;
    for (int k = std::size(digamma_at_root) - 1; k >= 0; --k) value = value * u + digamma_at_root[k];
    return value * u;
  }
  if (x <= 0) {
    const long double r = x - std::rint(x);
    if (r == 0) return constants::nan;
    return digamma(1 - x) - constants::pi / std::tan(constants::pi * r);
  }
  if (is_infinite(x)) return x;
  long double sum = 0;
  for (; x < 20; x += 1) sum -= 1 / x;
  const long double s = 1 / (x * x);
  long double series = 0;
  for (int k = 11; k >= 0; --k) series = (series + bernoulli_over_2k[k]) * s;
  return sum + (std::log(x) - 0.5L / x - series);
}

FUSECL_INLINE long double trigamma(long double x) {
  if (x <= 0) {
    const long double r = x - std::rint(x);
    const long double sine = std::sin(constants::pi * r) / constants::pi;
    return r == 0 ? constants::infinity : 1 / (sine * sine) - trigamma(1 - x);
  }
  if (is_infinite(x)) return 0;
  long double sum = 0;
  for (; x < 20; x += 1) sum += 1 / (x * x);
  const long double s = 1 / (x * x);
  long double series = 0;
  for (int k = 11; k >= 0; --k) series = (series + 2 * (k + 1) * bernoulli_over_2k[k]) * s;
  return sum + (1 + 0.5L / x + series) / x;
}

FUSECL_INLINE long double polygamma(long double n, long double x) {
  n = std::rint(n);
  if (!(x >= 0 && n >= 1 && n <= 32)) return constants::nan;
  // the series shifted until each Bernoulli term is far smaller than the one before
  long double sum = 0;
  for (; x < 60; x += 1) sum += std::pow(x, -n - 1);
  const long double s = 1 / (x * x);
  long double series = 0;  // sum of B(2k) / (2k)! (n+1)(n+2)...(n+2k-1) / x^(2k)
  for (int k = 11; k >= 1; --k)
    series = (series + bernoulli_over_2k[k] / factorial(2 * k + 1)) * s * (n + 2 * k) * (n + 2 * k + 1);
  series = (series + bernoulli_over_2k[0]) * (n + 1) / x;
  const long double rest = is_infinite(x) ? 0 : std::pow(x, -n) / n + std::pow(x, -n - 1) * (0.5L + series);
  const long double value = std::tgamma(n + 1) * (sum + rest);
  return std::fmod(n, 2.0L) == 0 ? -value : value;
}

FUSECL_INLINE long double Phi(long double x) {
  // The argument's rounding error, which the tail magnifies by x^2, is put back to first order.
  const long double z = -x * constants::sqrt_half;
  constexpr long double sqrt_half_low = 1.8950325588932571e-20L;
  const long double z_low = std::fma(-x, constants::sqrt_half, -z) - x * sqrt_half_low;
  if (!(std::fabs(x) < 100)) return 0.5L * std::erfc(z);
  return 0.5L * std::erfc(z) - z_low * std::exp(-z * z) / std::sqrt(constants::pi);
}

FUSECL_INLINE long double log_Phi(long double x) {
  if (x > -1) return std::log1p(-Phi(-x));
  if (x > -100) return std::log(Phi(x));
  const long double s = 1 / (x * x);
  const long double series = 1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s))));
  return -0.5L * x * x - std::log(-x * constants::sqrt_two_pi) + std::log(series);
}

FUSECL_INLINE long double inv_Phi(long double p) {
  if (!(p >= 0 && p <= 1)) return constants::nan;
  if (p == 0 || p == 1) return p == 0 ? -constants::infinity : constants::infinity;
  if (p > 0.5L) return -inv_Phi(1 - p);
  // Abramowitz & Stegun 26.2.23 as a start, then Halley's iteration.
  const long double t = std::sqrt(-2 * std::log(p));
  long double x = -(t - (2.515517L + t * (0.802853L + t * 0.010328L)) /
                            (1 + t * (1.432788L + t * (0.189269L + t * 0.001308L))));
  for (int step = 0; step < 5; ++step) {
    const long double difference =
        p > 0.25L ? 0.5L * std::erf(x * constants::sqrt_half) - (p - 0.5L) : Phi(x) - p;
    const long double u = difference * constants::sqrt_two_pi * std::exp(0.5L * x * x);
    x -= u / (1 + 0.5L * x * u);
  }
  return x;
}

FUSECL_INLINE long double log1p_exp(long double x) {
  return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
}

FUSECL_INLINE long double log1m_exp(long double x) {
  return x > -0.6931471805599453L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

FUSECL_INLINE long double logit(long double p) {
  return std::fabs(p - 0.5L) < 0.25L ? std::log1p((2 * p - 1) / (1 - p)) : std::log(p / (1 - p));
}

/// lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 20.
FUSECL_INLINE long double stirling_correction(long double x) {
  const long double s = 1 / (x * x);
  long double series = 0;
  for (int k = 11; k >= 0; --k) series = series * s + bernoulli_over_2k[k] / (2 * k + 1);
  return series / x;
}

FUSECL_INLINE long double log1pmx(long double x) {
  if (is_infinite(x)) return -constants::infinity;
  if (!(std::fabs(x) < 0.5L)) return std::log1p(x) - x;
  const long double r = x / (2 + x), s = r * r;
  long double series = 0;
  for (int k = 25; k >= 0; --k) series = series * s + 2.0L / (2 * k + 3);
  return r * (s * series - x);
}

/// The asymptotic series of sqrt(2 pi x) exp(-x) times the modified Bessel functions of orders 0 and 1, from
/// 40 on: that of order 0 less its leading 1, and the difference of the two.
struct bessel_sums {
  long double i0_rest, difference;
};

FUSECL_INLINE bessel_sums bessel_series(long double x) {
  bessel_sums sums{0, 0};
  long double of_0 = 1, of_1 = 1;
  for (int k = 1; k <= 40; ++k) {
    const long double odd = (2.0L * k - 1) * (2.0L * k - 1), by = 8 * k * x;
    of_0 *= odd / by;
    of_1 *= (odd - 4) / by;
    sums.i0_rest += of_0;
    sums.difference += of_0 - of_1;
  }
  return sums;
}

FUSECL_INLINE long double log_i0e(long double x) {
  if (!(x >= 0)) return constants::nan;
  if (is_infinite(x)) return -constants::infinity;
  if (x >= 40) return std::log1p(bessel_series(x).i0_rest) - 0.5L * std::log(2 * constants::pi * x);
  long double term = 1, rest = 0;  // of the power series
  for (int k = 1; k <= 200; ++k) {
    term *= 0.25L * x * x / (static_cast<long double>(k) * k);
    rest += term;
  }
  return std::log1p(rest) - x;
}

FUSECL_INLINE long double i1_i0_m1(long double x) {
  if (!(x >= 0)) return constants::nan;
  if (is_infinite(x)) return 0;
  if (x >= 40) {
    const bessel_sums sums = bessel_series(x);
    return -sums.difference / (1 + sums.i0_rest);
  }
  // both are means of exp(x cos t), by 1 and by cos t, over half a period: sums of positive terms
  constexpr int parts = 128;
  long double of_0 = 0.5L, difference = 0;  // t = 0
  for (int k = 1; k <= parts; ++k) {
    const long double s = std::sin(constants::pi * k / (2 * parts)), less = 2 * s * s;  // 1 - cos t
    const long double weight = (k == parts ? 0.5L : 1.0L) * std::exp(-x * less);
    of_0 += weight;
    difference += weight * less;
  }
  return -difference / of_0;
}

FUSECL_INLINE long double lgamma_stirling_diff(long double x) {
  if (!(x >= 0)) return constants::nan;
  if (x == 0) return constants::infinity;
  if (is_infinite(x)) return 0;
  if (x < 1) return lgamma_stirling_diff(1 + x) + (x + 0.5L) * std::log1p(1 / x) - 1;
  long double sum = 0;
  for (; x < 20; x += 1) {  // (x + 1/2) log(1 + 1/x) - 1 in powers of 1 / (2x + 1)
    const long double s = 1 / ((2 * x + 1) * (2 * x + 1));
    long double series = 0;
    for (int k = 25; k >= 1; --k) series = (series + 1.0L / (2 * k + 1)) * s;
    sum += series;
  }
  return sum + stirling_correction(x);
}

FUSECL_INLINE long double digamma_stirling_diff(long double x) {
  if (!(x >= 0)) return constants::nan;
  if (x == 0) return -constants::infinity;
  if (is_infinite(x)) return 0;
  if (x < 1) return digamma_stirling_diff(1 + x) + (std::log1p(1 / x) - 0.5L / x - 0.5L / (1 + x));
  long double sum = 0;
  for (; x < 20; x += 1) {  // log(1 + 1/x) - (1/x + 1/(x + 1)) / 2 in powers of 1 / (2x + 1)
    const long double r = 1 / (2 * x + 1), s = r * r;
    long double series = 0;
    for (int k = 25; k >= 1; --k) series = (series + 4.0L * k / (2 * k + 1)) * s;
    sum += r * series;
  }
  const long double s = 1 / (x * x);
  long double series = 0;
  for (int k = 11; k >= 0; --k) series = (series + bernoulli_over_2k[k]) * s;
  return -(sum + series);
}

FUSECL_INLINE long double lbeta(long double a, long double b) {
  if (is_nan(a) || is_nan(b) || a < 0 || b < 0) return constants::nan;
  const long double small = std::min(a, b);
  const long double large = std::max(a, b);
  if (small == 0) return constants::infinity;
  if (is_infinite(large)) return -constants::infinity;
  if (large < 20) return std::lgamma(small) + std::lgamma(large) - std::lgamma(small + large);
  const long double total = small + large;
  const long double both = (large - 0.5L) * std::log1p(-small / total);
  const long double correction = stirling_correction(large) - stirling_correction(total);
  if (small < 20) return both + small * (1 - std::log(total)) + std::lgamma(small) + correction;
  return (small - 0.5L) * std::log(small / total) + large * std::log1p(-small / total) +
         constants::half_log_two_pi - 0.5L * std::log(large) + stirling_correction(small) + correction;
}

FUSECL_INLINE long double beta(long double a, long double b) {
  if (!(a > 0 && b > 0 && a + b < 1000)) return std::exp(lbeta(a, b));
  return std::tgamma(a) / std::tgamma(a + b) * std::tgamma(b);
}

FUSECL_INLINE long double binomial_coefficient_log(long double n, long double k) {
  if (!(n >= -1 && k >= -1 && k <= n + 1)) return constants::nan;
  if (k == 0 || k == n) return 0;
  k = std::min(k, n - k);
  const long double rest = n - k;
  if (n < 20) return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(rest + 1);
  // lgamma(n + 1) - lgamma(rest + 1) = (rest + 1/2) log1p(k / (rest + 1)) + k log(n + 1) - k + corrections.
  const long double ratio = (rest + 0.5L) * std::log1p(k / (rest + 1));
  const long double correction = stirling_correction(n + 1) - stirling_correction(rest + 1);
  if (k < 20) return ratio + k * (std::log(n + 1) - 1) + correction - std::lgamma(k + 1);
  return ratio + k * std::log((n + 1) / (k + 1)) - 0.5L * std::log(k + 1) + (1 - constants::half_log_two_pi) +
         correction - stirling_correction(k + 1);
}

FUSECL_INLINE long double log_inv_logit_diff(long double x, long double y) {
  return (x == y ? -constants::infinity : log1m_exp(y - x)) - log1p_exp(-x) - log1p_exp(y);
}

FUSECL_INLINE long double log_diff_exp(long double x, long double y) {
  return x + log1m_exp(x == y ? 0 : y - x);
}

FUSECL_INLINE long double log_sum_exp(long double x, long double y) {
  return std::fmax(x, y) + std::log1p(std::exp(x == y ? 0 : -std::fabs(x - y)));
}

FUSECL_INLINE long double multiply_log(long double x, long double y) {
  return x == 0 && y == 0 ? 0 : x * std::log(y);
}

}  // namespace fusecl::host_math
