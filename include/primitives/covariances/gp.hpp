#pragma once
// Covariances of Gaussian processes, as expressions. Names, argument order and checks are Stan Math's. Points
// are the columns of a matrix, or the elements of a column, which are points of one dimension; beside other
// points, or length scales, of as many dimensions a single column is one point. sigma is a number; so is the
// length scale, or a vector with one for each dimension. All may be data or variables.
//
// They throw std::invalid_argument where dimensions differ, and std::domain_error where sigma, a length scale
// or a period is not positive (for inner products: is negative), NaN or, of most, infinite. A NaN among the
// points is not looked for: it makes its row and column NaN. So do length scales whose squares underflow
// (below 1e-150, of float 1e-18) and distances whose squares overflow.

#include <concepts>
#include <numbers>
#include <vector>

#include <primitives/covariances/hyper_parameters.hpp>
#include <primitives/covariances/kernels.hpp>
#include <primitives/covariances/points.hpp>

namespace fusecl {
namespace detail {

/// A measure of all pairs of two lists of points, divided by length scales where these are given.
template <pair_measure Measure, bool Same, node A, node B, class Lengths = no_lengths>
auto pairs_of(const char* function, A a, B b, Lengths lengths = {}) {
  return measured_pairs<Measure, Same, A, B, Lengths>(function, std::move(a), std::move(b),
                                                      std::move(lengths));
}

/// The squares of the distances, divided by the length scale or scales and times `factor`.
template <bool Same, node A, node B, node L>
auto scaled_squares(const char* function, A a, B b, const L& length_scale, float factor) {
  constexpr auto squares = pair_measure::squared_distance;
  const auto times = [&](auto pairs, const auto& scale) {
    const auto number = static_cast<cpp_type<decltype(pairs)::type>>(factor);
    return number * scale * pairs;
  };
  if constexpr (L::is_scalar)
    return times(pairs_of<squares, Same>(function, std::move(a), std::move(b)), inv_square(length_scale));
  else
    return times(
        pairs_of<squares, Same>(function, std::move(a), std::move(b), as_column<L>(function, length_scale)),
        1);
}

/// sigma^2 times a correlation of the scaled squares of distances.
template <class Correlation, bool Same, class A, class B, class S, class L>
auto covariance(A a, B b, const S& sigma, const L& length_scale) {
  constexpr const char* function = Correlation::function;
  const bool is_vector = !node_of<const L&>::is_scalar;
  const number_rule rule = is_vector ? number_rule::positive_finite : Correlation::rule;
  const hyper_parameter<S> s(function, "magnitude", rule, sigma);
  const hyper_parameter<L> l(function, "length scale", rule, length_scale);
  static_assert(decltype(s.e)::is_scalar, "sigma is a number");
  return with_checks(function,
                     square(s.e) * Correlation::of(scaled_squares<Same>(function, std::move(a), std::move(b),
                                                                        l.e, Correlation::factor)),
                     s, l);
}

struct correlation_of_gp_exp_quad_cov {
  static constexpr const char* function = "gp_exp_quad_cov";
  static constexpr number_rule rule = number_rule::positive;
  static constexpr float factor = -0.5f;
  template <class U>
  static auto of(U u) {
    return exp(std::move(u));
  }
};
#define FUSECL_CORRELATION(FUNCTION, OPERATION, FACTOR)               \
  struct correlation_of_##FUNCTION {                                  \
    static constexpr const char* function = #FUNCTION;                \
    static constexpr number_rule rule = number_rule::positive_finite; \
    static constexpr float factor = FACTOR;                           \
    template <class U>                                                \
    static auto of(U u) {                                             \
      return make_unary<op::OPERATION>(std::move(u));                 \
    }                                                                 \
  };
FUSECL_CORRELATION(gp_exponential_cov, exponential_correlation, 1)
FUSECL_CORRELATION(gp_matern32_cov, matern32_correlation, 3)
FUSECL_CORRELATION(gp_matern52_cov, matern52_correlation, 5)
#undef FUSECL_CORRELATION

/// sigma^2 exp(-2 sin^2(pi |a - b| / period) / length_scale^2).
template <bool Same, class A, class B, class S, class L, class P>
auto periodic_covariance(A a, B b, const S& sigma, const L& length_scale, const P& period) {
  constexpr const char* function = "gp_periodic_cov";
  const hyper_parameter<S> s(function, "signal standard deviation", number_rule::positive, sigma);
  const hyper_parameter<L> l(function, "length-scale", number_rule::positive, length_scale);
  const hyper_parameter<P> p(function, "period", number_rule::positive, period);
  static_assert(decltype(s.e)::is_scalar && decltype(l.e)::is_scalar && decltype(p.e)::is_scalar,
                "sigma, the length scale and the period are numbers");
  auto distances = pairs_of<pair_measure::distance, Same>(function, std::move(a), std::move(b));
  using number = cpp_type<decltype(distances)::type>;
  constexpr auto half_turn = std::numbers::pi_v<number>, minus_two = static_cast<number>(-2);
  return with_checks(
      function, square(s.e) * exp(minus_two * inv_square(l.e) * square(sin(half_turn / p.e * distances))), s,
      l, p);
}

/// sigma^2 + a'b.
template <bool Same, class A, class B, class S>
auto inner_product_covariance(A a, B b, const S& sigma) {
  constexpr const char* function = "gp_dot_prod_cov";
  const hyper_parameter<S> s(function, "sigma", number_rule::nonnegative_finite, sigma);
  static_assert(decltype(s.e)::is_scalar, "sigma is a number");
  return with_checks(
      function,
      square(s.e) + pairs_of<pair_measure::inner_product, Same>(function, std::move(a), std::move(b)), s);
}

/// Points as a node that can be used twice.
template <any_matrix X>
auto points_of(X&& x) {
  return reused(floating_operand(as_operation_cl(std::forward<X>(x))));
}

}  // namespace detail

/// Covariances of points with themselves, n x n, and with others, n1 x n2. With the Euclidean distance d they
/// are
///   gp_exp_quad_cov     sigma^2 exp(-d^2 / (2 l^2)),
///   gp_exponential_cov  sigma^2 exp(-d / l): where points are equal it has a kink, and its derivative by
///                       them is 0,
///   gp_matern32_cov     sigma^2 (1 + sqrt(3) d / l) exp(-sqrt(3) d / l),
///   gp_matern52_cov     sigma^2 (1 + sqrt(5) d / l + 5 d^2 / (3 l^2)) exp(-sqrt(5) d / l).
#define FUSECL_COVARIANCES(X) X(gp_exp_quad_cov) X(gp_exponential_cov) X(gp_matern32_cov) X(gp_matern52_cov)

#define FUSECL_COVARIANCE_FUNCTIONS(NAME)                                                                    \
  template <detail::any_matrix X, operand S, operand L>                                                      \
  auto NAME(X&& x, const S& sigma, const L& length_scale) {                                                  \
    const auto points = detail::points_of(std::forward<X>(x));                                               \
    return detail::covariance<detail::correlation_of_##NAME, true>(points, points, sigma, length_scale);     \
  }                                                                                                          \
  template <detail::any_matrix X1, detail::any_matrix X2, operand S, operand L>                              \
  auto NAME(X1&& x1, X2&& x2, const S& sigma, const L& length_scale) {                                       \
    return detail::covariance<detail::correlation_of_##NAME, false>(detail::points_of(std::forward<X1>(x1)), \
                                                                    detail::points_of(std::forward<X2>(x2)), \
                                                                    sigma, length_scale);                    \
  }
FUSECL_COVARIANCES(FUSECL_COVARIANCE_FUNCTIONS)
// The same with length scales in a std::vector.
#define FUSECL_COVARIANCE_WITH_LIST(NAME)                                                                 \
  template <detail::any_matrix X, operand S, std::floating_point T>                                       \
  auto NAME(X&& x, const S& sigma, const std::vector<T>& length_scale) {                                  \
    return NAME(std::forward<X>(x), sigma, detail::as_host_column(length_scale));                         \
  }                                                                                                       \
  template <detail::any_matrix X1, detail::any_matrix X2, operand S, std::floating_point T>               \
  auto NAME(X1&& x1, X2&& x2, const S& sigma, const std::vector<T>& length_scale) {                       \
    return NAME(std::forward<X1>(x1), std::forward<X2>(x2), sigma, detail::as_host_column(length_scale)); \
  }
FUSECL_COVARIANCES(FUSECL_COVARIANCE_WITH_LIST)
#undef FUSECL_COVARIANCE_WITH_LIST
FUSECL_COVARIANCES(FUSECL_REFUSE_OPERANDS)
#undef FUSECL_COVARIANCE_FUNCTIONS

/// sigma^2 exp(-2 sin(pi d / period)^2 / l^2).
template <detail::any_matrix X, operand S, operand L, operand P>
requires(node_of<const S&>::is_scalar) auto gp_periodic_cov(X&& x, const S& sigma, const L& length_scale,
                                                            const P& period) {
  const auto points = detail::points_of(std::forward<X>(x));
  return detail::periodic_covariance<true>(points, points, sigma, length_scale, period);
}
template <detail::any_matrix X1, detail::any_matrix X2, operand S, operand L, operand P>
auto gp_periodic_cov(X1&& x1, X2&& x2, const S& sigma, const L& length_scale, const P& period) {
  return detail::periodic_covariance<false>(detail::points_of(std::forward<X1>(x1)),
                                            detail::points_of(std::forward<X2>(x2)), sigma, length_scale,
                                            period);
}

/// sigma^2 plus the inner product of two points.
template <detail::any_matrix X, operand S>
auto gp_dot_prod_cov(X&& x, const S& sigma) {
  const auto points = detail::points_of(std::forward<X>(x));
  return detail::inner_product_covariance<true>(points, points, sigma);
}
template <detail::any_matrix X1, detail::any_matrix X2, operand S>
auto gp_dot_prod_cov(X1&& x1, X2&& x2, const S& sigma) {
  return detail::inner_product_covariance<false>(detail::points_of(std::forward<X1>(x1)),
                                                 detail::points_of(std::forward<X2>(x2)), sigma);
}

FUSECL_REFUSE_OPERANDS(gp_periodic_cov)
FUSECL_REFUSE_OPERANDS(gp_dot_prod_cov)

}  // namespace fusecl
