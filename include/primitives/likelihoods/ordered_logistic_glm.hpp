#pragma once
// Regression for classes with an order.

#include <limits>

#include <fusion/base/list_of.hpp>
#include <primitives/likelihoods/classes.hpp>

namespace fusecl {
namespace detail {

struct ordered_logistic_glm {
  static constexpr const char* function = "ordered_logistic_glm_lpmf";

  template <class Argument>
  static density_terms terms(const density_scope& d, const Argument& y, const linear_predictor& predictor,
                             const Argument& cuts) {
    const Argument &x = predictor.x, &beta = predictor.beta;
    const few_elements points{cuts};
    const std::int64_t count = points.count();
    const auto last = static_cast<double>(count + 1);
    list_of<check> checks{d.check_that(y, y >= 1.0 && y <= last && y == floor(y), one_of_classes(count + 1))};
    if (count > 0)
      checks.push_back(
          spelled_out(d.check_that(cuts, isfinite(cuts), "finite"), points, all_elements::are::finite));
    if (count > 1)
      checks.push_back(spelled_out(
          d.check_that(cuts,
                       cuts > append_row(-std::numeric_limits<double>::infinity(), head(cuts, count - 1)),
                       "greater than the one before it"),
          points, all_elements::are::increasing));
    const auto eta = shared(predictor);
    // log(inv_logit(a) - inv_logit(b)) = log(1 - exp(b - a)) - log(1 + exp(-a)) - log(1 + exp(b)), of which
    // the first follows from the class alone and is computed once for each. The first and the last class
    // reach to infinity. a and b are values that their uses share: cut points of several would be as many
    // operands and sums.
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto is_first = shared(y == 1.0);
    const auto is_last = shared(y == last);
    const auto above = shared(select(is_first, infinity, eta - chosen_element(y, points, -1))),
               below = shared(select(is_last, -infinity, eta - chosen_element(y, points, 0)));
    const auto width =
        select(is_first || is_last, 0.0, chosen_element(y, points, -1, class_value::log_width));
    const auto of_class = width - log1p_exp_both(-above, below);
    return d.sum_of({count > 0 ? d.term(of_class, x, beta, cuts) : nullptr}, std::move(checks),
                    {d.check_that(beta, isfinite(beta), "finite"), d.check_that(x, isfinite(x), "finite")});
  }
};

}  // namespace detail

/// Log probability of the classes y, 1 to C, where class c lies between the increasing cut points c - 1 and c
/// on the scale of x * beta with logistic errors, summed over the rows of x (n x k, or one row for all): sum
/// of log(inv_logit(eta - cuts[y - 1]) - inv_logit(eta - cuts[y])), with minus and plus infinity at the ends.
/// y is a number or has n elements, cuts has C - 1, beta has k or is one number for all columns. Throws
/// std::invalid_argument where sizes differ, std::domain_error where y is no class, cuts is not increasing
/// and finite, or, where the sum is not finite, beta or x is not. With `propto`, terms without variables are
/// left out. Made for some ten classes: the kernel spells each one out.
template <bool propto = false, operand Y, operand X, operand Beta, operand Cuts>
detail::density_result<X, Beta, Cuts> ordered_logistic_glm_lpmf(const Y& y, const X& x, const Beta& beta,
                                                                const Cuts& cuts) {
  FUSECL_COUNTS_ARE_DATA("ordered_logistic_glm_lpmf", Y);
  using detail::argument, detail::argument_form;
  using glm = detail::ordered_logistic_glm;
  const argument labels[] = {argument("Vector of dependent variables", y)};
  const argument design("Matrix of independent variables", x, argument_form::as_it_is),
      weights("Weight vector", beta), points("Cut-points", cuts);
  detail::density_scope scope(glm::function, propto, labels);
  if (design.rows() != 1) scope.fit_rows(design);
  const detail::linear_predictor predictor(glm::function, design, weights);
  detail::require_vector(glm::function, points);
  if (scope.size() == 0) return 0.0;
  return detail::result_of_density<glm, detail::density_result<X, Beta, Cuts>>(
      glm::terms(scope, labels[0], predictor, points));
}

}  // namespace fusecl
