#pragma once
// Densities of positive numbers and of probabilities.

#include <primitives/likelihoods/terms.hpp>

namespace fusecl::density {

/// Lognormal distribution: log(y) is normal with location mu and scale sigma. -infinity at 0.
/// -((log(y) - mu) / sigma)^2 / 2 - log(y) - log(sigma) - log(2 pi) / 2.
struct lognormal_lpdf {
  static constexpr char name[] = "lognormal_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::nonnegative, {0.5, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu, const auto& sigma) {
    return {f.term(select(y > 0.0, -0.5 * square((log(y) - mu) / sigma), detail::minus_infinity), y, mu, sigma),
            f.term(select(y > 0.0, -log(y), 0.0), y), f.term(-log(sigma), sigma), f.constant(-detail::half_log_two_pi)};
  }
};

/// Gamma distribution with shape alpha and inverse scale beta; -infinity for y < 0:
/// alpha log(beta) - lgamma(alpha) + (alpha - 1) log(y) - beta y.
struct gamma_lpdf {
  static constexpr char name[] = "gamma_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {0.5, 3}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}},
      {"beta", "Inverse scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha, const auto& beta) {
    return {f.term(select(y > 0.0, detail::gamma_kernel(beta * y, log(beta) + log(y), alpha) - log(y),
                          detail::at_zero_or_outside(y, alpha, log(beta))), y, alpha, beta),
            f.without(select(y > 0.0, (alpha - 1.0) * log(y), 0.0), y, alpha), f.without(alpha * log(beta), alpha, beta),
            f.without(-lgamma(alpha), alpha)};
  }
};

/// Inverse gamma distribution with shape alpha and scale beta; -infinity for y <= 0:
/// alpha log(beta) - lgamma(alpha) - (alpha + 1) log(y) - beta / y.
struct inv_gamma_lpdf {
  static constexpr char name[] = "inv_gamma_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {0.5, 3}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}},
      {"beta", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha, const auto& beta) {
    return {f.term(select(y > 0.0, detail::gamma_kernel(beta / y, log(beta) - log(y), alpha) - log(y),
                          detail::minus_infinity), y, alpha, beta),
            f.without(select(y > 0.0, -(alpha + 1.0) * log(y), 0.0), y, alpha), f.without(alpha * log(beta), alpha, beta),
            f.without(-lgamma(alpha), alpha)};
  }
};

/// Exponential distribution with rate beta: log(beta) - beta y.
struct exponential_lpdf {
  static constexpr char name[] = "exponential_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::nonnegative, {0.5, 3}},
      {"beta", "Inverse scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& beta) {
    return {f.term(-beta * y, y, beta), f.term(log(beta), beta)};
  }
};

/// Weibull distribution with shape alpha and scale sigma; -infinity for y < 0:
/// log(alpha / sigma) + (alpha - 1) log(y / sigma) - (y / sigma)^alpha.
struct weibull_lpdf {
  static constexpr char name[] = "weibull_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::finite, {0.5, 3}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha, const auto& sigma) {
    const auto z = shared(y / sigma);
    return {f.term(select(y > 0.0, alpha * log(z) - pow(z, alpha) - log(y),
                      detail::at_zero_or_outside(y, alpha, -log(sigma))), y, alpha, sigma),
        f.term(log(alpha), alpha), f.without(select(y > 0.0, (alpha - 1.0) * log(y), 0.0), y, alpha),
            f.without(-alpha * log(sigma), alpha, sigma)};
  }
};

/// Beta distribution with alpha and beta successes and failures seen before:
/// (alpha - 1) log(y) + (beta - 1) log(1 - y) - lbeta(alpha, beta).
struct beta_lpdf {
  static constexpr char name[] = "beta_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::unit, {0.1, 0.9}},
      {"alpha", "First shape parameter", support::positive_finite, {1, 4}},
      {"beta", "Second shape parameter", support::positive_finite, {1, 4}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha, const auto& beta) {
    return {f.term(select(y > 0.0 && y < 1.0, detail::beta_kernel(y, alpha, beta) - log(y) - log1m(y),
                          multiply_log(alpha - 1.0, y) + multiply_log(beta - 1.0, 1.0 - y) - lbeta(alpha, beta)), y, alpha,
                   beta),
            f.without(select(y > 0.0, (alpha - 1.0) * log(y), 0.0), y, alpha),
            f.without(select(y < 1.0, (beta - 1.0) * log1m(y), 0.0), y, beta), f.without(-lbeta(alpha, beta), alpha, beta)};
  }
};

}  // namespace fusecl::density
