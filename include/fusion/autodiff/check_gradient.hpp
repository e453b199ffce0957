#pragma once
// A check for users: the generated gradient of an expression against central differences and against forward
// accumulation, both on the host.

#include <string>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/base/list_of.hpp>

namespace fusecl {

/// One element of a gradient, computed in three ways.
struct gradient_entry {
  std::size_t variable;  ///< position among the inputs
  std::int64_t row;
  std::int64_t col;
  double gradient;    ///< reverse accumulation, on the device
  double forward;     ///< forward accumulation, interpreted on the host
  double difference;  ///< extrapolated central differences of the interpreted value
  double step_error;  ///< estimated error of `difference`; large next to a kink
  /// Largest disagreement, relative to 1 + |difference|, beyond the error of the difference itself. NaN
  /// agrees with nothing.
  double error() const;
};

/// What `check_gradient` found.
struct gradient_check {
  std::vector<gradient_entry> worst;  ///< at most ten, the largest error first
  std::int64_t entries = 0;           ///< elements compared
  /// Relative difference between the derivative along one direction by the gradient and that of `f` called
  /// for moved matrices: `f` takes numbers of its inputs, as `v(0)` is one, where this is not small. They
  /// have no derivative, as `v[0]` has.
  double unseen = 0;
  /// Whether no element is off by more than `tolerance`; float needs about 1e-4.
  bool passed(double tolerance = 1e-6) const {
    return unseen <= std::max(tolerance, 1e-5) &&
           (worst.empty() || (!is_nan(worst[0].error()) && worst[0].error() <= tolerance));
  }
};

/// A table of the worst entries.
std::string to_string(const gradient_check& check);
std::ostream& operator<<(std::ostream& out, const gradient_check& check);

namespace detail {
using host_gradient = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
gradient_check compare_gradient(const statement& s, const binder& bound, const gradient_variable* variables,
                                const list_of<host_gradient>& gradients);

/// A matrix moved along the direction of the check, each element in proportion to itself; parameters stay.
template <element T>
matrix_cl<T> moved_input(const matrix_cl<T>& input, double step) {
  const auto along = cos(1.7 * row_index(input.rows(), input.cols()) + 2.3 * col_index());
  const auto moved =
      input + step * elt_multiply(along, select(input == T(0), 1.0, fabs(cast<double>(input))));
  return matrix_cl<T>(cast<T>(moved), input.view());
}
template <class Parameter>
const Parameter& moved_input(const Parameter& input, double) {
  return input;
}
/// The derivative along that direction by the gradient.
double along_direction(const host_gradient& gradient, const host_gradient& input);
/// What the values at steps of -h, -h / 2, h / 2 and h tell of a derivative: its relative difference from
/// `wanted` beyond the error of these differences. 0 where they are not finite, or the value moves by
/// nothing.
double unseen_derivative(const double (&values)[4], double h, double wanted);
}  // namespace detail

/// Checks the gradient of the expression `f(inputs...)` of one element with respect to all inputs (matrices
/// and parameters) at their values. Of inputs with more than 200 elements in all, about 200 are compared.
/// Float expressions are interpreted in double. Waits for the device.
template <class F, class... Inputs>
gradient_check check_gradient(const F& f, const Inputs&... inputs) {
  const auto e = as_operation_cl(f(inputs...));
  using E = std::remove_const_t<decltype(e)>;
  const auto result = value_and_gradient(e, wrt(optional(inputs)...));
  list_of<detail::host_gradient> gradients;
  std::apply([&](const auto&... g) { (gradients.push_back(g.to_host().template cast<double>()), ...); },
             result.gradient);
  const detail::gradient_variable variables[] = {detail::as_variable(inputs, true)...};
  const void* expressions[] = {&e};
  detail::result_slot slot{nullptr, E::type, 1, 1, "the value"};
  binder bound;
  e.gather(bound);
  gradient_check check = detail::compare_gradient({nullptr, expressions, detail::lower_nth<E>, &slot, 1},
                                                  bound, variables, gradients);
  if constexpr (is_floating(E::type)) {
    constexpr double h = E::type == scalar_type::float64 ? 0x1p-11 : 0x1p-5;
    double values[4], wanted = 0;
    for (int k = 0; const double step : {-h, -h / 2, h / 2, h})
      values[k++] = [&](const auto&... moved) {
        return static_cast<double>(value_and_gradient(f(moved...), wrt(optional(moved)...)).value);
      }(detail::moved_input(inputs, step)...);
    std::size_t n = 0;
    const auto add = [&](const auto& input) {
      const detail::host_gradient& gradient = gradients[n++];
      if constexpr (requires { detail::moved_input(input, h).view(); })
        wanted += detail::along_direction(gradient, from_matrix_cl(input).template cast<double>());
    };
    (add(inputs), ...);
    check.unseen = detail::unseen_derivative(values, h, wanted);
  }
  return check;
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/check_gradient.ipp>
#endif
