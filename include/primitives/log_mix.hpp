#pragma once
// Mixtures of densities by their logarithms.

#include <limits>
#include <stdexcept>

#include <fusion/autodiff.hpp>
#include <primitives/host_operands.hpp>

namespace fusecl {
namespace detail {

inline constexpr double largest_exponent = 709.0;  // beyond this exp overflows

/// What is subtracted before exp: it takes part in value only, the sum does not depend on it.
template <node L>
auto shift_by(const L& largest) {
  return stop_gradient(select(largest == -std::numeric_limits<double>::infinity(), 0.0, largest));
}

/// log(sum of theta_i exp(lambda_ij) over i), summed over the columns j; theta is a column.
template <node Theta, node Lambda>
auto log_mixtures(const Theta& theta, const Lambda& lambda) {
  const auto weights = shared(rowwise_broadcast(theta));
  // a part with proportion 0 is left out, whatever its density
  const auto largest = shared(
      colwise_max(select(weights > 0.0, lambda + log(weights), -std::numeric_limits<double>::infinity())));
  const auto shift = shared(shift_by(largest));
  // a density that its proportion 0 leaves out may be any number larger than the shift
  const auto scaled = exp(fmin(lambda - colwise_broadcast(shift), largest_exponent));
  return sum(shift + log(colwise_sum(elt_multiply(weights, scaled))));
}

/// The same of two parts, element by element.
template <node Theta, node First, node Second>
auto log_mixtures_of_two(const Theta& theta, const First& first, const Second& second) {
  const auto largest = shared(fmax(first + log(theta), second + log1m(theta)));
  const auto shift = shared(shift_by(largest));
  const auto mixture = shift + log(elt_multiply(theta, exp(fmin(first - shift, largest_exponent))) +
                                   elt_multiply(1.0 - theta, exp(fmin(second - shift, largest_exponent))));
  const auto is_defined = theta >= 0.0 && theta <= 1.0 && !isnan(first) && !isnan(second);
  return select(is_defined, mixture, std::numeric_limits<double>::quiet_NaN());
}

template <class Result, node Theta, node Lambda>
Result checked_log_mixtures(const Theta& theta, const Lambda& lambda) {
  if (theta.rows() != lambda.rows())
    throw std::invalid_argument(
        text::fill("log_mix: theta has {} elements and lambda {} rows", {theta.rows(), lambda.rows()}));
  if (lambda.rows() == 0 || lambda.cols() == 0) return 0.0;
  return checked(log_mixtures(theta, lambda),
                 check_cl("log_mix", "lambda", lambda, "not nan", !isnan(lambda)),
                 check_cl("log_mix", "theta", theta, "in the interval [0, 1]", theta >= 0.0 && theta <= 1.0));
}

}  // namespace detail

/// log(theta_1 exp(lambda_1) + ... + theta_n exp(lambda_n)), the density of a mixture by that of its n parts,
/// of each column of `lambda`, and their sum: a double, or a var where an argument is a variable. `theta` is
/// a column or a row of n proportions, `lambda` has n rows, or is a row of n. Throws std::invalid_argument
/// where the sizes differ, std::domain_error where lambda is NaN or a proportion not in [0, 1]. Of no columns
/// or no parts it is 0.
template <detail::matrix_expression Theta, detail::matrix_expression Lambda>
auto log_mix(const Theta& theta, const Lambda& lambda) {
  constexpr bool any_variable = detail::reaches_tape<node_of<const Theta&>>::value ||
                                detail::reaches_tape<node_of<const Lambda&>>::value;
  using result = std::conditional_t<any_variable, var, double>;
  const auto proportions = as_column_vector_or_scalar(theta);
  if (lambda.rows() == 1 && proportions.rows() != 1)
    return detail::checked_log_mixtures<result>(proportions, as_column_vector_or_scalar(lambda));
  return detail::checked_log_mixtures<result>(proportions, as_operation_cl(lambda));
}

/// log(theta exp(lambda1) + (1 - theta) exp(lambda2)), the density of a mixture of two parts by theirs,
/// element by element: an expression, and a number of numbers. NaN where theta is not in [0, 1] or a density
/// is NaN.
template <class Theta, class First, class Second>
requires detail::beside_the_device<Theta, First, Second>
auto log_mix(Theta&& theta, First&& lambda1, Second&& lambda2) {
  constexpr bool are_numbers = !expression_like<Theta> && !expression_like<First> && !expression_like<Second>;
  auto mixture = detail::log_mixtures_of_two(reused(as_operation_cl(std::forward<Theta>(theta))),
                                             reused(as_operation_cl(std::forward<First>(lambda1))),
                                             reused(as_operation_cl(std::forward<Second>(lambda2))));
  if constexpr (are_numbers)
    return static_cast<double>(mixture);
  else
    return mixture;
}

}  // namespace fusecl
