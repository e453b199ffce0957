#pragma once
// The density of normal vectors by the Cholesky factor of their covariance.

#include <fusion/base/list_of.hpp>
#include <fusion/expr/factorizations.hpp>
#include <primitives/likelihoods/columns.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument unless the factor is square with as many rows as the vectors.
void check_factor(const char* function, const argument& factor, const argument& vectors);

struct multi_normal_cholesky {
  static constexpr const char* function = "multi_normal_cholesky_lpdf";

  static density_terms terms(bool propto, const argument& y, const argument& mu, const argument& factor,
                             std::int64_t n) {
    list_of<check> checks;
    checks.push_back(make_check(function, mu.name(), "finite", mu, isfinite(mu)));
    checks.push_back(make_check(function, y.name(), "not nan", y, !isnan(y)));
    const auto along = diagonal(factor);
    const bool any = y.is_variable() || mu.is_variable() || factor.is_variable();
    const auto count = static_cast<double>(n);
    held_pointer square, scale, rest;
    if (!propto || any) {
      const auto distance = in_columns(y, n) - (mu.is_number() ? mu : in_columns(mu, n));
      square = term_of(-0.5 * sum(fusecl::square(mdivide_left_tri_low(factor, distance))));
    }
    if (!propto || factor.is_variable()) scale = term_of(-count * sum(log(along)));
    if (!propto)
      rest = term_of(scalar_leaf<double>(-count * static_cast<double>(y.rows()) * half_log_two_pi));
    density_terms all = sum_of_numbers({square, scale, rest}, std::move(checks));
    all.checks.if_not_finite.push_back(
        make_check(function, "diagonal of covariance parameter", "positive", along, along > 0.0));
    return all;
  }
};

}  // namespace detail

/// Density of normal vectors y with means mu and covariance L L': -log|L| - |inverse(L) (y - mu)|^2 / 2 -
/// K log(2 pi) / 2. y and mu are vectors or matrices with a column an outcome, over which the density is
/// summed; one column stands for all outcomes, a number mu for all elements. Of L, K x K, the lower triangle
/// is read. Throws std::invalid_argument where sizes differ or L is not square, std::domain_error where mu is
/// not finite, y is NaN or, of a result that is not finite, an element on the diagonal of L is not positive.
/// Of no outcomes or elements it is 0. With `propto`, terms without variables are left out.
template <bool propto = false, operand Y, operand Mu, operand L>
detail::density_result<Y, Mu, L> multi_normal_cholesky_lpdf(const Y& y, const Mu& mu, const L& factor) {
  using detail::argument, detail::argument_form;
  const argument l("covariance parameter", factor, argument_form::as_it_is);
  // with one element a vector the outcomes are a row
  const argument_form form = l.rows() == 1 ? argument_form::as_it_is : argument_form::column;
  const argument vectors("Random variable", y, form), means("Location parameter", mu, form);
  if (vectors.rows() == 0 && l.rows() == 0 && l.cols() == 0) return 0.0;
  const std::int64_t n = detail::check_columns(detail::multi_normal_cholesky::function, {&vectors, &means});
  detail::check_factor(detail::multi_normal_cholesky::function, l, vectors);
  if (n == 0) return 0.0;
  return detail::result_of_density<detail::multi_normal_cholesky, detail::density_result<Y, Mu, L>>(
      detail::multi_normal_cholesky::terms(propto, vectors, means, l, n));
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <primitives/likelihoods/multi_normal.ipp>
#endif
