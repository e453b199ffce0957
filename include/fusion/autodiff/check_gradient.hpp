#pragma once
// A check for users: the generated gradient of an expression against central differences and against forward
// accumulation, both on the host.

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
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
  /// for moved matrices: `f` takes numbers of its inputs, as `v(0)` is one, where this is not small, or has a
  /// kink. They have no derivative, as `v[0]` has. 0 where `f` names an input that it was not given, or
  /// inputs share memory.
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
matrix_cl<T> moved_input(const matrix_cl<T>& input, double step) {  // in T: the device may have no double
  const auto along = cos(T(1.7) * row_index(input.rows(), input.cols()) + T(2.3) * col_index());
  const auto moved =
      input + static_cast<T>(step) * elt_multiply(along, select(input == T(0), T(1), fabs(input)));
  return matrix_cl<T>(moved, input.view());
}
template <class Parameter>
const Parameter& moved_input(const Parameter& input, double) {
  return input;
}
/// What the values at steps of -h, -h / 2, h / 2 and h tell of a derivative.
struct moved_values {
  double h, rounding;  ///< that of a value, relative
  double values[4];

  /// Its relative difference from `wanted` beyond the error of these differences; 0 where they are not
  /// finite, or the value does not move.
  double difference_from(double wanted) const;
};
/// Whether inputs have memory of their own, each, and an expression made of moved ones names none of it: then
/// the gradient by an input is all that moving it does.
bool are_apart(std::span<const gradient_variable> inputs, const binder& named);
}  // namespace detail

/// Checks the gradient of the expression `f(inputs...)` of one element with respect to all inputs (matrices
/// and parameters) at their values. Of inputs with more than 200 elements in all, about 200 are compared.
/// Float expressions are interpreted in double. Waits for the device.
template <class F, class... Inputs>
gradient_check check_gradient(const F& f, const Inputs&... inputs) {
  static_assert(
      (requires { optional(inputs); } && ...),
      "check_gradient takes a function and the variables it is called with: matrices on the device and "
      "parameters");
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
  const detail::scope_of_variables scope(variables, sizeof...(Inputs));
  bound.differentiate_by(scope);
  e.gather(bound);
  gradient_check check = detail::compare_gradient({nullptr, expressions, detail::lower_nth<E>, &slot, 1},
                                                  bound, variables, gradients);
  if constexpr (is_floating(E::type)) {
    constexpr double h = E::type == scalar_type::float64 ? 0x1p-11 : 0x1p-5;
    detail::moved_values moved{h, E::type == scalar_type::float64 ? 1e-14 : 1e-5, {}};
    const auto value = [&](const auto&... at) {
      try {
        const auto anew = as_operation_cl(f(at...));
        binder named;
        anew.gather(named);
        if (!detail::are_apart(variables, named)) return std::nan("");
        return static_cast<double>(value_and_gradient(anew, wrt(optional(at)...)).value);
      } catch (const std::domain_error&) {  // a check of a value that is near the end of what it allows
        return std::nan("");
      }
    };
    for (int k = 0; const double step : {-h, -h / 2, h / 2, h})
      moved.values[k++] = value(detail::moved_input(inputs, step)...);
    double wanted = 0;
    std::size_t n = 0;
    const auto add = [&](const auto& input) {
      const detail::host_gradient& gradient = gradients[n++];
      if constexpr (requires { input.view(); }) {
        const detail::host_gradient way =
            (from_matrix_cl(detail::moved_input(input, h)) - from_matrix_cl(input)).template cast<double>();
        wanted += gradient.cwiseProduct(way).sum() / h;
      }
    };
    (add(inputs), ...);
    check.unseen = moved.difference_from(wanted);
  }
  return check;
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/check_gradient.ipp>
#endif
