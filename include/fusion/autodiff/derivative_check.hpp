#pragma once
// Finds, when a statement with derivatives is compiled, user functions without derivatives in it.

#include <fusion/expr/opencl_code.hpp>
#include <fusion/expr/user_leaf.hpp>

namespace fusecl::detail {

/// Whether a node of type E may depend on variables whose leaves have the types given.
template <class E, class... Leaves>
struct varies;
template <class Children, class... Leaves>
struct any_varies;
template <class... Children, class... Leaves>
struct any_varies<types<Children...>, Leaves...>
    : std::bool_constant<(varies<Children, Leaves...>::value || ...)> {};
template <class E, class... Leaves>
struct varies
    : std::bool_constant<is_floating(E::type) && !std::is_same_v<typename E::operation, op::stop_gradient> &&
                         ((std::is_same_v<E, Leaves> || ...) ||
                          any_varies<typename E::operand_types, Leaves...>::value)> {};

template <class Function, bool HasDerivatives>
struct derivatives_of {
  static_assert(HasDerivatives,
                "this user function has no derivatives: give its class a static function `derivatives` that "
                "returns one expression per parameter, or wrap what needs none in stop_gradient(...)");
  static constexpr bool known = HasDerivatives;
};

template <class Op>
struct differentiable : std::true_type {};
template <class F>
struct differentiable<user_operation<F>>
    : std::bool_constant<derivatives_of<F, user_operation<F>::has_derivatives>::known> {};

template <class F>
struct differentiable<leaf_operation<F>> : std::true_type {
  static_assert(leaf_operation<F>::has_derivatives,
                "this leaf has no derivatives: give its class a static function `pullback` that returns one "
                "expression per operand, or wrap what needs none in stop_gradient(...)");
};

template <class... As>
struct differentiable<opencl_code_operation<As...>> : std::true_type {
  static_assert(
      sizeof...(As) == 0,
      "what opencl_code makes has no derivatives: write a user_function with `derivatives`, or wrap "
      "the output in stop_gradient(...)");
};

template <class E, class... Leaves>
constexpr bool check_derivatives();
template <class... Leaves, class... Children>
constexpr bool check_children(types<Children...>) {
  return (check_derivatives<Children, Leaves...>() && ... && true);
}
/// Does not compile where a variable reaches a user function without derivatives; else true.
template <class E, class... Leaves>
constexpr bool check_derivatives() {
  if constexpr (!varies<E, Leaves...>::value)
    return true;
  else
    return differentiable<typename E::operation>::value &&
           check_children<Leaves...>(typename E::operand_types{});
}
/// The same for a gradient, which needs an expression of floating-point numbers besides. Asked for before
/// anything else of a statement is compiled, so that one message is all that the compiler says.
template <class E, class... Leaves>
constexpr bool check_gradient_of() {
  static_assert(is_floating(E::type), "value_and_gradient needs a floating-point expression");
  if constexpr (is_floating(E::type))
    return check_derivatives<E, Leaves...>();
  else
    return false;
}

}  // namespace fusecl::detail
