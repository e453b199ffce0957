#pragma once
// Logarithms of distribution functions of positive numbers and of their complements, each relatively accurate
// in both tails. What is above y takes over the arguments of what is below, and this those of the density
// where they are the same.

#include <primitives/likelihoods/positive_densities.hpp>

namespace fusecl {
namespace detail {

/// 1 - exp(-e) for e >= 0, with derivative 0 where exp(-e) vanishes, also where e is infinite.
template <class E>
auto below_by(const E& e) {
  return -expm1(-fmin(e, vanishing_exponent));
}
/// Its logarithm. Where e is 0, underflows or has lost digits by that, it is log(e), which has the
/// derivatives.
template <class E, class LogE>
auto log_below(const E& e, const LogE& log_e) {
  return select(e > 1e-300, select(e < vanishing_exponent, log1m_exp(-e), 0.0), log_e);
}

}  // namespace detail

namespace density {

/// log probability of a value below y: lognormal distribution with location mu and scale sigma.
struct lognormal_lcdf : lognormal_lpdf {
  static constexpr char name[] = "lognormal_lcdf";
  static constexpr bool has_probability = true;
  static auto probability(const auto& y, const auto& mu, const auto& sigma) {
    const auto inside = shared(y > 0.0 && y < INFTY);
    return select(inside,
                  Phi(detail::between(shared((log(select(inside, y, 1.0)) - mu) / sigma), detail::Phi_ends)),
                  select(y > 0.0, 1.0, 0.0));
  }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) { return detail::log_Phi_below(shared((log(x) - mu) / sigma)); };
    return {f.term(detail::all_below_infinity(y, formula), y, mu, sigma)};
  }
};

/// log probability of a value above y: lognormal distribution with location mu and scale sigma.
struct lognormal_lccdf : lognormal_lcdf {
  static constexpr char name[] = "lognormal_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& sigma) {
    const auto z = shared((log(detail::still_at_infinity(y)) - mu) / sigma);
    return {f.term(select(y > 0.0, detail::log_Phi_below(-z), 0.0), y, mu, sigma)};
  }
};

/// log probability of a value below y: exponential distribution with rate beta, exp(-beta y) above.
struct exponential_lcdf : exponential_lpdf {
  static constexpr char name[] = "exponential_lcdf";
  static constexpr bool has_probability = true;
  static auto probability(const auto& y, const auto& beta) { return detail::below_by(beta * y); }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& beta) {
    return {f.term(detail::log_below(shared(beta * y), log(beta) + log(y)), y, beta)};
  }
};

/// log probability of a value above y: exponential distribution with rate beta, exp(-beta y) above.
struct exponential_lccdf : exponential_lcdf {
  static constexpr char name[] = "exponential_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& beta) {
    return {f.term(-beta * y, y, beta)};
  }
};

/// log probability of a value below y: Weibull distribution with shape alpha and scale sigma, exp(-(y /
/// sigma)^alpha) above.
struct weibull_lcdf {
  static constexpr char name[] = "weibull_lcdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::nonnegative, {0.5, 3}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}},
      {"sigma", "Scale parameter", support::positive_finite, {0.5, 2}}};
  static constexpr bool has_probability = true;
  /// (y / sigma)^alpha; the derivative by sigma is 0 at 0 and infinity, where it would be an infinity times
  /// 0.
  static auto power(const auto& y, const auto& alpha, const auto& sigma) {
    return pow(y / select(y > 0.0 && y < INFTY, sigma, stop_gradient(sigma)), alpha);
  }
  static auto probability(const auto& y, const auto& alpha, const auto& sigma) {
    return detail::below_by(power(y, alpha, sigma));
  }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& sigma) {
    const auto e = shared(pow(y / sigma, alpha));
    return {f.term(detail::log_below(e, alpha * (log(y) - log(sigma))), y, alpha, sigma)};
  }
};

/// log probability of a value above y: Weibull distribution with shape alpha and scale sigma, exp(-(y /
/// sigma)^alpha) above.
struct weibull_lccdf : weibull_lcdf {
  static constexpr char name[] = "weibull_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& sigma) {
    // at infinity the quotient has the derivative by sigma
    const auto rest = select(y < INFTY, 0.0, stop_gradient(y) / sigma);
    return {f.term(-power(y, alpha, sigma) - rest, y, alpha, sigma)};
  }
};

/// log probability of a value below y: Frechet distribution with shape alpha and scale sigma, exp(-(y /
/// sigma)^-alpha) below.
struct frechet_lcdf : frechet_lpdf {
  static constexpr char name[] = "frechet_lcdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& sigma) {
    const auto formula = [&](const auto& x) { return -exp(-alpha * detail::log_quotient(x, sigma)); };
    return {f.term(detail::all_below_infinity(y, formula), y, alpha, sigma)};
  }
};

/// log probability of a value above y: Frechet distribution with shape alpha and scale sigma, exp(-(y /
/// sigma)^-alpha) below.
struct frechet_lccdf : frechet_lcdf {
  static constexpr char name[] = "frechet_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& alpha,
                                        const auto& sigma) {
    const auto e = shared(pow(y / sigma, -alpha));
    return {f.term(detail::log_below(e, alpha * (log(sigma) - log(y))), y, alpha, sigma)};
  }
};

/// log probability of a value below y: Rayleigh distribution with scale sigma, exp(-(y / sigma)^2 / 2) above.
struct rayleigh_lcdf {
  static constexpr char name[] = "rayleigh_lcdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::nonnegative, {0.5, 3}},
      {"sigma", "Scale parameter", support::positive, {0.5, 2}}};
  static constexpr bool has_probability = true;
  static auto probability(const auto& y, const auto& sigma) {
    return detail::below_by(0.5 * square(y / sigma));
  }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& sigma) {
    const auto e = shared(0.5 * square(y / sigma));
    return {f.term(detail::log_below(e, 2.0 * (log(y) - log(sigma)) - LOG_TWO), y, sigma)};
  }
};

/// log probability of a value above y: Rayleigh distribution with scale sigma, exp(-(y / sigma)^2 / 2) above.
struct rayleigh_lccdf : rayleigh_lcdf {
  static constexpr char name[] = "rayleigh_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& sigma) {
    const auto e = shared(-0.5 * square(y / sigma));
    return {f.term(e, y, sigma)};
  }
};

/// log probability of a value below y: Pareto distribution with least value y_min and shape alpha, (y_min /
/// y)^alpha above.
struct pareto_lcdf {
  static constexpr char name[] = "pareto_lcdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::nonnegative, {1, 3}},
      {"y_min", "Scale parameter", support::positive_finite, {0.2, 0.9}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}}};
  static constexpr bool has_probability = true;
  static auto probability(const auto& y, const auto& y_min, const auto& alpha) {
    return select(y >= y_min, detail::below_by(alpha * detail::log_quotient(y, y_min)), 0.0);
  }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& y_min,
                                        const auto& alpha) {
    const auto e = shared(alpha * detail::log_quotient(y, y_min));
    const auto log_e = log(alpha) + log(y - y_min) - log(y_min);
    return {f.term(select(y >= y_min, detail::log_below(e, log_e), NEGATIVE_INFTY), y, y_min, alpha)};
  }
};

/// log probability of a value above y: Pareto distribution with least value y_min and shape alpha, (y_min /
/// y)^alpha above.
struct pareto_lccdf : pareto_lcdf {
  static constexpr char name[] = "pareto_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& y_min,
                                        const auto& alpha) {
    const auto e = shared(-alpha * detail::log_quotient(y, y_min));
    return {f.term(select(y >= y_min, e, 0.0), y, y_min, alpha)};
  }
};

/// log probability of a value below y: Lomax distribution with location mu, scale lambda and shape alpha, (1
/// + (y - mu) / lambda)^-alpha above.
struct pareto_type_2_lcdf {
  static constexpr char name[] = "pareto_type_2_lcdf";
  static constexpr density_parameter parameters[] = {
      {"y", "Random variable", support::nonnegative, {1, 3}},
      {"mu", "Location parameter", support::finite, {-2, 0}},
      {"lambda", "Scale parameter", support::positive_finite, {0.5, 2}},
      {"alpha", "Shape parameter", support::positive_finite, {1, 4}}};
  static constexpr std::size_t related = 0;
  static constexpr char relation[] = "greater than or equal to the location parameter";
  static auto relation_holds(const auto& y, const auto& mu, const auto&, const auto&) { return y >= mu; }
  static constexpr bool has_probability = true;
  static auto probability(const auto& y, const auto& mu, const auto& lambda, const auto& alpha) {
    return detail::below_by(alpha * detail::log1p_quotient(y - mu, lambda));
  }
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& lambda, const auto& alpha) {
    const auto e = shared(alpha * detail::log1p_quotient(y - mu, lambda));
    const auto log_e = log(alpha) + log(y - mu) - log(lambda);
    return {f.term(detail::log_below(e, log_e), y, mu, lambda, alpha)};
  }
};

/// log probability of a value above y: Lomax distribution with location mu, scale lambda and shape alpha, (1
/// + (y - mu) / lambda)^-alpha above.
struct pareto_type_2_lccdf : pareto_type_2_lcdf {
  static constexpr char name[] = "pareto_type_2_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& mu,
                                        const auto& lambda, const auto& alpha) {
    return {f.term(-alpha * detail::log1p_quotient(y - mu, lambda), y, mu, lambda, alpha)};
  }
};

}  // namespace density
}  // namespace fusecl
