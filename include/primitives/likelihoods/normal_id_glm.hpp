#pragma once
// Linear regression with normal errors.

#include <primitives/likelihoods/regression.hpp>

namespace fusecl {
namespace detail {

struct normal_id_glm {
  static constexpr const char* function = "normal_id_glm_lpdf";
  static constexpr const char* names[] = {"Vector of dependent variables", "Scale vector"};
  template <class Argument>
  static density_terms terms(const regression_scope& d, const Argument& y, const Argument& sigma) {
    return d.sum_of({d.predictor_term(-0.5 * square(elt_divide(y - d.eta(), sigma)), y, sigma),
                     d.term(-log(sigma), sigma), d.term(-half_log_two_pi)},
                    {d.check_that(y, isfinite(y), "finite"),
                     d.check_that(sigma, sigma > 0.0 && isfinite(sigma), "positive finite")});
  }
};

}  // namespace detail

/// Log density of y ~ normal(x * beta + alpha, sigma), summed over the rows of x (n x k, or one row for all):
/// sum of -((y - eta) / sigma)^2 / 2 - log(sigma) - log(2 pi) / 2. y, alpha and sigma are numbers or have n
/// elements, beta has k or is one number for all columns; each is data or variable. Throws
/// std::invalid_argument where sizes differ, std::domain_error where y is not finite, sigma not positive and
/// finite, or, where the sum is not finite, beta, alpha or x is not. With `propto`, terms without variables
/// are left out.
template <bool propto = false, operand Y, operand X, operand Alpha, operand Beta, operand Sigma>
auto normal_id_glm_lpdf(const Y& y, const X& x, const Alpha& alpha, const Beta& beta, const Sigma& sigma) {
  return detail::regression_of<detail::normal_id_glm, propto>(x, alpha, beta, y, sigma);
}

}  // namespace fusecl
