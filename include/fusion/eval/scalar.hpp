#pragma once
// A scalar expression as a host number.

#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {

/// Evaluates a scalar expression and waits for its value.
template <node E>
requires(E::is_scalar) value_type_of<E> evaluate_scalar(const E& e) {
  const matrix_cl<value_type_of<E>> result(e);
  value_type_of<E> value{};
  runtime::this_thread_queue().read(*result.storage(), 0, sizeof value, &value);
  return value;
}

}  // namespace fusecl
