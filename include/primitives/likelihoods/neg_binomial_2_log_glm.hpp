#pragma once
// Negative binomial regression.

#include <primitives/likelihoods/regression.hpp>

namespace fusecl {
namespace detail {

struct neg_binomial_2_log_glm {
  static constexpr const char* function = "neg_binomial_2_log_glm_lpmf";
  static constexpr const char* names[] = {"Vector of dependent variables", "Precision parameter"};
  template <class Argument>
  static density_terms terms(const regression_scope& d, const Argument& y, const Argument& phi) {
    const auto logit = shared(d.eta() - log(phi));  // of the share of the mean in mean + phi
    const auto at_least_one = fmax(y, 1.0);
    // lgamma(y + phi) - lgamma(phi) - lgamma(y + 1) without what these have in common
    const auto ways = select(y > 0.0, -lbeta(phi, at_least_one) - log(at_least_one), 0.0);
    return d.sum_of(
        {d.predictor_term(elt_multiply(y, log_inv_logit(logit)) - elt_multiply(phi, log1p_exp(logit)), phi),
         d.term(ways, phi), d.data_term(!d.keeps() && d.keeps(phi), lgamma(y + 1.0))},
        {d.check_that(y, is_count(y), must_be_count),
         d.check_that(phi, phi > 0.0 && isfinite(phi), "positive finite")});
  }
};

}  // namespace detail

/// Log probability of counts y with mean m = exp(x * beta + alpha) and variance m + m^2 / phi (negative
/// binomial), summed over the rows of x (n x k, or one row for all): sum of log((y + phi - 1) choose y) + y
/// log(m / (m + phi)) + phi log(phi / (m + phi)). y, alpha and phi are numbers or have n elements, beta has k
/// or is one number for all columns. Throws std::invalid_argument where sizes differ, std::domain_error where
/// y is no count, phi not positive and finite, or, where the sum is not finite, beta, alpha or x is not. With
/// `propto`, terms without variables are left out.
template <bool propto = false, operand Y, operand X, operand Alpha, operand Beta, operand Phi>
auto neg_binomial_2_log_glm_lpmf(const Y& y, const X& x, const Alpha& alpha, const Beta& beta,
                                 const Phi& phi) {
  FUSECL_COUNTS_ARE_DATA("neg_binomial_2_log_glm_lpmf", Y);
  return detail::regression_of<detail::neg_binomial_2_log_glm, propto>(x, alpha, beta, y, phi);
}

}  // namespace fusecl
