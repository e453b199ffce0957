#pragma once
// The normal distribution.

#include <primitives/likelihoods/density.hpp>

namespace fusecl {
namespace detail {

struct normal_density {
  static constexpr const char* function = "normal_lpdf";
  static constexpr const char* names[] = {"Random variable", "Location parameter", "Scale parameter"};
  template <class Argument>
  static density_terms terms(const density_scope& d, const Argument& y, const Argument& mu,
                             const Argument& sigma) {
    constexpr double log_sqrt_two_pi = 0.91893853320467274178;
    const auto z = elt_divide(y - mu, sigma);
    return d.sum_of({d.term(-0.5 * square(z), y, mu, sigma), d.term(-log(sigma), sigma), d.term(-log_sqrt_two_pi)},
                    {d.check_that(y, !isnan(y), "not nan"), d.check_that(mu, isfinite(mu), "finite"),
                     d.check_that(sigma, sigma > 0.0, "positive")});
  }
};

}  // namespace detail

/// Log density of the normal distribution with location `mu` and scale `sigma`, summed over the elements of
/// y: sum of -((y - mu) / sigma)^2 / 2 - log(sigma) - log(2 pi) / 2. Each argument is a number or a
/// container, data or variable. Throws std::invalid_argument where sizes differ, std::domain_error where y is
/// NaN, mu not finite or sigma not positive. With `propto`, terms without variables are left out.
template <bool propto = false, operand Y, operand Mu, operand Sigma>
auto normal_lpdf(const Y& y, const Mu& mu, const Sigma& sigma) {
  return detail::density_of<detail::normal_density, propto>(y, mu, sigma);
}

}  // namespace fusecl
