#pragma once
// Logarithms of distribution functions on the real line and of their complements, each relatively accurate in
// both tails. What is above y takes over the arguments of what is below, and this those of the density where
// they are the same.

#include <primitives/likelihoods/positive_distributions.hpp>
#include <primitives/likelihoods/real_densities.hpp>

namespace fusecl::density {

/// log probability of a value below y: normal distribution with location mu and scale sigma.
struct normal_lcdf : normal_lpdf {
  static constexpr char name[] = "normal_lcdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) {
      return detail::log_Phi_below(shared(standardized(x, mu, sigma)));
    };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value above y: normal distribution with location mu and scale sigma.
struct normal_lccdf : normal_lcdf {
  static constexpr char name[] = "normal_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) {
      return detail::log_Phi_below(shared(-standardized(x, mu, sigma)));
    };
    return {f.term(detail::all_above_minus_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value below y: standard normal distribution.
struct std_normal_lcdf : std_normal_lpdf {
  static constexpr char name[] = "std_normal_lcdf";
  static constexpr bool keeps_limits = true;
  static detail::density_summands terms(const detail::density_formula& f, const auto& y) {
    return {f.term(log_Phi(y), y)};
  }
};

/// log probability of a value above y: standard normal distribution.
struct std_normal_lccdf : std_normal_lcdf {
  static constexpr char name[] = "std_normal_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y) {
    return {f.term(log_Phi(-y), y)};
  }
};

/// log probability of a value below y: Cauchy distribution with location mu and scale sigma, 1/2 + atan((y -
/// mu) / sigma) / pi below.
struct cauchy_lcdf : cauchy_lpdf {
  static constexpr char name[] = "cauchy_lcdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) { return below(shared(x - mu), sigma); };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, sigma)};
  }
  /// Where d is far below 0, log(sigma / (-d pi)), which has derivatives at infinity, too; far above, log(1 -
  /// sigma / (d pi)), whose derivatives are no product of an infinite quotient.
  static auto below(const auto& d, const auto& sigma) {
    const auto far = shared(d < -1e10 * sigma), far_above = shared(d > 1e10 * sigma);
    const auto z = shared(select(far || far_above, 1.0, d) / sigma);
    const auto above = shared(select(far_above, sigma / select(far_above, d, 1.0), atan(1.0 / z)) / pi());
    const auto logarithm = shared(log(select(far, -d, select(z < -1.0, -above, 0.5 + atan(z) / pi()))));
    return select(far, log(sigma) - logarithm - LOG_PI,
                  select(far_above || z > 1.0, log1m(above), logarithm));
  }
};

/// log probability of a value above y: Cauchy distribution with location mu and scale sigma, 1/2 + atan((y -
/// mu) / sigma) / pi below.
struct cauchy_lccdf : cauchy_lcdf {
  static constexpr char name[] = "cauchy_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) { return below(shared(mu - x), sigma); };
    return {f.term(detail::all_above_minus_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value below y: logistic distribution with location mu and scale sigma, inv_logit((y -
/// mu) / sigma) below.
struct logistic_lcdf {
  static constexpr char name[] = "logistic_lcdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) { return log_inv_logit(detail::no_infinity((x - mu) / sigma)); };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value above y: logistic distribution with location mu and scale sigma, inv_logit((y -
/// mu) / sigma) below.
struct logistic_lccdf : logistic_lcdf {
  static constexpr char name[] = "logistic_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) { return log_inv_logit(detail::no_infinity((mu - x) / sigma)); };
    return {f.term(detail::all_above_minus_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value below y: Laplace's distribution with location mu and scale sigma.
struct double_exponential_lcdf {
  static constexpr char name[] = "double_exponential_lcdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::not_nan, {-3, 3}},
      {"mu", "Location parameter", support::finite, {-2, 2}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) {
      const auto z = shared((x - mu) / sigma);
      return select(z < 0.0, z - LOG_TWO, log1m(0.5 * exp(-detail::at_most(z, detail::exp_ends))));
    };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value above y: Laplace's distribution with location mu and scale sigma.
struct double_exponential_lccdf : double_exponential_lcdf {
  static constexpr char name[] = "double_exponential_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) {
      const auto z = shared((x - mu) / sigma);
      return select(z > 0.0, -z - LOG_TWO, log1m(0.5 * exp(-detail::at_most(-z, detail::exp_ends))));
    };
    return {f.term(detail::all_above_minus_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value below y: asymmetric Laplace distribution with location mu, scale sigma and
/// skewness tau.
struct skew_double_exponential_lcdf : skew_double_exponential_lpdf {
  static constexpr char name[] = "skew_double_exponential_lcdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma, const auto& tau) {
    const auto formula = [&](const auto& x) {
      const auto z = shared((x - mu) / sigma);
      const auto scaled = shared(-2.0 * detail::at_most(shared(tau * z), 0.5 * detail::exp_ends));
      const auto near = log_rest(1.0 - tau, tau, exp(scaled), -expm1(scaled));
      return select(z < 0.0, log(tau) + 2.0 * (1.0 - tau) * z, near);
    };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, sigma, tau)};
  }
  static constexpr bool has_probability = true;
  static auto probability(const auto& y, const auto& mu, const auto& sigma, const auto& tau) {
    const auto z = shared((detail::if_finite(y) - mu) / sigma);
    const auto up = shared(-2.0 * detail::at_most(shared(tau * z), 0.5 * detail::exp_ends)),
               down = shared(-2.0 * detail::at_most(shared((tau - 1.0) * z), 0.5 * detail::exp_ends));
    const auto inside = select(z < 0.0, tau * exp(down), tau * exp(up) - expm1(up));
    return select(isfinite(y), inside, select(y > 0.0, 1.0, 0.0));
  }
  /// log(1 - part * e), given rest = 1 - part and rest_e = 1 - e.
  static auto log_rest(const auto& part, const auto& rest, const auto& e, const auto& rest_e) {
    return select(part * e > 0.5, log(rest * e + rest_e), log1m(part * e));
  }
};

/// log probability of a value above y: asymmetric Laplace distribution with location mu, scale sigma and
/// skewness tau.
struct skew_double_exponential_lccdf : skew_double_exponential_lcdf {
  static constexpr char name[] = "skew_double_exponential_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma, const auto& tau) {
    const auto formula = [&](const auto& x) {
      const auto z = shared((x - mu) / sigma);
      const auto scaled = shared(-2.0 * detail::at_most(shared((tau - 1.0) * z), 0.5 * detail::exp_ends));
      const auto near = log_rest(tau, 1.0 - tau, exp(scaled), -expm1(scaled));
      return select(z > 0.0, log1m(tau) - 2.0 * tau * z, near);
    };
    return {f.term(detail::all_above_minus_infinity(y, formula), y, mu, sigma, tau)};
  }
};

/// log probability of a value below y: Gumbel distribution with location mu and scale beta, exp(-exp(-(y -
/// mu) / beta)) below.
struct gumbel_lcdf : gumbel_lpdf {
  static constexpr char name[] = "gumbel_lcdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& beta) {
    const auto formula = [&](const auto& x) {
      return -exp(-detail::at_most(shared((x - mu) / beta), detail::exp_ends));
    };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, beta)};
  }
};

/// log probability of a value above y: Gumbel distribution with location mu and scale beta, exp(-exp(-(y -
/// mu) / beta)) below.
struct gumbel_lccdf : gumbel_lcdf {
  static constexpr char name[] = "gumbel_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& beta) {
    const auto log_e = shared((mu - y) / beta);
    return {f.term(detail::log_below(shared(exp(log_e)), log_e), y, mu, beta)};
  }
};

/// log probability of a value below y: uniform distribution on [alpha, beta].
struct uniform_lcdf : uniform_lpdf {
  static constexpr char name[] = "uniform_lcdf";
  static constexpr bool has_probability = true;
  static auto probability(const auto& y, const auto& alpha, const auto& beta) {
    return select(y >= alpha && y <= beta, (y - alpha) / (beta - alpha), select(y > beta, 1.0, 0.0));
  }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& beta) {
    return {f.term(
        select(y <= beta,
               select(y >= alpha, detail::log_share(y - alpha, beta - y, beta - alpha), NEGATIVE_INFTY), 0.0),
        y, alpha, beta)};
  }
};

/// log probability of a value above y: uniform distribution on [alpha, beta].
struct uniform_lccdf : uniform_lcdf {
  static constexpr char name[] = "uniform_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& beta) {
    return {f.term(
        select(y >= alpha,
               select(y <= beta, detail::log_share(beta - y, y - alpha, beta - alpha), NEGATIVE_INFTY), 0.0),
        y, alpha, beta)};
  }
};

/// log probability of a value below y: sum of a normal variable with location mu and scale sigma and an
/// exponential one with rate lambda. Its two terms cancel where it is small and lambda sigma is not large:
/// with z = (y - mu) / sigma and the result l, about log10(l z / (lambda sigma)) of the 16 digits are lost.
struct exp_mod_normal_lcdf : exp_mod_normal_lpdf {
  static constexpr char name[] = "exp_mod_normal_lcdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma, const auto& lambda) {
    const auto formula = [&](const auto& x) {
      const auto z = shared((x - mu) / sigma);
      const auto waiting = shared(later(x - mu, sigma, lambda));
      const auto above = shared(sum_of_tails(shared(log_Phi(-z)), waiting));
      const auto below = select(above < -LOG_TWO, log1m_exp(above), log_diff_exp(log_Phi(z), waiting));
      return select(z > NEGATIVE_INFTY, below, log(lambda) - 0.5 * square(z));
    };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, sigma, lambda)};
  }
  /// log(exp(normal) + exp(waiting)); beside the second the first has no derivatives where it is nothing, as
  /// they may be infinite.
  static auto sum_of_tails(const auto& normal, const auto& waiting) {
    return select(normal < waiting - detail::exp_ends, waiting, log_sum_exp(normal, waiting));
  }
};

/// log probability of a value above y: sum of a normal variable with location mu and scale sigma and an
/// exponential one with rate lambda. Where it is next to 0, digits are lost as those of what is below are.
struct exp_mod_normal_lccdf : exp_mod_normal_lcdf {
  static constexpr char name[] = "exp_mod_normal_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma, const auto& lambda) {
    // at infinity the waiting alone is left, without the logarithm of a probability of 1
    const auto d = shared(y - mu);
    const auto inside = shared(d < INFTY);
    const auto near = shared(select(inside, d, 0.0));
    const auto z = shared(near / sigma);
    const auto above = select(z > NEGATIVE_INFTY,
                              sum_of_tails(shared(log_Phi(-z)), shared(later(near, sigma, lambda))), 0.0);
    return {f.term(select(inside, above, 0.5 * square(lambda * sigma) - lambda * d), y, mu, sigma, lambda)};
  }
};

}  // namespace fusecl::density
