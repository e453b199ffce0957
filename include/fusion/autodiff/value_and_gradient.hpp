#pragma once
// The value of a scalar expression and its derivatives in one statement, without a tape: what optimisers and
// samplers call.

#include <string>
#include <tuple>

#include <fusion/autodiff/derivative_check.hpp>
#include <fusion/autodiff/gradient_target.hpp>
#include <fusion/autodiff/parameter.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {
namespace detail {

/// One variable of a gradient: a matrix by its memory or a scalar by its identity.
struct gradient_variable {
  const matrix_base* matrix = nullptr;
  const void* scalar = nullptr;
};

/// Evaluates `value` and one derivative per variable into `slots` (the value's first) in one statement. Slots
/// of variables that the expression does not use are filled with zeros.
void evaluate_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                       std::size_t count);
/// Builds what that needs.
void prepare_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                      std::size_t count);
/// The kernels that would do so.
std::string source_of_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                               std::size_t count);

template <element T>
gradient_variable as_variable(const matrix_cl<T>& m) {
  return {&m, nullptr};
}
template <scalar_value T>
gradient_variable as_variable(const parameter<T>& p) {
  return {nullptr, p.identity()};
}
template <element T>
matrix_cl<T> gradient_like(const matrix_cl<T>& m) {
  return {m.rows(), m.cols()};
}
template <scalar_value T>
matrix_cl<T> gradient_like(const parameter<T>&) {
  return {1, 1};
}

}  // namespace detail

template <class T>
inline constexpr bool is_parameter = false;
template <scalar_value T>
inline constexpr bool is_parameter<parameter<T>> = true;

/// The variables of a gradient. Made by `wrt`.
template <class... Variables>
struct variable_list {
  std::tuple<const Variables&...> list;
};

/// Names the variables to differentiate with respect to: matrices and parameters.
template <class... Variables>
variable_list<Variables...> wrt(const Variables&... variables) {
  static_assert(((is_matrix_cl<Variables>::value || is_parameter<Variables>)&&...),
                "wrt takes matrices (matrix_cl) and parameters; evaluate an expression into a matrix first");
  return {std::tie(variables...)};
}

/// A value and the derivatives with respect to the variables, in their order, on the device. The derivative
/// of a parameter is 1 x 1.
template <class T, class... Gradients>
struct value_with_gradient {
  T value;
  std::tuple<Gradients...> gradient;
};

/// Writes the gradient of the scalar expression `e` into `gradients` and returns its value, waiting once.
/// Each of `gradients` is a matrix_cl, or a host_gradient or host_gradient_part that is filled before this
/// returns. The domain is walked once for the value and all derivatives that have its shape. Variables that
/// `e` does not use get zeros. Throws std::invalid_argument where an operation has no derivative or a host
/// gradient of fixed size does not fit.
template <node E, class... Variables, class... Gradients>
requires(E::is_scalar && sizeof...(Variables) == sizeof...(Gradients) &&
         (gradient_destination<std::remove_reference_t<Gradients>> &&
          ...)) value_type_of<E> value_and_gradient_into(const E& e,
                                                         const variable_list<Variables...>& variables,
                                                         Gradients&&... gradients) {
  static_assert(is_floating(E::type), "value_and_gradient needs a floating-point expression");
  static_assert(detail::check_derivatives<E, node_of<const Variables&>...>());
  matrix_cl<value_type_of<E>> value(1, 1);
  const void* expressions[] = {&e};
  constexpr std::size_t count = sizeof...(Variables);
  return std::apply(
      [&](const auto&... each) {
        const detail::gradient_variable list[] = {detail::as_variable(each)..., {}};
        std::tuple<detail::gradient_target<std::remove_reference_t<Gradients>>...> targets{
            detail::gradient_target<std::remove_reference_t<Gradients>>(
                gradients, detail::gradient_like(each).rows(), detail::gradient_like(each).cols())...};
        return std::apply(
            [&]<class... Target>(Target&... target) {
              detail::result_slot slots[] = {
                  {&value, E::type, 1, 1, "the value"},
                  {&target.on_device(), Target::matrix::leaf_type, detail::gradient_like(each).rows(),
                   detail::gradient_like(each).cols(), "a gradient"}...};
              binder bound;
              e.gather(bound);
              detail::evaluate_gradient(
                  {&detail::type_of_statement<variable_list<Variables...>, E, typename Target::matrix...>,
                   expressions, detail::lower_nth<E>, slots, count + 1},
                  bound, list, count);
              const runtime::pending_reads into_targets;
              (target.read_later(), ...);
              value_type_of<E> host{};
              runtime::this_thread_queue().read(*value.storage(), 0, sizeof host, &host);
              (target.complete(), ...);
              return host;
            },
            targets);
      },
      variables.list);
}

/// As above, with new matrices for the gradients.
template <node E, class... Variables>
requires(E::is_scalar) auto value_and_gradient(const E& e, const variable_list<Variables...>& variables) {
  return std::apply(
      [&](const auto&... each) {
        value_with_gradient<value_type_of<E>, decltype(detail::gradient_like(each))...> result{
            {}, {detail::gradient_like(each)...}};
        result.value = std::apply(
            [&](auto&... gradients) { return value_and_gradient_into(e, variables, gradients...); },
            result.gradient);
        return result;
      },
      variables.list);
}

namespace detail {

/// Does `action` with the statement of `value_and_gradient(e, variables)`.
template <node E, class... Variables, class Result>
Result with_gradient_statement(const E& e, const variable_list<Variables...>& variables,
                               Result (*action)(const statement&, binder&, const gradient_variable*,
                                                std::size_t)) {
  static_assert(is_floating(E::type), "a gradient needs a floating-point expression");
  static_assert(check_derivatives<E, node_of<const Variables&>...>());
  return std::apply(
      [&](const auto&... each) {
        matrix_cl<value_type_of<E>> value(1, 1);
        std::tuple<decltype(gradient_like(each))...> gradients{gradient_like(each)...};
        const void* expressions[] = {&e};
        const gradient_variable list[] = {as_variable(each)..., {}};
        return std::apply(
            [&]<class... Gradients>(Gradients&... targets) {
              result_slot slots[] = {
                  {&value, E::type, 1, 1, "the value"},
                  {&targets, Gradients::leaf_type, targets.rows(), targets.cols(), "a gradient"}...};
              binder bound;
              e.gather(bound);
              return action({&type_of_statement<variable_list<Variables...>, E, Gradients...>, expressions,
                             lower_nth<E>, slots, sizeof...(Variables) + 1},
                            bound, list, sizeof...(Variables));
            },
            gradients);
      },
      variables.list);
}

}  // namespace detail

/// The OpenCL C text of the kernels that `value_and_gradient` runs.
template <node E, class... Variables>
requires(E::is_scalar) std::string
    gradient_kernel_source(const E& e, const variable_list<Variables...>& variables) {
  return detail::with_gradient_statement(e, variables, detail::source_of_gradient);
}

/// Builds what `value_and_gradient(e, variables)` needs, without running.
template <node E, class... Variables>
requires(E::is_scalar) void prepare(const E& e, const variable_list<Variables...>& variables) {
  detail::with_gradient_statement(e, variables, detail::prepare_gradient);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/value_and_gradient.ipp>
#endif
