#pragma once
// The variables of a gradient without a tape: wrt(a, b, optional(c)).

#include <tuple>
#include <type_traits>
#include <utility>

#include <fusion/autodiff/parameter.hpp>
#include <fusion/eval/scalar_cl.hpp>
#include <fusion/expr/erased.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {

template <class T>
inline constexpr bool is_parameter = false;
template <scalar_value T>
inline constexpr bool is_parameter<parameter<T>> = true;

/// A variable that the expression need not use; its derivative is zero then. Made by `optional`.
template <class Variable>
struct optional_variable {
  using value_type = typename Variable::value_type;
  const Variable& variable;
};

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<optional_variable<T>> = true;
template <class T>
const T& variable_in(const T& variable) {
  return variable;
}
template <class T>
const T& variable_in(const optional_variable<T>& optional) {
  return optional.variable;
}
template <class T>
using variable_type = std::remove_cvref_t<decltype(variable_in(std::declval<const T&>()))>;

template <class T>
inline constexpr bool is_variable = is_matrix_cl<T>::value || is_parameter<T>;
template <class T>
inline constexpr bool is_continuous = true;
template <class T>
requires is_variable<T>
inline constexpr bool is_continuous<T> = std::is_floating_point_v<typename T::value_type>;

/// Whether it is a scalar_cl.
template <class T>
inline constexpr bool is_number_on_device = false;
template <element T>
inline constexpr bool is_number_on_device<scalar_cl<T>> = true;

/// Whether it is a variable of a tape or computed with one.
template <class T>
inline constexpr bool is_recorded = false;
template <operand T>
inline constexpr bool is_recorded<T> = reaches_tape<node_of<const T&>>::value;

}  // namespace detail

/// The variables of a gradient. Made by `wrt`.
template <class... Variables>
struct variable_list {
  std::tuple<const Variables&...> list;
  bool optional[sizeof...(Variables) + 1];
};

/// `x` in `wrt` where an expression may or may not use it: it gets zeros then.
template <class Variable>
requires detail::is_variable<Variable> optional_variable<Variable> optional(const Variable& x) { return {x}; }

/// Names the variables to differentiate with respect to: matrices and parameters of double or float. One that
/// the expression does not use is an error where the gradient is evaluated, unless it is `optional(x)`.
template <class... Variables>
auto wrt(const Variables&... variables) {
  constexpr bool known = (detail::is_variable<detail::variable_type<Variables>> && ...);
  constexpr bool continuous = (detail::is_continuous<detail::variable_type<Variables>> && ...);
  constexpr bool recorded = (detail::is_recorded<Variables> || ...) && !known;
  constexpr bool number = (detail::is_number_on_device<Variables> || ...);
  static_assert(known || recorded || !number,
                "wrt takes matrices (matrix_cl) and parameters: a scalar_cl is data, a matrix_cl with one "
                "element is a variable");
  static_assert(
      known || recorded || number,
      "wrt takes matrices (matrix_cl) and parameters; evaluate an expression into a matrix first, and name "
      "each of a list, wrt(v[0], v[1])");
  static_assert(
      known || !recorded,
      "wrt takes matrices (matrix_cl) and parameters: what is computed with a var has its derivatives "
      "from the tape, var l = sum(x); l.grad(); x.adj()");
  static_assert(continuous,
                "wrt takes matrices and parameters of double or float: by integers there is no derivative");
  if constexpr (known && continuous)
    return variable_list<detail::variable_type<Variables>...>{std::tie(detail::variable_in(variables)...),
                                                              {detail::is_optional<Variables>..., false}};
  else
    return variable_list<>{};
}

}  // namespace fusecl
