#pragma once
// Densities on the real line.

#include <primitives/likelihoods/terms.hpp>

namespace fusecl::density {

/// Normal distribution with location mu and scale sigma:
/// -((y - mu) / sigma)^2 / 2 - log(sigma) - log(2 pi) / 2.
struct normal_lpdf {
  static constexpr char name[] = "normal_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto z = shared(standardized(y, mu, sigma));
    return {f.term(elt_multiply(-0.5 * z, z), y, mu, sigma), f.term(-log(sigma), sigma),
            f.constant(-detail::half_log_two_pi)};
  }
  /// (y - mu) / sigma, of halves where the difference overflows.
  static auto standardized(const auto& y, const auto& mu, const auto& sigma) {
    const auto overflows = shared(isinf(y - mu));
    const auto part = shared(select(overflows, 0.5, 1.0));
    return (part * y - part * mu) / sigma * select(overflows, 2.0, 1.0);
  }
};

/// Standard normal distribution: -y^2 / 2 - log(2 pi) / 2.
struct std_normal_lpdf {
  static constexpr char name[] = "std_normal_lpdf";
  static constexpr density_parameter parameters[] = {{"y", "Random variable", support::not_nan, {-3, 3}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y) {
    return {f.term(elt_multiply(-0.5 * y, y), y), f.constant(-detail::half_log_two_pi)};
  }
};

/// Student's t distribution with nu degrees of freedom, location mu and scale sigma: lgamma((nu + 1) / 2) -
/// lgamma(nu / 2) - log(nu pi) / 2 - log(sigma) - (nu + 1) / 2 log(1 + ((y - mu) / sigma)^2 / nu).
struct student_t_lpdf {
  static constexpr char name[] = "student_t_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"nu", "Degrees of freedom parameter", support::positive_finite, {1, 20}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& nu,
                                        const auto& mu, const auto& sigma) {
    // what else depends on nu is h log(1 + 1 / nu) - 1/2 with h = nu / 2, and what Stirling's formula leaves
    // of log gamma
    const auto h = shared(0.5 * nu);
    const auto few = shared(nu < 1e-100);  // whose reciprocal has a derivative that overflows
    return {f.term(student_t_log_kernel(nu, y - mu, sigma), y, nu, mu, sigma),
            f.term(select(few, -h * log(nu) - 0.5, h * log1pmx(1.0 / select(few, 1.0, nu))) +
                       lgamma_stirling_diff(h + 0.5) - lgamma_stirling_diff(h) - detail::half_log_two_pi,
                   nu),
            f.without(-log(sigma), sigma)};
  }
};

/// Cauchy distribution with location mu and scale sigma:
/// -log(1 + ((y - mu) / sigma)^2) - log(sigma) - log(pi).
struct cauchy_lpdf {
  static constexpr char name[] = "cauchy_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto x = shared(y - mu);
    const auto far = 2.0 * (log(sigma) - log(fabs(x)));  // also where the quotient overflows
    return {f.term(select(detail::is_near(x, sigma), -log1p(square(x / sigma)), far), y, mu, sigma),
            f.term(-log(sigma), sigma), f.constant(-LOG_PI)};
  }
};

/// Logistic distribution with location mu and scale sigma, z = (y - mu) / sigma:
/// -z - 2 log(1 + exp(-z)) - log(sigma).
struct logistic_lpdf {
  static constexpr char name[] = "logistic_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::finite, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    return {f.term(logistic_log_kernel((y - mu) / sigma), y, mu, sigma), f.term(-log(sigma), sigma)};
  }
};

/// Laplace's distribution with location mu and scale sigma: -|y - mu| / sigma - log(2 sigma).
struct double_exponential_lpdf {
  static constexpr char name[] = "double_exponential_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::finite, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    return {f.term(-fabs((y - mu) / sigma), y, mu, sigma), f.term(-log(sigma), sigma), f.constant(-LOG_TWO)};
  }
};

/// Asymmetric Laplace distribution with location mu, scale sigma and skewness tau:
/// log(2 tau (1 - tau) / sigma) - 2 / sigma ((1 - tau) (mu - y) below mu, tau (y - mu) above).
struct skew_double_exponential_lpdf {
  static constexpr char name[] = "skew_double_exponential_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}},
      {"tau", "Skewness parameter", support::unit, {0.2, 0.8}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma, const auto& tau) {
    const auto slope = select(y < mu, 1.0 - tau, select(y > mu, -tau, 0.0));  // flat at the peak, as |z| is
    return {f.term(slope * ((y - mu) / sigma) * 2.0, y, mu, sigma, tau), f.term(log(tau) + log1m(tau), tau),
            f.term(-log(sigma), sigma), f.constant(LOG_TWO)};
  }
};

/// Gumbel distribution with location mu and scale beta, z = (y - mu) / beta: -z - exp(-z) - log(beta).
struct gumbel_lpdf {
  static constexpr char name[] = "gumbel_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"beta", "Scale parameter", support::positive, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& beta) {
    // the derivative is a small difference near the mode; where exp(w) is infinite, w is nothing beside it
    const auto w = shared((mu - y) / beta);
    const auto far = shared(w > detail::vanishing_exponent);
    return {f.term(detail::less_its_exponential(shared(select(far, 0.0, w))) - select(far, exp(w), 0.0), y,
                   mu, beta),
            f.term(-log(beta), beta)};
  }
};

/// Uniform distribution on [alpha, beta]: -log(beta - alpha), and -infinity for y outside.
struct uniform_lpdf {
  static constexpr char name[] = "uniform_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {0.5, 1}},
      {"alpha", "Lower bound parameter", support::finite, {-1, 0}},
      {"beta", "Upper bound parameter", support::finite, {2, 3}}};
  static constexpr std::size_t related = 2;
  static constexpr char relation[] = "greater than the lower bound parameter";
  static auto relation_holds(const auto&, const auto& alpha, const auto& beta) { return beta > alpha; }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& beta) {
    return {f.term(-log(beta - alpha), alpha, beta),
            f.term(select(y >= alpha && y <= beta, 0.0, NEGATIVE_INFTY), y, alpha, beta)};
  }
};

/// Skew normal distribution with location xi, scale omega and shape alpha, z = (y - xi) / omega:
/// -z^2 / 2 - log(omega) - log(2 pi) / 2 + log(2 Phi(alpha z)).
struct skew_normal_lpdf {
  static constexpr char name[] = "skew_normal_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"xi", "Location parameter", support::finite, {-2, 2}},
      {"omega", "Scale parameter", support::positive, {0.5, 2}},
      {"alpha", "Shape parameter", support::finite, {-2, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& xi,
                                        const auto& omega, const auto& alpha) {
    const auto z = shared((y - xi) / omega);
    return {f.term(-0.5 * square(z) + detail::log_Phi_below(alpha * select(isfinite(z), z, 0.0)), y, xi,
                   omega, alpha),
            f.term(-log(omega), omega), f.constant(LOG_TWO - detail::half_log_two_pi)};
  }
};

/// Sum of a normal variable with location mu and scale sigma and an exponential one with rate lambda:
/// log(lambda) + lambda (mu - y + lambda sigma^2 / 2) + log(Phi((y - mu) / sigma - lambda sigma)). The
/// derivative by lambda is a small difference where lambda sigma is large: of its 16 digits about 2
/// log10(lambda sigma) are lost.
struct exp_mod_normal_lpdf {
  static constexpr char name[] = "exp_mod_normal_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}},
      {"lambda", "Inv_scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma, const auto& lambda) {
    return {f.term(later(y - mu, sigma, lambda), y, mu, sigma, lambda), f.term(log(lambda), lambda)};
  }
  /// log probability that the normal variable is below d, the sum not, which with z = d / sigma and s =
  /// lambda sigma is s^2 / 2 - lambda d + log(Phi(z - s)). Far out squares cancel, and the inverse of the
  /// asymptotic series of Mills' ratio (Abramowitz and Stegun, 26.2.12) has what is left.
  static auto later(const auto& d, const auto& sigma, const auto& lambda) {
    const auto s = shared(lambda * sigma);
    const auto z = shared(d / sigma);
    const auto x = shared(z - s);
    const auto u = shared(inv_square(x));
    const auto inverse_ratio =
        -x * (1.0 + u * (1.0 - 2.0 * u * (1.0 - 5.0 * u * (1.0 - 7.4 * u * (1.0 - 353.0 / 37 * u)))));
    // log2 and not log, which is computed everywhere on some devices (docs/decisions/0055)
    return select(x < -30.0, -LOG_TWO * log2(inverse_ratio) - 0.5 * square(z) - detail::half_log_two_pi,
                  0.5 * square(s) - lambda * d + detail::log_Phi_below(x));
  }
};

/// Von Mises distribution of an angle y, in radians, about mu with concentration kappa:
/// kappa cos(y - mu) - log(2 pi I0(kappa)), with the modified Bessel function of order 0.
struct von_mises_lpdf {
  static constexpr char name[] = "von_mises_lpdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::finite, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"kappa", "Scale parameter", support::nonnegative_finite, {0.5, 5}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& kappa) {
    // kappa (cos(y - mu) - 1), and the Bessel function scaled by exp(-kappa)
    return {f.term(-2.0 * kappa * square(sin(0.5 * (y - mu))), y, mu, kappa), f.without(-kappa, kappa),
            f.term(-log_i0e(kappa), kappa), f.constant(-2.0 * detail::half_log_two_pi)};
  }
};

}  // namespace fusecl::density
