#pragma once
// A number that stays on the device.

#include <iosfwd>

#include <fusion/eval/prepare.hpp>
#include <fusion/eval/results.hpp>
#include <fusion/eval/scalar.hpp>
#include <fusion/expr/factorizations.hpp>

namespace fusecl {
namespace detail {

/// A matrix of one element as a scalar expression.
template <element T>
struct device_number : expression<device_number<T>>, converts_to_number<device_number<T>, T> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = true;
  static constexpr bool is_matrix_as_it_is = true;

  explicit device_number(const matrix_base& m) : matrix_(m) {}
  std::int64_t rows() const { return 1; }
  std::int64_t cols() const { return 1; }
  void gather(binder& b) const { matrix_.gather(b); }
  ir::node_id lower(lowering& low) const { return low.number_of_device(); }

 private:
  matrix_leaf<T> matrix_;
};

/// The memory of such a number.
template <element T>
struct matrix_of_number : matrix_cl<T> {
  using matrix_cl<T>::matrix_cl;
  using matrix_cl<T>::operator=;
  device_number<T> leaf() const { return device_number<T>(*this); }
};
template <element T>
inline constexpr bool is_device_number<matrix_of_number<T>> = true;

/// What a scalar_cl takes: a scalar as it is, the only element of anything else.
template <operand E>
auto as_single_value(E&& e) {
  if constexpr (node_of<E>::is_scalar)
    return as_operation_cl(std::forward<E>(e));
  else
    return repeated_element("scalar_cl", std::forward<E>(e), 1, 1);
}

}  // namespace detail

/// A number of type T on the device: what a scalar expression gives, kept there. It combines with operands of
/// any size, as a number of the host does, and nothing waits for it but its conversion to one. Copies are
/// deep. To derivatives it is data.
template <element T>
class scalar_cl {
 public:
  using value_type = T;

  /// 0.
  scalar_cl() : scalar_cl(T(0)) {}
  /// The value of a number, of a scalar expression, or of a matrix or an expression with one element. Throws
  /// std::invalid_argument where there are more, or none.
  template <operand E>
  requires(!std::is_same_v<std::remove_cvref_t<E>, scalar_cl>) scalar_cl(E&& e) {  // NOLINT: as of a number
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<E>>)
      value_ = detail::matrix_of_number<T>(static_cast<T>(e));
    else
      *this = std::forward<E>(e);
  }
  scalar_cl(const scalar_cl&) = default;  // also where it is moved: this is never without a value
  scalar_cl& operator=(const scalar_cl&) = default;

  /// Takes that value. After an exception this is as it was.
  template <operand E>
  requires(!std::is_same_v<std::remove_cvref_t<E>, scalar_cl>) scalar_cl& operator=(E&& e) {
    value_ = detail::as_single_value(std::forward<E>(e));
    return *this;
  }
  template <operand E>
  scalar_cl& operator+=(E&& e) {
    return *this = detail::make_binary<op::add>("operator+=", *this, std::forward<E>(e));
  }
  template <operand E>
  scalar_cl& operator-=(E&& e) {
    return *this = detail::make_binary<op::subtract>("operator-=", *this, std::forward<E>(e));
  }
  template <operand E>
  scalar_cl& operator*=(E&& e) {
    return *this = detail::make_binary<op::multiply>("operator*=", *this, std::forward<E>(e));
  }
  template <operand E>
  scalar_cl& operator/=(E&& e) {
    return *this =
               detail::make_binary<detail::division<scalar_cl, E>>("operator/=", *this, std::forward<E>(e));
  }

  detail::device_number<T> leaf() const { return value_.leaf(); }

  /// The matrix of one element that has the number, and its memory.
  const matrix_cl<T>& matrix() const { return value_; }
  cl::Buffer buffer() const { return value_.buffer(); }

  /// The number; waits for it.
  operator T() const { return value_(0, 0); }  // NOLINT: as of a scalar expression

  /// For results(...).
  detail::matrix_of_number<T>& as_result() { return value_; }

 private:
  detail::matrix_of_number<T> value_;
};
template <class Number>
requires std::is_arithmetic_v<Number> scalar_cl(Number)
->scalar_cl<number_type<Number>>;
template <expression_like E>
scalar_cl(E&&) -> scalar_cl<value_type_of<E>>;

/// Builds what `x = e` needs.
template <element T, operand E>
void prepare(scalar_cl<T>& x, E&& e) {
  matrix_cl<T>& value = x.as_result();
  prepare(value, detail::as_single_value(std::forward<E>(e)));
}

/// The number that is on the device, or that a scalar expression gives, on the host; waits for it.
template <element T>
T to_host(const scalar_cl<T>& x) {
  return x;
}
template <node E>
requires(E::is_scalar && !detail::node_on_tape<E>) value_type_of<E> to_host(const E& e) {
  return evaluate_scalar(e);
}
/// A number of the host is itself.
template <class T>
requires std::is_arithmetic_v<T> T to_host(T x) { return x; }

/// Prints the number; waits for it.
template <element T>
std::ostream& operator<<(std::ostream& out, const scalar_cl<T>& x) {
  return out << static_cast<T>(x);
}

/// Names of Stan Math's OpenCL backend that are in a namespace of their own there.
namespace opencl {
using namespace fusecl;  // NOLINT: all of them

template <element T>
using ScalarCl = scalar_cl<T>;

/// Makes `a` its Cholesky factor. What is lazy besides, as fusecl::cholesky_decompose, is in place here.
template <element T>
void cholesky_decompose(matrix_cl<T>& a) {
  a = fusecl::cholesky_decompose(a);
}

}  // namespace opencl
}  // namespace fusecl
