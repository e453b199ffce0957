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
  /// Whether no element is off by more than `tolerance`; float needs about 1e-4.
  bool passed(double tolerance = 1e-6) const {
    return worst.empty() || (!is_nan(worst[0].error()) && worst[0].error() <= tolerance);
  }
};

/// A table of the worst entries.
std::string to_string(const gradient_check& check);
std::ostream& operator<<(std::ostream& out, const gradient_check& check);

namespace detail {
using host_gradient = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
gradient_check compare_gradient(const statement& s, const binder& bound, const gradient_variable* variables,
                                const list_of<host_gradient>& gradients);
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
  return detail::compare_gradient({nullptr, expressions, detail::lower_nth<E>, &slot, 1}, bound, variables,
                                  gradients);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/check_gradient.ipp>
#endif
