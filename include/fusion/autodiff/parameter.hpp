#pragma once
// A scalar that derivatives can be taken with respect to.

#include <iosfwd>
#include <memory>
#include <type_traits>

#include <fusion/expr/expression.hpp>

namespace fusecl {

/// A parameter in an expression: has the value that the parameter has when the expression is evaluated, also
/// when the parameter is gone.
template <scalar_value T>
struct parameter_leaf : expression<parameter_leaf<T>> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = true;

  explicit parameter_leaf(std::shared_ptr<T> value) : value_(std::move(value)) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { b.scalar_variable(*value_, value_.get(), false); }
  ir::node_id lower(lowering& low) const { return low.scalar(type); }
  /// The value that the parameter has now.
  T parameter_value() const { return *value_; }

 private:
  std::shared_ptr<T> value_;  // its address is the identity
};

/// A named scalar, double or float: `parameter b = 0.3;` may be used in expressions and in `wrt`.
template <scalar_value T>
class parameter {
  static_assert(std::is_floating_point_v<T>, "a parameter is double or float: derivatives are taken by it");

 public:
  using value_type = T;

  /// Which number it is says the guide below.
  parameter(std::type_identity_t<T> value) : value_(std::make_shared<T>(value)) {}  // NOLINT: its value
  parameter(const parameter&) = delete;
  parameter& operator=(const parameter&) = delete;
  /// A new value, for all expressions that are evaluated afterwards.
  parameter& operator=(T value) {
    *value_ = value;
    return *this;
  }
  parameter& operator+=(T value) { return *this = *value_ + value; }
  parameter& operator-=(T value) { return *this = *value_ - value; }
  parameter& operator*=(T value) { return *this = *value_ * value; }
  parameter& operator/=(T value) { return *this = *value_ / value; }
  T value() const { return *value_; }
  /// The value that it has now, where a number is wanted: data, by which nothing is differentiated.
  operator T() const { return *value_; }
  parameter_leaf<T> leaf() const { return parameter_leaf<T>(value_); }
  /// What expressions know it by.
  const void* identity() const { return value_.get(); }
  /// For results(...): its value.
  T& as_result() { return *value_; }

 private:
  std::shared_ptr<T> value_;
};
/// `parameter b = 1` is a number like `parameter b = 1.0`.
template <class Number>
parameter(Number) -> parameter<std::conditional_t<std::is_same_v<Number, float>, float, double>>;

namespace detail {

template <class Operands>
inline constexpr bool any_has_parameter = false;
/// Whether a parameter is in an expression, itself one or below other operations.
template <class E>
inline constexpr bool has_parameter = any_has_parameter<typename E::operand_types>;
template <class T>
inline constexpr bool has_parameter<parameter_leaf<T>> = true;
template <class... Operands>
inline constexpr bool any_has_parameter<types<Operands...>> = (has_parameter<Operands> || ...);

}  // namespace detail

/// Prints the value.
template <scalar_value T>
std::ostream& operator<<(std::ostream& out, const parameter<T>& p) {
  return out << p.value();
}

}  // namespace fusecl
