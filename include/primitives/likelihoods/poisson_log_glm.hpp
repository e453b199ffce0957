#pragma once
// Poisson regression.

#include <primitives/likelihoods/regression.hpp>

namespace fusecl {
namespace detail {

struct poisson_log_glm {
  static constexpr const char* function = "poisson_log_glm_lpmf";
  static constexpr const char* names[] = {"Vector of dependent variables"};
  template <class Argument>
  static density_terms terms(const regression_scope& d, const Argument& y) {
    const auto eta = shared(d.eta());
    return d.sum_of(
        {d.predictor_term(elt_multiply(y, eta) - exp(eta)), d.data_term(d.keeps(), -lgamma(y + 1.0))},
        {d.check_that(y, is_count(y), must_be_count)});
  }
};

}  // namespace detail

/// Log probability of counts y ~ Poisson(exp(x * beta + alpha)), summed over the rows of x (n x k, or one row
/// for all): sum of y eta - exp(eta) - log(y!). y and alpha are numbers or have n elements, beta has k or is
/// one number for all columns. Throws std::invalid_argument where sizes differ, std::domain_error where y is
/// no count, or, where the sum is not finite, beta, alpha or x is not. With `propto`, terms without variables
/// are left out.
template <bool propto = false, operand Y, operand X, operand Alpha, operand Beta>
auto poisson_log_glm_lpmf(const Y& y, const X& x, const Alpha& alpha, const Beta& beta) {
  FUSECL_COUNTS_ARE_DATA("poisson_log_glm_lpmf", Y);
  return detail::regression_of<detail::poisson_log_glm, propto>(x, alpha, beta, y);
}

}  // namespace fusecl
