#pragma once
// The numbers that a covariance has besides its points, and what they have to be. Host numbers and variables
// are looked at when the expression is made, parameters whenever a statement runs; scalar expressions, which
// only the device knows, are not.

#include <fusion/autodiff/var.hpp>

namespace fusecl::detail {

enum class number_rule : std::uint8_t { positive, positive_finite, nonnegative_finite };

/// Throws std::domain_error where the value breaks the rule.
void check_number(const char* function, const char* name, number_rule rule, double value);
/// The same for each element of a matrix of the host.
template <class Host>
void check_numbers(const char* function, const char* name, number_rule rule, const Host& values) {
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      check_number(function, name, rule, static_cast<double>(values(i, j)));
}

/// A hyper-parameter as a user gave it.
template <operand T>
struct hyper_parameter {
  using node_type = node_of<const T&>;
  const char* name;
  number_rule rule;
  node_type e;

  hyper_parameter(const char* function, const char* called, number_rule must_be, const T& x)
      : name(called), rule(must_be), e(as_operation_cl(x)) {
    if constexpr (requires { e.value; })
      check_number(function, name, rule, static_cast<double>(e.value));
    else if constexpr (host_matrix<T>)
      check_numbers(function, name, rule, x);
  }
  /// Whether its value may change.
  static constexpr bool is_parameter = requires(const node_type& n) { n.parameter_value(); };
};

/// A covariance with parameters, which are looked at before a statement with it runs.
template <class E, class... Numbers>
struct covariance_of_parameters : expression<covariance_of_parameters<E, Numbers...>> {
  using expression<covariance_of_parameters<E, Numbers...>>::operator=;
  using operand_types = types<E>;
  static constexpr scalar_type type = E::type;
  static constexpr bool is_scalar = false;
  const char* function_;
  E a;
  std::tuple<Numbers...> numbers_;

  covariance_of_parameters(const char* function, E e, Numbers... numbers)
      : function_(function), a(std::move(e)), numbers_(std::move(numbers)...) {}
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const {
    b.check({run_checks, this, -1});
    a.gather(b);
  }
  ir::node_id lower(lowering& low) const { return a.lower(low); }

 private:
  static void run_checks(const void* self, std::int64_t, std::int64_t) {
    const auto& own = *static_cast<const covariance_of_parameters*>(self);
    std::apply([&](const auto&... number) { (own.check(number), ...); }, own.numbers_);
  }
  template <class Number>
  void check(const Number& number) const {
    if constexpr (Number::is_parameter)
      check_number(function_, number.name, number.rule, static_cast<double>(number.e.parameter_value()));
  }
};

template <class E, class... Numbers>
inline constexpr bool is_reduced<covariance_of_parameters<E, Numbers...>> = is_reduced<E>;

/// `e`, with a look at those numbers that may change.
template <node E, class... Numbers>
auto with_checks(const char* function, E e, const Numbers&... numbers) {
  if constexpr ((Numbers::is_parameter || ...))
    return covariance_of_parameters<E, Numbers...>(function, std::move(e), numbers...);
  else
    return e;
}

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <primitives/covariances/hyper_parameters.ipp>
#endif
