#pragma once
// Traits by which code for Stan Math chooses among its functions, and the requirements made of them. New code
// has concepts: expression_like, operand, host_matrix.

#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fusion/autodiff/type_names.hpp>

namespace fusecl {

/// void where the trait holds, and no type where it does not: `require_t<is_var<T>>* = nullptr`.
template <class Trait>
using require_t = std::enable_if_t<Trait::value>;
template <class Trait>
using require_not_t = std::enable_if_t<!Trait::value>;
template <class... Traits>
using require_all_t = std::enable_if_t<(Traits::value && ...)>;
template <class... Traits>
using require_any_t = std::enable_if_t<(Traits::value || ...)>;
template <class... Traits>
using require_all_not_t = std::enable_if_t<!(Traits::value || ...)>;
template <class... Traits>
using require_any_not_t = std::enable_if_t<!(Traits::value && ...)>;

namespace detail {

/// Whether something makes its user an expression; with rows and columns, or as a number.
template <class T>
inline constexpr bool is_scalar_expression = false;
template <expression_like T>
inline constexpr bool is_scalar_expression<T> = node_of<T>::is_scalar;
template <class T>
inline constexpr bool is_sized_expression = false;
template <expression_like T>
inline constexpr bool is_sized_expression<T> = !node_of<T>::is_scalar;

template <class T>
inline constexpr bool is_arena_matrix = false;
template <class T>
inline constexpr bool is_arena_matrix<arena_matrix_cl<T>> = true;

}  // namespace detail

/// Whether a type is a matrix on the device or an expression of such matrices.
template <class T>
using is_kernel_expression_and_not_scalar =
    std::bool_constant<detail::is_sized_expression<std::remove_cvref_t<T>> && is_constant<T>::value>;
/// The same, or a number: one of the host, one on the device, or one that an expression gives.
template <class T>
using is_kernel_expression =
    std::bool_constant<is_kernel_expression_and_not_scalar<T>::value ||
                       std::is_arithmetic_v<std::remove_cvref_t<T>> ||
                       (detail::is_scalar_expression<std::remove_cvref_t<T>> && is_constant<T>::value)>;
/// Whether a type is a variable or an expression of variables.
template <class T>
using is_rev_kernel_expression =
    std::bool_constant<expression_like<std::remove_cvref_t<T>> && !is_constant<T>::value>;
/// Whether a type is one of both.
template <class T>
using is_prim_or_rev_kernel_expression =
    std::bool_constant<is_kernel_expression<T>::value || is_rev_kernel_expression<T>::value>;
/// The same without numbers.
template <class T>
using is_nonscalar_prim_or_rev_kernel_expression =
    std::bool_constant<detail::is_sized_expression<std::remove_cvref_t<T>>>;
/// Whether a type is a matrix whose copies have the same memory.
template <class T>
using is_arena_matrix_cl = std::bool_constant<detail::is_arena_matrix<std::remove_cvref_t<T>>>;
/// Whether a type is one of Eigen's.
template <class T>
using is_eigen = std::bool_constant<detail::eigen_like<std::remove_cvref_t<T>>>;

/// Traits of which requirements are made, X(name, trait).
#define FUSECL_REQUIREMENTS(X)                                       \
  X(var, is_var)                                                     \
  X(stan_scalar, is_stan_scalar)                                     \
  X(arithmetic, std::is_arithmetic)                                  \
  X(eigen, is_eigen)                                                 \
  X(matrix_cl, is_matrix_cl)                                         \
  X(arena_matrix_cl, is_arena_matrix_cl)                             \
  X(kernel_expression, is_kernel_expression)                         \
  X(rev_kernel_expression, is_rev_kernel_expression)                 \
  X(prim_or_rev_kernel_expression, is_prim_or_rev_kernel_expression) \
  X(nonscalar_prim_or_rev_kernel_expression, is_nonscalar_prim_or_rev_kernel_expression)
#define FUSECL_REQUIRE(NAME, TRAIT)                                                        \
  template <class T>                                                                       \
  using require_##NAME##_t = require_t<TRAIT<std::remove_cvref_t<T>>>;                     \
  template <class T>                                                                       \
  using require_not_##NAME##_t = require_not_t<TRAIT<std::remove_cvref_t<T>>>;             \
  template <class... Ts>                                                                   \
  using require_all_##NAME##_t = require_all_t<TRAIT<std::remove_cvref_t<Ts>>...>;         \
  template <class... Ts>                                                                   \
  using require_any_##NAME##_t = require_any_t<TRAIT<std::remove_cvref_t<Ts>>...>;         \
  template <class... Ts>                                                                   \
  using require_all_not_##NAME##_t = require_all_not_t<TRAIT<std::remove_cvref_t<Ts>>...>; \
  template <class... Ts>                                                                   \
  using require_any_not_##NAME##_t = require_any_not_t<TRAIT<std::remove_cvref_t<Ts>>...>;
FUSECL_REQUIREMENTS(FUSECL_REQUIRE)
#undef FUSECL_REQUIRE
#undef FUSECL_REQUIREMENTS

/// The names that two of these have in the plural.
template <class... Ts>
using require_all_kernel_expressions_t = require_all_kernel_expression_t<Ts...>;
template <class... Ts>
using require_all_kernel_expressions_and_none_scalar_t =
    require_all_t<is_kernel_expression_and_not_scalar<Ts>...>;

/// Traits as numbers.
template <class T>
inline constexpr bool is_var_v = is_var<T>::value;
template <class T>
inline constexpr bool is_stan_scalar_v = is_stan_scalar<T>::value;
template <class T>
inline constexpr bool is_constant_v = is_constant<T>::value;
template <class... Ts>
inline constexpr bool is_constant_all_v = is_constant_all<Ts...>::value;

namespace detail {

/// Numbers, and what else has no elements.
template <class Number, class T>
struct promoted_scalar {
  using type = Number;
};
template <class Number, class T>
struct promoted_scalar<Number, std::vector<T>> {
  using type = std::vector<typename promoted_scalar<Number, T>::type>;
};
template <class Number, eigen_like T>
struct promoted_scalar<Number, T> {
  template <template <class, int, int, int, int, int> class Kind>
  using with =
      Kind<typename promoted_scalar<Number, typename T::Scalar>::type, T::RowsAtCompileTime,
           T::ColsAtCompileTime, plain_type_t<T>::Options, T::MaxRowsAtCompileTime, T::MaxColsAtCompileTime>;
  using type = std::conditional_t<array_of_eigen<T>, with<Eigen::Array>, with<Eigen::Matrix>>;
};
template <class Number, expression_like T>
requires is_sized_expression<T>
struct promoted_scalar<Number, T> {
  using type = matrix_cl<Number>;
};
/// A variable is of the element's type where that is a floating one.
template <expression_like T>
requires is_sized_expression<T>
struct promoted_scalar<var, T> {
  using element_type = value_type_of<T>;
  using type =
      var_value<matrix_cl<std::conditional_t<std::is_floating_point_v<element_type>, element_type, double>>>;
};

/// Whether a size at compile time leaves one open or is the same.
constexpr bool admits(int assumed, int actual) { return assumed == Eigen::Dynamic || assumed == actual; }
/// Whether a value of type `Actual` can be what is assumed of it.
template <class Assumed, class Actual>
inline constexpr bool may_be_assumed = std::is_same_v<Assumed, Actual>;
template <eigen_like Assumed, eigen_like Actual>
inline constexpr bool may_be_assumed<Assumed, Actual> =
    std::is_same_v<typename Assumed::Scalar, typename Actual::Scalar>&& admits(Assumed::RowsAtCompileTime,
                                                                               Actual::RowsAtCompileTime) &&
    admits(Assumed::ColsAtCompileTime, Actual::ColsAtCompileTime);
template <class Assumed>
[[noreturn]] Assumed refuse_assumed() {
  throw std::runtime_error("forward_as: the value is of another type than the one that is assumed");
}

}  // namespace detail

/// The type of `T` with numbers, elements or variables of type `Number`: `promote_scalar_t<var,
/// matrix_cl<double>>` is `var_value<matrix_cl<double>>`.
template <class Number, class T>
using promote_scalar_t =
    typename detail::promoted_scalar<std::remove_cvref_t<Number>, std::remove_cvref_t<T>>::type;
/// The type of a variable that has values of type `T`.
template <class T, class... Arguments>
using return_var_matrix_t = promote_scalar_t<var, plain_type_t<T>>;

/// `x` itself, where `Assumed` is its type, or one of Eigen's with the same elements and no other size. Else
/// it throws std::runtime_error: for branches that are compiled and never taken.
template <class Assumed, class Actual>
decltype(auto) forward_as(Actual&& x) {
  if constexpr (detail::may_be_assumed<std::remove_cvref_t<Assumed>, std::remove_cvref_t<Actual>>)
    return std::forward<Actual>(x);
  else
    return detail::refuse_assumed<Assumed>();
}

}  // namespace fusecl
