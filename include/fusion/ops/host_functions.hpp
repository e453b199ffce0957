#pragma once
// Long double references, accurate to a few units in the last place of long double away from zeros of the
// function, of the special functions that <cmath> lacks. Used by the host interpreter only.

#include <fusion/base/config.hpp>

namespace fusecl::host_math {

/// Logarithmic derivative of the gamma function; NaN at 0, -1, -2, ... (as Stan Math).
long double digamma(long double x);
/// Second derivative of log gamma; infinite at 0, -1, -2, ...
long double trigamma(long double x);
/// Derivative of order `n` (rounded to an integer, 1 to 32) of digamma at x >= 0; else NaN.
long double polygamma(long double n, long double x);
/// Standard normal distribution function, relatively accurate in both tails.
long double Phi(long double x);
/// Its logarithm.
long double log_Phi(long double x);
/// Standard normal quantile; NaN outside [0, 1].
long double inv_Phi(long double p);
long double log1p_exp(long double x);
long double log1m_exp(long double x);
long double logit(long double p);
long double log1pmx(long double x);
long double lgamma_stirling_diff(long double x);
long double digamma_stirling_diff(long double x);
/// Log of exp(-x) I0(x), I0 the modified Bessel function, and I1(x) / I0(x) - 1, for x >= 0.
long double log_i0e(long double x);
long double i1_i0_m1(long double x);
long double lbeta(long double a, long double b);
long double beta(long double a, long double b);
long double binomial_coefficient_log(long double n, long double k);
long double log_inv_logit_diff(long double x, long double y);
long double log_diff_exp(long double x, long double y);
long double log_sum_exp(long double x, long double y);
long double multiply_log(long double x, long double y);

}  // namespace fusecl::host_math

#ifndef FUSECL_SPLIT
#include <fusion/ops/host_functions.ipp>
#endif
