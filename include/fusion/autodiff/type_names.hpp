#pragma once
// Names that Stan Math has for types, for code that is written for either library. Qualifiers of types do not
// count.

#include <type_traits>
#include <utility>
#include <vector>

#include <fusion/autodiff/arena_matrix_cl.hpp>
#include <fusion/autodiff/var.hpp>
#include <fusion/eval/scalar.hpp>
#include <fusion/eval/scalar_cl.hpp>

namespace fusecl {
namespace detail {

/// What a type is made of: var of a variable, the element type of a matrix or an expression without
/// variables.
template <class T>
struct scalar_of {
  using type = T;
};
template <class T>
struct scalar_of<var_value<T>> {
  using type = var;
};
template <class T>
struct scalar_of<std::vector<T>> : scalar_of<T> {};
template <eigen_like T>
struct scalar_of<T> {
  using type = typename T::Scalar;
};
template <expression_like T>
struct scalar_of<T> {
  using type = std::conditional_t<node_on_tape<node_of<T>>, var, value_type_of<T>>;
};

/// What a list holds, lists of them included; what is on the tape of a variable; else what a type is made of.
template <class T>
struct element_of : scalar_of<T> {};
template <class T>
struct element_of<var_value<T>> {
  using type = T;
};
template <class T>
struct element_of<std::vector<T>> {
  using type = T;
};

template <class T>
struct plain_of {
  using type = T;
};
template <class T>
struct plain_of<var_value<T>> {
  using type = var_value<T>;
};
template <expression_like T>
struct plain_of<T> {
  using type = std::remove_cvref_t<decltype(eval(std::declval<const T&>()))>;
};
template <eigen_like T>
struct plain_of<T> {
  using type = typename T::PlainObject;
};

}  // namespace detail

/// `var` of variables, of lists, matrices and expressions of them; else the type of a number or an element.
template <class T>
using scalar_type_t = typename detail::scalar_of<std::remove_cvref_t<T>>::type;

/// The type of an element: of a `std::vector` of vectors such a vector, else as scalar_type_t. Of a variable
/// the type of its value: a matrix, of `var` double.
template <class T>
using value_type_t = typename detail::element_of<std::remove_cvref_t<T>>::type;

/// What a value of this type is evaluated to.
template <class T>
using plain_type_t = typename detail::plain_of<std::remove_cvref_t<T>>::type;

/// Whether a type is a variable: a number or a matrix on the tape.
template <class T>
struct is_var : std::false_type {};
template <class T>
struct is_var<var_value<T>> : std::true_type {};
template <class T>
requires(!std::is_same_v<T, std::remove_cvref_t<T>>) struct is_var<T> : is_var<std::remove_cvref_t<T>> {
};

/// The same as a constant.
template <class T>
inline constexpr bool is_autodiff_v = is_var<T>::value;

/// Whether a type is a number on the device. None of these is a variable.
template <class T>
struct is_scalar_cl : std::false_type {};
template <class T>
struct is_scalar_cl<scalar_cl<T>> : std::true_type {};
template <class T>
requires(!std::is_same_v<T, std::remove_cvref_t<T>>) struct is_scalar_cl<T>
    : is_scalar_cl<std::remove_cvref_t<T>> {
};
template <class T>
using is_prim_scalar_cl = is_scalar_cl<T>;
template <class T>
using is_rev_scalar_cl = std::false_type;

/// A number on the device is data: its own value, and kept by a copy.
template <element T>
const scalar_cl<T>& value_of(const scalar_cl<T>& x) {
  return x;
}
template <element T>
scalar_cl<T> to_arena(const scalar_cl<T>& x) {
  return x;
}

/// Whether a type is a number of the host or on the tape.
template <class T>
using is_stan_scalar = std::bool_constant<std::is_arithmetic_v<std::remove_cvref_t<T>> ||
                                          std::is_same_v<std::remove_cvref_t<T>, var>>;

/// Whether no type has variables.
template <class... Ts>
using is_constant_all = std::bool_constant<(!std::is_same_v<scalar_type_t<Ts>, var> && ...)>;
template <class T>
using is_constant = is_constant_all<T>;

/// The type of a number that follows from such arguments: `var` where one has variables, else double.
template <class... Ts>
struct return_type {
  using type = std::conditional_t<is_constant_all<Ts...>::value, double, var>;
};
template <class... Ts>
using return_type_t = typename return_type<Ts...>::type;

/// What `T` is evaluated to, as a variable where `Scalar` has variables.
template <class Scalar, class T>
using conditional_var_value_t =
    std::conditional_t<is_constant_all<Scalar>::value, plain_type_t<T>, var_value<plain_type_t<T>>>;

/// The element type that values of these have together.
template <class... Ts>
using common_scalar_t = std::common_type_t<scalar_type_t<Ts>...>;
/// The expression that an operand is in others.
template <class T>
using as_operation_cl_t = std::remove_reference_t<decltype(as_operation_cl(std::declval<T>()))>;

/// `f` of the numbers from 0 to N - 1, each a type: std::integral_constant.
template <std::size_t N, class F>
constexpr auto index_apply(F&& f) {
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    return std::forward<F>(f)(std::integral_constant<std::size_t, Is>{}...);
  }
  (std::make_index_sequence<N>{});
}

/// What keeps a value of this type for the way back.
template <class T>
using arena_t = decltype(to_arena(std::declval<const std::remove_cvref_t<T>&>()));

/// The value of an expression; a matrix, a number or a variable itself.
template <class T>
decltype(auto) to_ref(T&& x) {
  return eval(std::forward<T>(x));
}

namespace detail {

/// Of an expression what it is evaluated to; of a value a reference to it, which an rvalue gives away.
template <class T>
struct ref_of {
  using type = decltype(to_ref(std::declval<T>()));
};
template <class T>
requires std::is_same_v<std::remove_cvref_t<T>, plain_type_t<T>>
struct ref_of<T> {
  using type = std::conditional_t<std::is_rvalue_reference_v<T>, std::remove_cvref_t<T>,
                                  const std::remove_cvref_t<T>&>;
};

}  // namespace detail

/// The type of a local name for an argument of type `T`, which is evaluated once where it is an expression
/// and not copied where it is a value.
template <class T>
using ref_type_t = typename detail::ref_of<T>::type;

}  // namespace fusecl
