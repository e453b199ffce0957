#pragma once
// Densities of std::vectors and of Eigen objects of var, which to_matrix_cl takes to the device where the
// density is called; outcomes of host programs are often std::vector<int>.

#include <vector>

#include <primitives/host_operands.hpp>
#include <primitives/likelihoods/bernoulli_logit_glm.hpp>
#include <primitives/likelihoods/binomial_logit_glm.hpp>
#include <primitives/likelihoods/categorical_logit_glm.hpp>
#include <primitives/likelihoods/class_densities.hpp>
#include <primitives/likelihoods/densities.hpp>
#include <primitives/likelihoods/multi_normal.hpp>
#include <primitives/likelihoods/multinomial_logit_glm.hpp>
#include <primitives/likelihoods/neg_binomial_2_log_glm.hpp>
#include <primitives/likelihoods/normal_id_glm.hpp>
#include <primitives/likelihoods/ordered_logistic_glm.hpp>
#include <primitives/likelihoods/poisson_log_glm.hpp>
#include <primitives/likelihoods/simplex_densities.hpp>

namespace fusecl {
namespace detail {

/// What holds elements of the host and is no operand.
template <class T>
inline constexpr bool is_host_list = (is_host_of_var<T> || is_list_of_host<T>)&&!operand<T>;

/// Arguments of a density of which some are not operands yet.
template <class... Arguments>
concept some_host_lists = ((operand<Arguments> || is_host_list<Arguments>)&&...) &&
                          (is_host_list<Arguments> || ...);
/// Those of a density of vectors, of which each in a list is a column; it would be a row of a regression's
/// matrix.
template <class... Arguments>
concept some_lists_of_vectors = ((operand<Arguments> || is_host_list<Arguments> ||
                                  is_list_of_vectors<Arguments>)&&...) &&
                                ((is_host_list<Arguments> || is_list_of_vectors<Arguments>) || ...);

}  // namespace detail

// The flag `propto` is passed on where it is given: distribution functions have none.
#define FUSECL_OF_LISTS(NAME, LISTS)                                        \
  template <bool... propto, class... Arguments>                             \
  requires detail::LISTS<Arguments...> && requires(const Arguments&... a) { \
    NAME<propto...>(detail::from_the_host(a)...);                           \
  }                                                                         \
  auto NAME(const Arguments&... arguments) { return NAME<propto...>(detail::from_the_host(arguments)...); }
#define FUSECL_OF_HOST_LISTS(NAME) FUSECL_OF_LISTS(NAME, some_host_lists)
#define FUSECL_OF_LISTS_OF_VECTORS(NAME) FUSECL_OF_LISTS(NAME, some_lists_of_vectors)
FUSECL_DENSITIES(FUSECL_OF_HOST_LISTS)
FUSECL_OF_HOST_LISTS(bernoulli_logit_glm_lpmf)
FUSECL_OF_HOST_LISTS(binomial_logit_glm_lpmf)
FUSECL_OF_HOST_LISTS(categorical_logit_glm_lpmf)
FUSECL_OF_HOST_LISTS(multinomial_logit_glm_lpmf)
FUSECL_OF_HOST_LISTS(neg_binomial_2_log_glm_lpmf)
FUSECL_OF_HOST_LISTS(normal_id_glm_lpdf)
FUSECL_OF_HOST_LISTS(ordered_logistic_glm_lpmf)
FUSECL_OF_HOST_LISTS(poisson_log_glm_lpmf)
/// Of counts in a list of rows.
template <bool propto = false, class... Arguments>
requires((operand<Arguments> || detail::is_host_list<Arguments>)&&...) auto multinomial_logit_glm_lpmf(
    const std::vector<std::vector<int>>& y, const Arguments&... arguments) {
  return multinomial_logit_glm_lpmf<propto>(detail::rows_of_counts(y), detail::from_the_host(arguments)...);
}
FUSECL_OF_LISTS_OF_VECTORS(categorical_lpmf)
FUSECL_OF_LISTS_OF_VECTORS(categorical_logit_lpmf)
FUSECL_OF_LISTS_OF_VECTORS(ordered_logistic_lpmf)
FUSECL_OF_LISTS_OF_VECTORS(dirichlet_lpdf)
FUSECL_OF_LISTS_OF_VECTORS(multinomial_lpmf)
FUSECL_OF_LISTS_OF_VECTORS(multi_normal_lpdf)
FUSECL_OF_LISTS_OF_VECTORS(multi_normal_prec_lpdf)
FUSECL_OF_LISTS_OF_VECTORS(multi_normal_cholesky_lpdf)
#define FUSECL_DISTRIBUTIONS_OF_HOST_LISTS(NAME) \
  FUSECL_OF_HOST_LISTS(NAME##_lcdf)              \
  FUSECL_OF_HOST_LISTS(NAME##_lccdf)             \
  FUSECL_OF_HOST_LISTS(NAME##_cdf)
FUSECL_DISTRIBUTIONS(FUSECL_DISTRIBUTIONS_OF_HOST_LISTS)
#undef FUSECL_DISTRIBUTIONS_OF_HOST_LISTS
#undef FUSECL_OF_LISTS_OF_VECTORS
#undef FUSECL_OF_HOST_LISTS
#undef FUSECL_OF_LISTS

}  // namespace fusecl
