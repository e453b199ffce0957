#pragma once
// Regression for classes without an order.

#include <primitives/likelihoods/classes.hpp>

namespace fusecl {
namespace detail {

struct categorical_logit_glm {
  static constexpr const char* function = "categorical_logit_glm_lpmf";
  template <class Argument>
  static density_terms terms(const density_scope& d, const log_class_probability& of_class, const Argument& x,
                             const Argument& alpha, const Argument& beta) {
    const Argument& y = of_class.label;
    const std::int64_t classes = beta.cols();
    return d.sum_of({d.term(of_class, x, alpha, beta)},
                    {d.check_that(y, y >= 1.0 && y <= static_cast<double>(classes) && y == floor(y),
                                  one_of_classes(classes))},
                    {d.check_that(beta, isfinite(beta), "finite"),
                     d.check_that(alpha, isfinite(alpha), "finite"), d.check_that(x, isfinite(x), "finite")});
  }
};

}  // namespace detail

/// Log probability of the classes y, 1 to C, whose probabilities in a row are softmax(x * beta + alpha),
/// summed over the rows of x (n x k, or one row for all). y is a number or has n elements, alpha has C and
/// beta is k x C. Throws std::invalid_argument where sizes differ, std::domain_error where y is no class, or,
/// where the sum is not finite, beta, alpha or x is not. With `propto`, terms without variables are left out.
/// Up to 16 classes are spelled out in one kernel that reads x once; of more, and on tensor cores from 128
/// columns on, x * beta is a product of matrices, and x is read twice. A single
/// row of x, and x without columns, are spelled out, too.
template <bool propto = false, operand Y, operand X, operand Alpha, operand Beta>
detail::density_result<X, Alpha, Beta> categorical_logit_glm_lpmf(const Y& y, const X& x, const Alpha& alpha,
                                                                  const Beta& beta) {
  FUSECL_COUNTS_ARE_DATA("categorical_logit_glm_lpmf", Y);
  using detail::argument, detail::argument_form;
  using glm = detail::categorical_logit_glm;
  const argument labels[] = {argument("Vector of dependent variables", y)};
  const argument design("Matrix of independent variables", x, argument_form::as_it_is),
      intercepts("Intercept", alpha), weights("Weight matrix", beta, argument_form::as_it_is);
  detail::density_scope scope(glm::function, propto, labels);
  if (design.rows() != 1) scope.fit_rows(design);
  const detail::log_class_probability of_class(glm::function, labels[0], design, intercepts, weights);
  if (scope.size() == 0) return 0.0;
  return detail::result_of_density<glm, detail::density_result<X, Alpha, Beta>>(
      glm::terms(scope, of_class, design, intercepts, weights));
}

}  // namespace fusecl
