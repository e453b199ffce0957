#pragma once
// Logarithms of distribution functions of whole numbers and of their complements: of a value at most, and
// above. What is above takes over the arguments of what is at most, and this those of the density where they
// are the same.

#include <primitives/likelihoods/count_densities.hpp>

namespace fusecl::density {

/// log probability of a value of at most n: Bernoulli distribution with probability theta of 1.
struct bernoulli_lcdf {
  static constexpr char name[] = "bernoulli_lcdf";
  static constexpr density_parameter parameters[] = {
      {"n", "n", support::any, {0, 1}, true}, {"theta", "Probability parameter", support::unit, {0.1, 0.9}}};
  static constexpr bool has_probability = true;
  static auto probability(const auto& n, const auto& theta) {
    return select(n >= 1.0, 1.0, select(n >= 0.0, 1.0 - theta, 0.0));
  }
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& theta) {
    return {f.term(select(n >= 1.0, 0.0, select(n >= 0.0, log1m(theta), NEGATIVE_INFTY)), n, theta)};
  }
};

/// log probability of a value above n: Bernoulli distribution with probability theta of 1.
struct bernoulli_lccdf : bernoulli_lcdf {
  static constexpr char name[] = "bernoulli_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& n, const auto& theta) {
    return {f.term(select(n >= 1.0, NEGATIVE_INFTY, select(n >= 0.0, log(theta), 0.0)), n, theta)};
  }
};

/// log probability of a value of at most y: uniform distribution on the whole numbers from `lower` to
/// `upper`.
struct discrete_range_lcdf : discrete_range_lpmf {
  static constexpr char name[] = "discrete_range_lcdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& lower,
                                        const auto& upper) {
    const auto inside = detail::log_share(y - lower + 1.0, upper - y, upper - lower + 1.0);
    return {f.term(select(y >= upper, 0.0, select(y >= lower, inside, NEGATIVE_INFTY)), y, lower, upper)};
  }
};

/// log probability of a value above y: uniform distribution on the whole numbers from `lower` to `upper`.
struct discrete_range_lccdf : discrete_range_lcdf {
  static constexpr char name[] = "discrete_range_lccdf";
  static detail::density_summands terms(const detail::density_formula& f, const auto& y, const auto& lower,
                                        const auto& upper) {
    const auto inside = detail::log_share(upper - y, y - lower + 1.0, upper - lower + 1.0);
    return {f.term(select(y >= upper, NEGATIVE_INFTY, select(y >= lower, inside, 0.0)), y, lower, upper)};
  }
};

}  // namespace fusecl::density
