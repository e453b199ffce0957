#pragma once
// Densities of probabilities that sum to 1, and of counts with such probabilities.

#include <fusion/base/list_of.hpp>
#include <primitives/likelihoods/columns.hpp>

namespace fusecl {
namespace detail {

struct dirichlet {
  static constexpr const char* function = "dirichlet_lpdf";

  static density_terms terms(bool propto, const argument& theta, const argument& alpha, std::int64_t n) {
    list_of<check> checks;
    checks.push_back(make_check(function, alpha.name(), "positive", alpha, alpha > 0.0));
    check_simplex(checks, function, theta, "sum of probabilities");
    if (propto && !theta.is_variable() && !alpha.is_variable()) return sum_of_numbers({}, std::move(checks));
    const argument t = in_columns(theta, n), a = in_columns(alpha, n);
    if (propto && !alpha.is_variable())
      return sum_of_numbers({held_of(sum(multiply_log(a - 1.0, t)))}, std::move(checks));
    // by Stirling's formula, whose large terms are logs of theta times the sum of alpha over alpha
    const auto total = shared(colwise_sum(alpha));
    const argument share = in_columns(alpha.arranged(elt_divide(alpha, colwise_broadcast(total))), n);
    // a difference of logarithms where derivatives of the quotient would overflow
    const argument log_share = in_columns(alpha.arranged(log(alpha) - colwise_broadcast(log(total))), n);
    const auto near = shared(t < 1e100 * share);
    const auto log_ratio =
        select(near, log(elt_divide(select(near, t, 1.0), select(near, share, 1.0))), log(t) - log_share);
    const auto each = select(t > 0.0, elt_multiply(a, log_ratio) - log(t),
                             multiply_log(a - 1.0, t) - elt_multiply(a, log_share));
    const double repeats = static_cast<double>(n) / static_cast<double>(alpha.cols());
    const auto categories = static_cast<double>(alpha.rows());
    const auto rest_of_total = lgamma_stirling_diff(total) - 0.5 * log(total);
    const auto rest = lgamma_stirling_diff(alpha) - 0.5 * log(alpha);
    return sum_of_numbers(
        {held_of(sum(each)), held_of(repeats * (sum(rest_of_total) - sum(rest))),
         held_of(scalar_leaf<double>(static_cast<double>(n) * (1.0 - categories) * half_log_two_pi))},
        std::move(checks));
  }
};

struct multinomial {
  static constexpr const char* function = "multinomial_lpmf";

  static density_terms terms(bool propto, const argument& ns, const argument& theta, std::int64_t n) {
    list_of<check> checks;
    checks.push_back(make_check(function, ns.name(), "nonnegative", ns, ns >= 0.0));
    check_simplex(checks, function, theta, "sum of Probabilities parameter");
    if (propto && !theta.is_variable()) return sum_of_numbers({}, std::move(checks));
    const argument count = in_columns(ns, n), t = in_columns(theta, n);
    const auto some = shared(count > 0.0);
    if (propto)
      return sum_of_numbers({held_of(sum(elt_multiply(count, log(select(some, t, 1.0)))))},
                            std::move(checks));
    // by Stirling's formula, whose large terms are logs of theta times all trials over the count
    const auto trials = shared(colwise_sum(count));
    const auto ratio = select(some, elt_divide(elt_multiply(t, colwise_broadcast(trials)), count), 1.0);
    return sum_of_numbers({held_of(sum(elt_multiply(count, log(ratio)) - factorial_rest(count))),
                           held_of(sum(factorial_rest(trials)))},
                          std::move(checks));
  }
};

}  // namespace detail

/// Dirichlet density of probabilities theta with prior sample sizes alpha: lgamma(sum(alpha)) -
/// sum(lgamma(alpha)) + sum((alpha - 1) log(theta)). Each is a vector or a matrix with a column an outcome,
/// over which the density is summed; one column stands for all outcomes, a number alpha for all categories.
/// Throws std::invalid_argument where sizes differ or a vector is empty, std::domain_error unless alpha is
/// positive and columns of theta are nonnegative with sum 1 (within 1e-8). Of no outcomes it is 0. With
/// `propto`, terms without variables are left out.
template <bool propto = false, operand Theta, operand Alpha>
detail::density_result<Theta, Alpha> dirichlet_lpdf(const Theta& theta, const Alpha& alpha) {
  using detail::argument;
  const argument t("probabilities", theta);
  argument a("prior sample sizes", alpha);
  const std::int64_t n = detail::check_columns(detail::dirichlet::function, {&t, &a});
  if (n == 0) return 0.0;
  if (a.is_number()) a = a.arranged(a + constant(0.0, t.rows(), 1));
  return detail::result_of_density<detail::dirichlet, detail::density_result<Theta, Alpha>>(
      detail::dirichlet::terms(propto, t, a, n));
}

/// Multinomial log probability of counts ns in categories with probabilities theta: lgamma(sum(ns) + 1) -
/// sum(lgamma(ns + 1)) + sum(ns log(theta)). Each is a vector or a matrix with a column an outcome, over
/// which the density is summed; one column stands for all outcomes. Throws std::invalid_argument where sizes
/// differ or a vector is empty, std::domain_error unless ns is nonnegative and columns of theta are
/// nonnegative with sum 1 (within 1e-8). Of no outcomes it is 0. With `propto`, terms without variables are
/// left out.
template <bool propto = false, operand Counts, operand Theta>
detail::density_result<Theta> multinomial_lpmf(const Counts& ns, const Theta& theta) {
  static_assert(!is_floating(node_of<const Counts&>::type),
                "multinomial_lpmf takes counts as whole numbers: a matrix_cl of int, long, unsigned or bool");
  using detail::argument;
  const argument counts("Number of trials variable", ns), t("Probabilities parameter", theta);
  const std::int64_t n = detail::check_columns(detail::multinomial::function, {&counts, &t});
  if (n == 0) return 0.0;
  return detail::result_of_density<detail::multinomial, detail::density_result<Theta>>(
      detail::multinomial::terms(propto, counts, t, n));
}

}  // namespace fusecl
