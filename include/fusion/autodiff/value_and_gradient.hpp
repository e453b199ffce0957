#pragma once
// The value of a scalar expression and its derivatives in one statement, without a tape: what optimisers and
// samplers call.

#include <string>
#include <tuple>
#include <utility>

#include <fusion/autodiff/derivative_check.hpp>
#include <fusion/autodiff/gradient_target.hpp>
#include <fusion/autodiff/parameter.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/numbers.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {

struct explanation;

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

/// One variable of a gradient: a matrix by its memory, sizes and element type, or a scalar by its identity.
struct gradient_variable {
  const matrix_base* matrix = nullptr;
  const void* scalar = nullptr;
  scalar_type type = scalar_type::float64;
  bool optional = false;
};

/// What derivatives by the variables are taken by. Refers to nothing but itself.
class scope_of_variables {
 public:
  scope_of_variables(const gradient_variable* variables, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      identities_.push_back(variables[k].matrix ? variables[k].matrix->storage().get() : variables[k].scalar);
  }
  operator derivative_scope() const { return {identities_.data(), identities_.size()}; }

 private:
  small_buffer<const void*, 16> identities_;
};

/// Evaluates `value` and one derivative per variable into `slots` (the value's first) in one statement. Slots
/// of optional variables that the expression does not use are filled with zeros.
void evaluate_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                       std::size_t count);
/// Builds what that needs.
void prepare_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                      std::size_t count);
/// The kernels that would do so.
std::string source_of_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                               std::size_t count);
/// What the compiler makes of it.
explanation explain_gradient(const statement& s, binder& bound, const gradient_variable* variables,
                             std::size_t count);
/// Throws std::invalid_argument unless an expression of this size is one number.
void check_one_element(const char* function, std::int64_t rows, std::int64_t cols);
/// Throws std::invalid_argument where two derivatives would be written to the same memory.
void check_distinct(const gradient_place* places, std::size_t count);

template <element T>
gradient_variable as_variable(const matrix_cl<T>& m, bool optional) {
  return {&m, nullptr, scalar_type_v<T>, optional};
}
template <scalar_value T>
gradient_variable as_variable(const parameter<T>& p, bool optional) {
  return {nullptr, p.identity(), scalar_type_v<T>, optional};
}
template <element T>
matrix_cl<T> gradient_like(const matrix_cl<T>& m) {
  return {m.rows(), m.cols()};
}
template <scalar_value T>
matrix_cl<T> gradient_like(const parameter<T>&) {
  return {1, 1};
}

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

template <class E>
void check_number(const char* function, const E& e) {
  if constexpr (!E::is_scalar) check_one_element(function, e.rows(), e.cols());
}

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
  static_assert(known,
                "wrt takes matrices (matrix_cl) and parameters; evaluate an expression into a matrix first");
  static_assert(continuous,
                "wrt takes matrices and parameters of double or float: by integers there is no derivative");
  if constexpr (known && continuous)
    return variable_list<detail::variable_type<Variables>...>{std::tie(detail::variable_in(variables)...),
                                                              {detail::is_optional<Variables>..., false}};
  else
    return variable_list<>{};
}

/// A value and the derivatives with respect to the variables, in their order, on the device. The derivative
/// of a parameter is 1 x 1.
template <class T, class... Gradients>
struct value_with_gradient {
  T value;
  std::tuple<Gradients...> gradient;
};

/// Writes the gradient of `e`, a scalar expression or one with a single element, into `gradients` and returns
/// its value, waiting once. Each of `gradients` is a matrix_cl, or a host_gradient or host_gradient_part that
/// is filled before this returns. The domain is walked once for the value and all derivatives that have its
/// shape. All uses of a variable count, whatever the view. Throws std::invalid_argument where `e` has more
/// elements or does not use a variable that is not optional, an operation has no derivative, a host gradient
/// of fixed size does not fit, or two gradients share memory.
template <node E, class... Variables, class... Gradients>
value_type_of<E> value_and_gradient_into(const E& e, const variable_list<Variables...>& variables,
                                         Gradients&&... gradients) {
  constexpr std::size_t count = sizeof...(Variables);
  constexpr bool destinations = (gradient_destination<std::remove_reference_t<Gradients>> && ...);
  static_assert(is_floating(E::type), "value_and_gradient needs a floating-point expression");
  static_assert(count == sizeof...(Gradients),
                "value_and_gradient_into: one gradient per variable of wrt(...)");
  static_assert(destinations,
                "value_and_gradient_into writes to matrices (matrix_cl) of double or float, to numbers, "
                "std::vectors and Eigen objects of double or float");
  static_assert(detail::check_derivatives<E, node_of<const Variables&>...>());
  if constexpr (!is_floating(E::type) || count != sizeof...(Gradients) || !destinations)
    return {};
  else
    return std::apply(
        [&](const auto&... each) {
          detail::check_number("value_and_gradient", e);
          const void* expressions[] = {&e};
          std::size_t k = 0;
          const detail::gradient_variable list[] = {detail::as_variable(each, variables.optional[k++])...,
                                                    {}};
          std::tuple<detail::gradient_target<std::remove_reference_t<Gradients>>...> targets{
              detail::gradient_target<std::remove_reference_t<Gradients>>(
                  gradients, detail::gradient_like(each).rows(), detail::gradient_like(each).cols())...};
          return std::apply(
              [&]<class... Target>(Target&... target) {
                if constexpr (count > 1) {
                  const detail::gradient_place places[] = {target.place()...};
                  detail::check_distinct(places, count);
                }
                // the value and what goes to numbers of the host come back together
                detail::shared_numbers numbers;
                numbers.take(1 + (std::size_t{0} + ... + Target::is_number));
                std::size_t number = 0;
                detail::result_slot slots[] = {
                    numbers.slot(number++, E::type, "the value"),
                    Target::is_number
                        ? numbers.slot(number++, Target::matrix::leaf_type, "a gradient")
                        : detail::result_slot{&target.on_device(), Target::matrix::leaf_type,
                                              detail::gradient_like(each).rows(),
                                              detail::gradient_like(each).cols(), "a gradient"}...};
                binder bound;
                const detail::scope_of_variables scope(list, count);
                bound.differentiate_by(scope);
                e.gather(bound);
                detail::evaluate_gradient(
                    {&detail::type_of_statement<variable_list<Variables...>, E, typename Target::matrix...>,
                     expressions, detail::lower_nth<E>, slots, count + 1},
                    bound, list, count);
                const runtime::pending_reads into_targets;
                (target.read_later(), ...);
                double host = 0, of_targets[count + 1] = {};
                detail::number_reader reader;
                reader.request(numbers.at(0, E::type, host));
                number = 0;
                ((Target::is_number ? (++number, reader.request(numbers.at(number, Target::matrix::leaf_type,
                                                                           of_targets[number])))
                                    : void()),
                 ...);
                reader.complete();
                number = 1;
                (target.complete(of_targets[number], number), ...);
                return static_cast<value_type_of<E>>(host);
              },
              targets);
        },
        variables.list);
}

/// As above, with new matrices for the gradients.
template <node E, class... Variables>
auto value_and_gradient(const E& e, const variable_list<Variables...>& variables) {
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

/// Refused: the variables stand in wrt.
template <node E, class... Variables>
requires(detail::is_variable<Variables>&&...) detail::refused
    value_and_gradient(const E&, const Variables&...) {
  static_assert(sizeof(E) == 0,
                "the variables of a gradient are named in wrt: value_and_gradient(e, wrt(a, b))");
  return {};
}

namespace detail {

/// Does `action` with the statement of `value_and_gradient(e, variables)`.
template <node E, class... Variables, class Result>
Result with_gradient_statement(const E& e, const variable_list<Variables...>& variables,
                               Result (*action)(const statement&, binder&, const gradient_variable*,
                                                std::size_t)) {
  static_assert(is_floating(E::type), "a gradient needs a floating-point expression");
  static_assert(check_derivatives<E, node_of<const Variables&>...>());
  check_number("value_and_gradient", e);
  return std::apply(
      [&](const auto&... each) {
        matrix_cl<value_type_of<E>> value(1, 1);
        std::tuple<decltype(gradient_like(each))...> gradients{gradient_like(each)...};
        const void* expressions[] = {&e};
        std::size_t k = 0;
        const gradient_variable list[] = {as_variable(each, variables.optional[k++])..., {}};
        return std::apply(
            [&]<class... Gradients>(Gradients&... targets) {
              result_slot slots[] = {
                  {&value, E::type, 1, 1, "the value"},
                  {&targets, Gradients::leaf_type, targets.rows(), targets.cols(), "a gradient"}...};
              binder bound;
              const scope_of_variables scope(list, sizeof...(Variables));
              bound.differentiate_by(scope);
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
std::string gradient_kernel_source(const E& e, const variable_list<Variables...>& variables) {
  return detail::with_gradient_statement(e, variables, detail::source_of_gradient);
}

/// Builds what `value_and_gradient(e, variables)` needs, without running.
template <node E, class... Variables>
void prepare(const E& e, const variable_list<Variables...>& variables) {
  detail::with_gradient_statement(e, variables, detail::prepare_gradient);
}

/// Explains `value_and_gradient(e, variables)` as explain(e) does the value; include <fusion/fusion.hpp>.
template <class Explanation = explanation, node E, class... Variables>
Explanation explain(const E& e, const variable_list<Variables...>& variables) {
  return detail::with_gradient_statement(e, variables, detail::explain_gradient);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/value_and_gradient.ipp>
#endif
