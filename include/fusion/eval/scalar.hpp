#pragma once
// A scalar expression as a host number.

#include <fusion/eval/evaluate.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {

/// Evaluates a scalar expression and waits for its value.
template <node E>
requires(E::is_scalar) value_type_of<E> evaluate_scalar(const E& e) {
  static_assert(!detail::node_on_tape<E>,
                "a number would lose the derivative of this expression: keep it as a variable, var y = e, or "
                "take its value alone, double y = value_of(e)");
  const matrix_cl<value_type_of<E>> result(e);
  value_type_of<E> value{};
  runtime::this_thread_queue().read(*result.storage(), 0, sizeof value, &value);
  return value;
}

/// Adds the value of a scalar expression to a host number, and waits for it.
template <class Number, node E>
requires(std::is_arithmetic_v<Number>&& E::is_scalar) Number& operator+=(Number& number, const E& e) {
  return number = static_cast<Number>(number + evaluate_scalar(e));
}
template <class Number, node E>
requires(std::is_arithmetic_v<Number>&& E::is_scalar) Number& operator-=(Number& number, const E& e) {
  return number = static_cast<Number>(number - evaluate_scalar(e));
}

/// What an expression computes is its type: it cannot become another one.
template <node E, operand X>
requires(!std::is_arithmetic_v<E> && !requires(const E& e) { e.writable_elements(); }) void operator+=(
    const E&, const X&) {
  static_assert(
      sizeof(E) == 0,
      "an expression cannot be added to: give the sum a name of its own, auto c = a + b, or add to a "
      "number, double x = sum(a); x += sum(b)");
}

}  // namespace fusecl
