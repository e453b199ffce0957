#pragma once
// Logistic regression.

#include <primitives/likelihoods/regression.hpp>

namespace fusecl {
namespace detail {

struct bernoulli_logit_glm {
  static constexpr const char* function = "bernoulli_logit_glm_lpmf";
  static constexpr const char* names[] = {"Vector of dependent variables"};
  template <class Argument>
  static density_terms terms(const regression_scope& d, const Argument& y) {
    return d.sum_of({d.predictor_term(log_inv_logit(elt_multiply(2.0 * y - 1.0, d.eta())))},
                    {d.check_that(y, y == 0.0 || y == 1.0, "0 or 1")});
  }
};

}  // namespace detail

/// Log probability of outcomes y, 0 or 1, where y is 1 with probability inv_logit(x * beta + alpha), summed
/// over the rows of x (n x k, or one row for all): sum of log(inv_logit(eta)) where y is 1, of log(1 -
/// inv_logit(eta)) where it is 0. y and alpha are numbers or have n elements, beta has k or is one number for
/// all columns. Throws std::invalid_argument where sizes differ, std::domain_error where y is neither 0 nor
/// 1, or, where the sum is not finite, beta, alpha or x is not. With `propto`, terms without variables are
/// left out.
template <bool propto = false, operand Y, operand X, operand Alpha, operand Beta>
auto bernoulli_logit_glm_lpmf(const Y& y, const X& x, const Alpha& alpha, const Beta& beta) {
  FUSECL_COUNTS_ARE_DATA("bernoulli_logit_glm_lpmf", Y);
  return detail::regression_of<detail::bernoulli_logit_glm, propto>(x, alpha, beta, y);
}

}  // namespace fusecl
