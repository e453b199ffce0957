#pragma once
// Probabilities of counts. Their outcomes are whole numbers: int, long, unsigned or bool, or matrices of
// these.

#include <primitives/likelihoods/terms.hpp>

namespace fusecl::density {

/// Bernoulli distribution: log(theta) where n is 1, log(1 - theta) where it is 0.
struct bernoulli_lpmf {
  static constexpr char name[] = "bernoulli_lpmf";
  static constexpr bool keeps_limits = true;  // theta is at an end where it is -infinity
  static constexpr density_parameter parameters[] = {
      {"n", "n", support::zero_or_one, {0, 1}, true},
      {"theta", "Probability parameter", support::unit, {0.1, 0.9}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& theta) {
    return {f.term(select(n == 1.0, log(theta), log1m(theta)), n, theta)};
  }
};

/// Bernoulli distribution by the logit of its probability: -log(1 + exp(-theta)) where n is 1, else -log(1 +
/// exp(theta)).
struct bernoulli_logit_lpmf {
  static constexpr char name[] = "bernoulli_logit_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "n", support::zero_or_one, {0, 1}, true},
      {"theta", "Logit transformed probability parameter", support::not_nan, {-3, 3}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& theta) {
    return {f.term(-log1p_exp(select(n == 1.0, -theta, theta)), n, theta)};
  }
};

/// Binomial distribution, n successes in N trials with probability theta:
/// log(N over n) + n log(theta) + (N - n) log(1 - theta).
struct binomial_lpmf {
  static constexpr char name[] = "binomial_lpmf";
  static constexpr bool keeps_limits = true;  // theta is at an end where it is -infinity
  static constexpr density_parameter parameters[] = {
      {"n", "Successes variable", support::nonnegative, {0, 9}, true},
      {"N", "Population size parameter", support::nonnegative, {10, 20}, true},
      {"theta", "Probability parameter", support::unit, {0.1, 0.9}}};
  static constexpr std::size_t related = 0;
  static constexpr char relation[] = "in the interval [0, N]";
  static auto relation_holds(const auto& n, const auto& N, const auto&) { return n <= N; }
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& N,
                                        const auto& theta) {
    return detail::of_successes(
        f,
        f.term(detail::binomial_kernel(n, N, log(theta), log1m(theta),
                                       shared(detail::expected_besides(n, N, theta, 1.0 - theta))),
               n, N, theta),
        n, N);
  }
};

/// Binomial distribution by the logit alpha of its probability:
/// log(N over n) - n log(1 + exp(-alpha)) - (N - n) log(1 + exp(alpha)).
struct binomial_logit_lpmf {
  static constexpr char name[] = "binomial_logit_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "Successes variable", support::nonnegative, {0, 9}, true},
      {"N", "Population size parameter", support::nonnegative, {10, 20}, true},
      {"alpha", "Probability parameter", support::finite, {-3, 3}}};
  static constexpr std::size_t related = 0;
  static constexpr char relation[] = "in the interval [0, N]";
  static auto relation_holds(const auto& n, const auto& N, const auto&) { return n <= N; }
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& N,
                                        const auto& alpha) {
    const auto p = inv_logit(alpha), q = inv_logit(-alpha);
    // N / 2 successes are expected where alpha is 0
    const auto d = shared(select(fabs(alpha) < 1.0, 0.5 * N * tanh(0.5 * alpha) - (n - 0.5 * N),
                                 detail::expected_besides(n, N, p, q)));
    return detail::of_successes(
        f, f.term(detail::binomial_kernel(n, N, log_inv_logit(alpha), log_inv_logit(-alpha), d), n, N, alpha),
        n, N);
  }
};

/// Poisson distribution with rate lambda: n log(lambda) - lambda - lgamma(n + 1).
struct poisson_lpmf {
  static constexpr char name[] = "poisson_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "Random variable", support::nonnegative, {0, 9}, true},
      {"lambda", "Rate parameter", support::nonnegative, {1, 9}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& lambda) {
    const auto finite = detail::count_term(n, log(lambda), lambda - n);
    return detail::of_counts(f, f.term(select(lambda < INFTY, finite, NEGATIVE_INFTY), n, lambda), n);
  }
};

/// Poisson distribution by the logarithm of its rate: n alpha - exp(alpha) - lgamma(n + 1).
struct poisson_log_lpmf {
  static constexpr char name[] = "poisson_log_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "Random variable", support::nonnegative, {0, 9}, true},
      {"alpha", "Log rate parameter", support::not_nan, {-1, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& alpha) {
    const auto finite = detail::count_term(n, alpha, exp(alpha) - n);
    return detail::of_counts(f, f.term(select(alpha < INFTY, finite, NEGATIVE_INFTY), n, alpha), n);
  }
};

/// Negative binomial distribution with shape alpha and inverse scale beta: log(n + alpha - 1 over n) +
/// alpha log(beta / (1 + beta)) - n log(1 + beta).
struct neg_binomial_lpmf {
  static constexpr char name[] = "neg_binomial_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "Failures variable", support::nonnegative, {0, 9}, true},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}},
      {"beta", "Inverse scale parameter", support::positive_finite, {0.5, 2}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& alpha,
                                        const auto& beta) {
    const auto kernel =
        detail::neg_binomial_kernel(n, alpha / beta, log(alpha) - log(beta), beta / (1.0 + beta), alpha);
    return detail::of_failures(f, f.term(kernel, n, alpha, beta), n, alpha);
  }
};

/// Negative binomial distribution with mean mu and precision phi: log(n + phi - 1 over n) +
/// n log(mu / (mu + phi)) + phi log(phi / (mu + phi)).
struct neg_binomial_2_lpmf {
  static constexpr char name[] = "neg_binomial_2_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "Failures variable", support::nonnegative, {0, 9}, true},
      {"mu", "Location parameter", support::positive_finite, {1, 9}},
      {"phi", "Precision parameter", support::positive_finite, {1, 5}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& mu,
                                        const auto& phi) {
    const auto kernel = detail::neg_binomial_kernel(n, mu, log(mu), detail::share_of(phi, mu), phi);
    return detail::of_failures(f, f.term(kernel, n, mu, phi), n, phi);
  }
};

/// Negative binomial distribution by the logarithm eta of its mean, with precision phi.
struct neg_binomial_2_log_lpmf {
  static constexpr char name[] = "neg_binomial_2_log_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "Failures variable", support::nonnegative, {0, 9}, true},
      {"eta", "Log location parameter", support::finite, {-1, 2}},
      {"phi", "Inverse dispersion parameter", support::positive_finite, {1, 5}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& eta,
                                        const auto& phi) {
    // beyond, exp(eta) is so much more than n and phi that only phi log(phi / (mu + phi)) depends on it
    const auto beyond = shared(select(phi < 1e100, 300.0, 700.0));
    const auto is_far = shared(eta > beyond);
    const auto near = shared(select(is_far, beyond, eta));
    const auto mu = shared(exp(near));
    const auto kernel = detail::neg_binomial_kernel(n, mu, near, detail::share_of(phi, mu), phi);
    return detail::of_failures(f, f.term(kernel - select(is_far, phi * (eta - beyond), 0.0), n, eta, phi), n,
                               phi);
  }
};

/// Beta-binomial distribution, n successes in N trials whose probability has a beta distribution with shapes
/// alpha and beta; -infinity for n < 0 and n > N: log(N over n) + lbeta(n + alpha, N - n + beta) -
/// lbeta(alpha, beta).
struct beta_binomial_lpmf {
  static constexpr char name[] = "beta_binomial_lpmf";
  static constexpr density_parameter parameters[] = {
      {"n", "Successes variable", support::any, {0, 9}, true},
      {"N", "Population size parameter", support::nonnegative, {10, 20}, true},
      {"alpha", "First prior sample size parameter", support::positive_finite, {1, 4}},
      {"beta", "Second prior sample size parameter", support::positive_finite, {1, 4}}};
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& N,
                                        const auto& alpha, const auto& beta) {
    const auto inside = shared(n >= 0.0 && n <= N);
    return {
        f.term(select(inside, detail::beta_binomial_kernel(n, N, alpha, beta), NEGATIVE_INFTY), n, N, alpha,
               beta),
        f.data_term(f.keeps(n, N), select(inside, detail::choices_rest(n, N), 0.0), n, N),
        f.data_term(!f.keeps(n, N),
                    select(inside, detail::choices_rest(n, N) - binomial_coefficient_log(N, n), 0.0), n, N)};
  }
};

/// Discrete uniform distribution on the whole numbers from `lower` to `upper`: -log(upper - lower + 1), and
/// -infinity for y outside.
struct discrete_range_lpmf {
  static constexpr char name[] = "discrete_range_lpmf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::any, {2, 5}, true},
      {"lower", "Lower bound parameter", support::any, {-3, 1}, true},
      {"upper", "Upper bound parameter", support::any, {6, 9}, true}};
  static constexpr std::size_t related = 2;
  static constexpr char relation[] = "greater than or equal to the lower bound parameter";
  static auto relation_holds(const auto&, const auto& lower, const auto& upper) { return upper >= lower; }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& lower,
                                        const auto& upper) {
    return {f.term(select(y >= lower && y <= upper, -log1p(upper - lower), NEGATIVE_INFTY), y, lower, upper)};
  }
};

}  // namespace fusecl::density
