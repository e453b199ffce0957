#pragma once
// Regression for counts in categories.

#include <limits>
#include <vector>

#include <fusion/expr/product.hpp>
#include <primitives/likelihoods/columns.hpp>
#include <primitives/likelihoods/regression.hpp>

namespace fusecl {
namespace detail {

struct multinomial_logit_glm {
  static constexpr const char* function = "multinomial_logit_glm_lpmf";

  /// Throws std::invalid_argument where the sizes differ.
  static void check_sizes(const argument& y, const argument& x, const argument& alpha, const argument& beta);

  /// The intercepts of each row, which one vector may stand for.
  static argument in_rows_of(const argument& y, const argument& alpha);

  static density_terms terms(bool propto, const argument& y, const argument& x, const argument& alpha,
                             const argument& beta) {
    // log(1 + the others' share) of each row, shifted by the largest predictor
    const auto eta = shared(x * beta + in_rows_of(y, alpha));
    const auto largest = shared(stop_gradient(rowwise_max(eta)));
    const auto is_largest = shared(cast<double>(eta == rowwise_broadcast(largest)));
    const auto others = shared(rowwise_sum(exp(eta - rowwise_broadcast(largest)) - is_largest) +
                               (rowwise_sum(is_largest) - 1.0));
    const auto log_share = eta - rowwise_broadcast(largest + log1p(others));
    const auto some = shared(y > 0.0);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    list_of<check> always{make_check(function, y.name(), must_be_count, y, is_count(y))},
        if_not_finite{make_check(function, beta.name(), "finite", beta, isfinite(beta)),
                      make_check(function, alpha.name(), "less than infinity", alpha, alpha < infinity),
                      make_check(function, x.name(), "finite", x, isfinite(x)),
                      make_check(function, "the largest of x * beta + alpha in a row", "above -infinity",
                                 largest, largest > -infinity)};
    density_terms all{{}, 1, {std::move(always), std::move(if_not_finite)}};
    if (propto) {
      if (x.is_variable() || alpha.is_variable() || beta.is_variable())
        all.terms.push_back(held_of(sum(select(some, elt_multiply(y, log_share), 0.0))));
      return all;
    }
    // by Stirling's formula, whose large terms are logs of shares times all trials over the count
    const auto trials = shared(rowwise_sum(y));
    const auto ratio = log(elt_divide(rowwise_broadcast(trials), y));
    all.terms.push_back(
        held_of(sum(select(some, elt_multiply(y, log_share + ratio) - factorial_rest(y), 0.0))));
    all.terms.push_back(held_of(sum(factorial_rest(trials))));
    return all;
  }
};

/// Lists of counts, a row of the matrix each. Throws std::invalid_argument where they are of different sizes.
matrix_cl<int> rows_of_counts(const std::vector<std::vector<int>>& counts);

}  // namespace detail

/// Log probability of counts y in C categories, whose probabilities in a row are softmax(x * beta + alpha),
/// summed over the rows: sum of log(n! / (y_1! ... y_C!)) + sum(y log_softmax(x * beta + alpha)), n the sum
/// of a row of y. y is rows x C or a list of rows, x is rows x k, beta k x C, alpha has C elements or is rows
/// x C; of -infinity the probability is 0. Throws std::invalid_argument where sizes differ, std::domain_error
/// where y is no count, or, where the sum is not finite, beta or x is not finite or alpha NaN or infinity, or
/// -infinity in a whole row. Of no rows it is 0. With `propto`, terms without variables are left out.
template <bool propto = false, operand Y, operand X, operand Alpha, operand Beta>
detail::density_result<X, Alpha, Beta> multinomial_logit_glm_lpmf(const Y& y, const X& x, const Alpha& alpha,
                                                                  const Beta& beta) {
  FUSECL_COUNTS_ARE_DATA("multinomial_logit_glm_lpmf", Y);
  using detail::argument, detail::argument_form;
  using glm = detail::multinomial_logit_glm;
  const auto whole = argument_form::as_it_is;
  const argument counts("outcome counts", y, whole), design("Design matrix", x, whole),
      weights("Weight matrix", beta, whole);
  const argument shifts("Intercept", alpha, whole);
  if (counts.rows() == 0 && counts.cols() == 0) return 0.0;
  glm::check_sizes(counts, design, shifts, weights);
  if (counts.rows() == 0) return 0.0;
  return detail::result_of_density<glm, detail::density_result<X, Alpha, Beta>>(
      glm::terms(propto, counts, design, shifts, weights));
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/multinomial_logit_glm.ipp>
#endif
