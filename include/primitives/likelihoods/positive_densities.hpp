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
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    // at 0 the square, which is infinite, has the derivatives
    return {f.term(-0.5 * square((log(detail::still_at_infinity(y)) - mu) / sigma), y, mu, sigma),
            f.term(select(y > 0.0, -log(y), 0.0), y), f.term(-log(sigma), sigma),
            f.constant(-detail::half_log_two_pi)};
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
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& beta) {
    const auto log_y = shared(detail::log_of_positive(y));
    const auto inside =
        detail::gamma_kernel(beta * y, log(beta) + log_y, alpha) - log_y + detail::power_at_zero(y, alpha);
    return {f.term(select(y >= 0.0, inside, NEGATIVE_INFTY), y, alpha, beta),
            f.without(-beta * detail::if_finite(y), y, beta),
            f.without((alpha - 1.0) * detail::log_of_ordinary(y), y, alpha),
            f.without(alpha * log(beta), alpha, beta), f.without(-lgamma(alpha), alpha)};
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
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& beta) {
    return {f.term(select(y > 0.0, detail::gamma_kernel(beta / y, log(beta) - log(y), alpha) - log(y),
                          NEGATIVE_INFTY),
                   y, alpha, beta),
            f.without(select(y > 0.0, -beta / y, 0.0), y, beta),
            f.without(-(alpha + 1.0) * detail::log_of_ordinary(y), y, alpha),
            f.without(alpha * log(beta), alpha, beta), f.without(-lgamma(alpha), alpha)};
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
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& sigma) {
    // at 0 y / sigma stands for its power: their derivatives differ only where that of the rest is infinite
    const auto at_zero = multiply_log(alpha - 1.0, y) - alpha * log(sigma) - y / sigma;
    const auto positive = shared(select(y > 0.0, y, 1.0));
    const auto log_power = shared(alpha * detail::log_quotient(positive, sigma));
    return {f.term(select(y > 0.0, detail::less_its_exponential(log_power) - log(positive),
                          select(y == 0.0, at_zero, NEGATIVE_INFTY)),
                   y, alpha, sigma),
            f.term(log(alpha), alpha), f.without((alpha - 1.0) * detail::log_of_ordinary(y), y, alpha),
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
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& beta) {
    return {f.term(detail::beta_kernel(y, alpha, beta) - detail::log_of_positive(y) -
                       detail::log1m_of_less_than_one(y) + detail::power_at_zero(y, alpha) +
                       detail::power_at_one(y, beta),
                   y, alpha, beta),
            f.without((alpha - 1.0) * detail::log_of_ordinary(y), y, alpha),
            f.without(select(y < 1.0, (beta - 1.0) * log1m(y), 0.0), y, beta),
            f.without(-lbeta(alpha, beta), alpha, beta)};
  }
};

/// Chi-squared distribution with nu degrees of freedom, gamma(nu / 2, 1 / 2):
/// (nu / 2 - 1) log(y) - y / 2 - nu / 2 log(2) - lgamma(nu / 2).
struct chi_square_lpdf {
  static constexpr char name[] = "chi_square_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::nonnegative, {0.5, 3}},
      {"nu", "Degrees of freedom parameter", support::positive_finite, {1, 9}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& nu) {
    const auto h = shared(0.5 * nu);
    const auto log_y = shared(detail::log_of_positive(y));
    return {f.term(detail::gamma_kernel(0.5 * y, log_y - LOG_TWO, h) - log_y + detail::power_at_zero(y, h), y,
                   nu),
            f.without(-0.5 * detail::if_finite(y), y), f.without(-h * LOG_TWO - lgamma(h), nu),
            f.without((h - 1.0) * detail::log_of_ordinary(y), y, nu)};
  }
};

/// Inverse chi-squared distribution with nu degrees of freedom, inverse gamma(nu / 2, 1 / 2); -infinity for y
/// <= 0:
/// -(nu / 2 + 1) log(y) - 1 / (2 y) - nu / 2 log(2) - lgamma(nu / 2).
struct inv_chi_square_lpdf {
  static constexpr char name[] = "inv_chi_square_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {0.5, 3}},
      {"nu", "Degrees of freedom parameter", support::positive_finite, {1, 9}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& nu) {
    const auto h = shared(0.5 * nu);
    return {
        f.term(select(y > 0.0, detail::gamma_kernel(0.5 / y, -log(y) - LOG_TWO, h) - log(y), NEGATIVE_INFTY),
               y, nu),
        f.without(select(y > 0.0, -0.5 / y, 0.0), y), f.without(-h * LOG_TWO - lgamma(h), nu),
        f.without(-(h + 1.0) * detail::log_of_ordinary(y), y, nu)};
  }
};

/// Scaled inverse chi-squared distribution with nu degrees of freedom and scale s, inverse gamma(h, h s^2)
/// with h = nu / 2; -infinity for y <= 0: h log(h) - lgamma(h) + 2 h log(s) - (h + 1) log(y) - h s^2 / y.
struct scaled_inv_chi_square_lpdf {
  static constexpr char name[] = "scaled_inv_chi_square_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {0.5, 3}},
      {"nu", "Degrees of freedom parameter", support::positive_finite, {1, 9}},
      {"s", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& nu,
                                        const auto& s) {
    const auto h = shared(0.5 * nu);
    const auto ratio = shared(square(s / sqrt(select(y > 0.0, y, 1.0))));  // squares of s may overflow
    return {
        f.term(select(y > 0.0, detail::gamma_kernel(h * ratio, log(h) + 2.0 * log(s) - log(y), h) - log(y),
                      NEGATIVE_INFTY),
               y, nu, s),
        f.without(h * log(h) - lgamma(h), nu), f.without(nu * log(s), nu, s),
        f.without(-(h + 1.0) * detail::log_of_ordinary(y), y, nu)};
  }
};

/// Rayleigh distribution with scale sigma: log(y) - 2 log(sigma) - (y / sigma)^2 / 2.
struct rayleigh_lpdf {
  static constexpr char name[] = "rayleigh_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::positive, {0.5, 3}},
      {"sigma", "Scale parameter", support::positive, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& sigma) {
    return {f.term(-0.5 * square(y / sigma), y, sigma), f.term(log(select(y < INFTY, y, 1.0)), y),
            f.term(-2.0 * log(sigma), sigma)};
  }
};

/// Frechet distribution with shape alpha and scale sigma:
/// log(alpha / sigma) - (1 + alpha) log(y / sigma) - (y / sigma)^-alpha.
struct frechet_lpdf {
  static constexpr char name[] = "frechet_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::positive, {0.5, 3}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& sigma) {
    const auto inside = shared(y < INFTY);
    const auto log_power = shared(-alpha * detail::log_quotient(select(inside, y, 1.0), sigma));
    return {f.term(select(inside, detail::less_its_exponential(log_power),
                          -alpha * detail::log_quotient(y, sigma)),
                   y, alpha, sigma),
            f.without(-alpha * detail::log_of_ordinary(y), y, alpha),
            f.without(alpha * log(sigma), alpha, sigma), f.term(-log(y), y), f.term(log(alpha), alpha)};
  }
};

/// Pareto distribution with least value y_min and shape alpha; -infinity for y < y_min:
/// log(alpha) + alpha log(y_min) - (alpha + 1) log(y).
struct pareto_lpdf {
  static constexpr char name[] = "pareto_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {1, 3}},
      {"y_min", "Scale parameter", support::positive_finite, {0.2, 0.9}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& y_min,
                                        const auto& alpha) {
    return {
        f.term(select(y >= y_min, -alpha * detail::log_quotient(y, y_min), NEGATIVE_INFTY), y, y_min, alpha),
        f.without(-alpha * detail::log_of_ordinary(y), y, alpha), f.without(alpha * log(y_min), y_min, alpha),
        f.term(select(y > 0.0, -log(y), 0.0), y), f.term(log(alpha), alpha)};
  }
};

/// Lomax distribution with location mu, scale lambda and shape alpha:
/// log(alpha / lambda) - (alpha + 1) log(1 + (y - mu) / lambda).
struct pareto_type_2_lpdf {
  static constexpr char name[] = "pareto_type_2_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {1, 3}},
      {"mu", "Location parameter", support::finite, {-2, 0}},
      {"lambda", "Scale parameter", support::positive_finite, {0.5, 2}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}}};
  static constexpr std::size_t related = 0;
  static constexpr char relation[] = "greater than or equal to the location parameter";
  static auto relation_holds(const auto& y, const auto& mu, const auto&, const auto&) { return y >= mu; }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& lambda, const auto& alpha) {
    const auto d = shared(y - mu);
    return {f.term(-alpha * detail::log1p_quotient(d, lambda) - log(lambda + d), y, mu, lambda, alpha),
            f.without(-log(lambda), lambda), f.term(log(alpha), alpha)};
  }
};

/// Beta distribution with mean mu and precision kappa: beta_lpdf(y, mu kappa, (1 - mu) kappa).
struct beta_proportion_lpdf {
  static constexpr char name[] = "beta_proportion_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::unit, {0.1, 0.9}},
      {"mu", "Location parameter", support::open_unit, {0.2, 0.8}},
      {"kappa", "Precision parameter", support::positive_finite, {2, 9}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& kappa) {
    const auto a = shared(mu * kappa);
    const auto b = shared((1.0 - mu) * kappa);
    return {
        f.term(detail::beta_kernel(y, a, b) - detail::log_of_positive(y) - detail::log1m_of_less_than_one(y) +
                   detail::power_at_zero(y, a) + detail::power_at_one(y, b),
               y, mu, kappa),
        f.without(-lbeta(a, b), mu, kappa)};
  }
};

}  // namespace fusecl::density
