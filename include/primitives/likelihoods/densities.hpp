#pragma once
// The table of all densities: tests, their reference values, the page of operations and the bench go through
// it. A new one is a record in *_densities.hpp, a line here, and its textbook definition in
// tools/density_table.py.

#include <primitives/likelihoods/count_densities.hpp>
#include <primitives/likelihoods/count_distributions.hpp>
#include <primitives/likelihoods/positive_densities.hpp>
#include <primitives/likelihoods/positive_distributions.hpp>
#include <primitives/likelihoods/real_densities.hpp>
#include <primitives/likelihoods/real_distributions.hpp>

/// Functions with a flag `propto`, X(name).
// clang-format off
#define FUSECL_DENSITIES(X)                                                                      \
  X(normal_lpdf) X(std_normal_lpdf) X(student_t_lpdf) X(cauchy_lpdf) X(logistic_lpdf)            \
  X(double_exponential_lpdf) X(skew_double_exponential_lpdf) X(gumbel_lpdf) X(uniform_lpdf)      \
  X(lognormal_lpdf) X(gamma_lpdf) X(inv_gamma_lpdf) X(exponential_lpdf) X(weibull_lpdf)          \
  X(beta_lpdf) X(beta_proportion_lpdf) X(chi_square_lpdf) X(inv_chi_square_lpdf)                 \
  X(rayleigh_lpdf) X(frechet_lpdf) X(pareto_lpdf) X(pareto_type_2_lpdf) X(skew_normal_lpdf)      \
  X(exp_mod_normal_lpdf) X(scaled_inv_chi_square_lpdf) X(von_mises_lpdf)                         \
  X(bernoulli_lpmf) X(bernoulli_logit_lpmf) X(binomial_lpmf) X(binomial_logit_lpmf)              \
  X(poisson_lpmf) X(poisson_log_lpmf) X(neg_binomial_lpmf) X(neg_binomial_2_lpmf)                \
  X(neg_binomial_2_log_lpmf) X(beta_binomial_lpmf) X(discrete_range_lpmf)

/// Families with distribution functions, X(name): NAME_cdf, NAME_lcdf and NAME_lccdf.
#define FUSECL_DISTRIBUTIONS(X)                                                                        \
  X(normal) X(std_normal) X(cauchy) X(logistic) X(double_exponential) X(skew_double_exponential) \
  X(gumbel) X(uniform) X(lognormal) X(exponential) X(weibull) X(frechet) X(rayleigh) X(pareto) X(pareto_type_2) \
  X(exp_mod_normal) X(bernoulli) X(discrete_range)
// clang-format on

namespace fusecl {

/// Log density (or probability) of the elements of the first argument, summed. Each argument is a number, a
/// vector, a matrix or an expression, data or variable; those that are no numbers have equal sizes, and rows
/// go with columns. The result is a double, or a var where an argument is a variable. With `propto`, terms in
/// which no variable is are left out. Without elements it is 0. The records in namespace `density` say what
/// each function computes. Throws std::invalid_argument where sizes differ, std::domain_error where an
/// element lies outside of its support; both name function, argument and what is wrong.
#define FUSECL_DENSITY_FUNCTION(NAME)                                                                      \
  template <bool propto = false, operand... Arguments>                                                     \
  requires(sizeof...(Arguments) == std::size(density::NAME::parameters)) auto NAME(                        \
      const Arguments&... arguments) {                                                                     \
    static_assert(detail::counts_are_whole<density::NAME, Arguments...>(), #NAME                           \
                  " takes counts as whole numbers: int, long, unsigned or bool, or a matrix_cl of these"); \
    return detail::density_of<detail::recorded_density<density::NAME>, propto>(arguments...);              \
  }
FUSECL_DENSITIES(FUSECL_DENSITY_FUNCTION)
#undef FUSECL_DENSITY_FUNCTION

namespace detail {

template <class Record, operand... Arguments>
auto distribution_of(const Arguments&... arguments) {
  static_assert(counts_are_whole<Record, Arguments...>(),
                "a distribution function takes counts as whole numbers: int, long, unsigned or bool, or a "
                "matrix_cl of these");
  return density_of<recorded_density<Record>, false>(arguments...);
}

}  // namespace detail

/// NAME_lcdf and NAME_lccdf: log probability of a value up to and above each element of y, summed; arguments
/// and errors are those of the densities. NAME_cdf: the probability itself, the product over the elements.
#define FUSECL_DISTRIBUTION_FUNCTIONS(NAME)                                                                 \
  template <operand... Arguments>                                                                           \
  requires(sizeof...(Arguments) ==                                                                          \
           std::size(density::NAME##_lcdf::parameters)) auto NAME##_lcdf(const Arguments&... arguments) {   \
    return detail::distribution_of<density::NAME##_lcdf>(arguments...);                                     \
  }                                                                                                         \
  template <operand... Arguments>                                                                           \
  requires(sizeof...(Arguments) ==                                                                          \
           std::size(density::NAME##_lccdf::parameters)) auto NAME##_lccdf(const Arguments&... arguments) { \
    return detail::distribution_of<density::NAME##_lccdf>(arguments...);                                    \
  }                                                                                                         \
  template <operand... Arguments>                                                                           \
  requires(sizeof...(Arguments) ==                                                                          \
           std::size(density::NAME##_lcdf::parameters)) auto NAME##_cdf(const Arguments&... arguments) {    \
    return detail::probability_of<density::NAME##_lcdf>(arguments...);                                      \
  }
FUSECL_DISTRIBUTIONS(FUSECL_DISTRIBUTION_FUNCTIONS)
#undef FUSECL_DISTRIBUTION_FUNCTIONS

}  // namespace fusecl
