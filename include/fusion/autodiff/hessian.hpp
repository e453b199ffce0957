#pragma once
// Products of the Hessian with a direction: the graph of the gradient, differentiated once more along it.

#include <array>

#include <fusion/autodiff/value_and_gradient.hpp>
#include <fusion/base/list_of.hpp>

namespace fusecl {
namespace detail {

/// Evaluates the value, one derivative per variable and one product per variable into the slots of `s`, in
/// this order. `directions` are matrices of the variables' sizes.
void evaluate_hessian_product(const statement& s, binder& bound, const gradient_variable* variables,
                              const matrix_operand* directions, std::size_t count);

/// Throws std::invalid_argument unless the direction given for variable number `place` of wrt(...), counted
/// from 1, has that variable's size.
void check_direction(std::size_t place, const matrix_base& variable, const matrix_base& direction);

/// Tag of the statements that compute products with a Hessian.
struct hessian_tag {};

/// A direction on the device: a matrix as it is, a number as 1 x 1 of the variable's type, an Eigen object
/// as a copy of that type.
template <class Variable, element T>
const matrix_cl<T>& direction_matrix(const matrix_cl<T>& m) {
  return m;
}
template <class Variable, class Number>
requires std::is_arithmetic_v<Number>
auto direction_matrix(const Number& number) {
  using own = decltype(gradient_like(std::declval<const Variable&>()));
  return own(static_cast<typename own::value_type>(number));
}

template <class Variable, class Host>
requires host_matrix<Host>
auto direction_matrix(const Host& host) {
  return decltype(gradient_like(std::declval<const Variable&>()))(host);
}

template <class T>
inline constexpr bool is_direction = is_matrix_cl<T>::value || std::is_arithmetic_v<T> || host_matrix<T>;

template <element T>
matrix_operand as_direction(const matrix_cl<T>& m) {
  return operand_of(m, scalar_type_v<T>);
}

}  // namespace detail

/// A value, its gradient and the product of its Hessian with a direction, on the device.
template <class T, class Gradients>
struct value_with_hessian_product {
  T value;
  Gradients gradient;
  Gradients product;
};

/// The value of `e`, a scalar expression or one with a single element, its gradient, and its Hessian times
/// the direction given by one matrix, on the device or of Eigen, per variable (or a number where it has one
/// element), in one statement with one wait. Directions of a variable that is named twice add up. Throws
/// std::invalid_argument where a direction has not its variable's size, `e` has more elements or does not use
/// a variable that is not optional, or an operation has no second derivative.
template <node E, class... Variables, class... Directions>
auto hessian_times_vector(const E& e, const variable_list<Variables...>& variables,
                          const Directions&... directions) {
  constexpr bool as_many = sizeof...(Variables) == sizeof...(Directions);
  constexpr bool known = (detail::is_direction<Directions> && ...);
  static_assert(is_floating(E::type), "hessian_times_vector needs a floating-point expression");
  static_assert(as_many, "hessian_times_vector: one direction per variable of wrt(...)");
  static_assert(known, "hessian_times_vector: directions are matrices (matrix_cl or Eigen) and numbers");
  static_assert(detail::check_derivatives<E, node_of<const Variables&>...>());
  if constexpr (!is_floating(E::type) || !as_many || !known)
    return;
  else
    return std::apply(
        [&](const auto&... each) {
          detail::check_number("hessian_times_vector", e);
          using Gradients = std::tuple<decltype(detail::gradient_like(each))...>;
          value_with_hessian_product<value_type_of<E>, Gradients> result{
              {}, {detail::gradient_like(each)...}, {detail::gradient_like(each)...}};
          const std::tuple<decltype(detail::direction_matrix<Variables>(directions))...> moves{
              detail::direction_matrix<Variables>(directions)...};
          const auto check_all = [&](const auto&... move) {
            std::size_t place = 0;
            (detail::check_direction(++place, detail::gradient_like(each), move), ...);
          };
          std::apply(check_all, moves);
          matrix_cl<value_type_of<E>> value(1, 1);
          list_of<detail::result_slot> slots{{&value, E::type, 1, 1, "the value"}};
          slots[0].awaited = true;
          const auto add_slots = [&]<class... Targets>(Targets&... targets) {
            (slots.push_back({&targets, Targets::leaf_type, targets.rows(), targets.cols(), "a derivative"}),
             ...);
          };
          std::apply(add_slots, result.gradient);
          std::apply(add_slots, result.product);
          const void* expressions[] = {&e};
          std::size_t k = 0;
          const detail::gradient_variable list[] = {detail::as_variable(each, variables.optional[k++])...,
                                                    {}};
          const auto operands = [](const auto&... move) {
            return std::array<matrix_operand, sizeof...(Variables) + 1>{detail::as_direction(move)..., {}};
          };
          const auto along = std::apply(operands, moves);
          binder bound;
          const detail::scope_of_variables scope(list, sizeof...(Variables));
          bound.differentiate_by(scope);
          e.gather(bound);
          detail::evaluate_hessian_product(
              {&detail::type_of_statement<detail::hessian_tag, variable_list<Variables...>, E>, expressions,
               detail::lower_nth<E>, slots.data(), slots.size()},
              bound, list, along.data(), sizeof...(Variables));
          result.value = 1;  // what numbers are while statements are only prepared
          if (!detail::preparing)
            runtime::this_thread_queue().read(*value.storage(), 0, sizeof result.value, &result.value);
          return result;
        },
        variables.list);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/hessian.ipp>
#endif
