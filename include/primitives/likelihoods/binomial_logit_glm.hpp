#pragma once
// Binomial regression.

#include <primitives/likelihoods/regression.hpp>

namespace fusecl {
namespace detail {

struct binomial_logit_glm {
  static constexpr const char* function = "binomial_logit_glm_lpmf";
  static constexpr const char* names[] = {"Successes variable", "Population size parameter"};
  template <class Argument>
  static density_terms terms(const regression_scope& d, const Argument& n, const Argument& N) {
    // of log(inv_logit(eta)) and log(1 - inv_logit(eta)) one has a term -|eta|, which is 0 in the other
    const auto eta = shared(d.eta());
    const auto is_likely = shared(eta >= 0.0);
    const auto far = elt_multiply(select(is_likely, n - N, n), eta);
    return d.sum_of(
        {d.predictor_term(far - elt_multiply(N, log1p_exp(select(is_likely, -eta, eta)))),
         d.data_term(d.keeps(), binomial_coefficient_log(N, n))},
        {d.check_that(N, is_count(N), must_be_count),
         d.check_that(n, is_count(n) && n <= N, "a whole number in the interval [0, population size]")});
  }
};

}  // namespace detail

/// Log probability of n successes in N trials, each with probability inv_logit(x * beta + alpha), summed over
/// the rows of x (rows x k, or one row for all): sum of log(N choose n) + n log(inv_logit(eta)) + (N - n)
/// log(1 - inv_logit(eta)). n, N and alpha are numbers or have an element a row, beta has k or is one number
/// for all columns. Throws std::invalid_argument where sizes differ, std::domain_error where N is no count or
/// n none from 0 to N, or, where the sum is not finite, beta, alpha or x is not. With `propto`, terms without
/// variables are left out.
template <bool propto = false, operand Successes, operand Trials, operand X, operand Alpha, operand Beta>
auto binomial_logit_glm_lpmf(const Successes& n, const Trials& N, const X& x, const Alpha& alpha,
                             const Beta& beta) {
  FUSECL_COUNTS_ARE_DATA("binomial_logit_glm_lpmf", Successes, Trials);
  return detail::regression_of<detail::binomial_logit_glm, propto>(x, alpha, beta, n, N);
}

}  // namespace fusecl
