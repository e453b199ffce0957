#pragma once
// The value of a scalar expression and its derivatives in one statement, without a tape: what optimisers and
// samplers call.

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include <fusion/autodiff/derivative_check.hpp>
#include <fusion/autodiff/gradient_target.hpp>
#include <fusion/autodiff/wrt.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/eval/checked.hpp>
#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/numbers.hpp>
#include <fusion/matrix/matrix_cl.hpp>
#include <fusion/runtime/kept_failures.hpp>

namespace fusecl {

struct explanation;

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

template <class E>
void check_number(const char* function, const E& e) {
  if constexpr (!E::is_scalar) check_one_element(function, e.rows(), e.cols());
}

}  // namespace detail

/// A value and the derivatives with respect to the variables, in their order, on the device. The derivative
/// of a parameter is 1 x 1.
template <class T, class... Gradients>
struct value_with_gradient {
  T value;
  std::tuple<Gradients...> gradient;
};

namespace detail {

/// A scalar expression as it is or with checks, or a parameter alone.
template <class E>
inline constexpr bool has_checks = false;
template <node E>
inline constexpr bool has_checks<checked_expression<E>> = true;
template <class E>
concept gradient_expression = node<E> || has_checks<E> || is_parameter<E>;
template <node E>
const E& value_in(const E& e) {
  return e;
}
template <node E>
const E& value_in(const checked_expression<E>& e) {
  return e.expression();
}
template <scalar_value T>
auto value_in(const parameter<T>& p) {
  return as_operation_cl(p);
}
/// The checks that are computed. Throws where one is known to fail.
template <gradient_expression E>
list_of<check> checks_in(const E& e) {
  if constexpr (has_checks<E>) {
    e.checks().throw_if_known();
    return e.checks().computed();
  } else {
    return {};
  }
}
template <gradient_expression E>
using value_node = std::remove_cvref_t<decltype(value_in(std::declval<const E&>()))>;

/// Tag of the statements that compute checks beside a gradient.
struct checked_gradient_tag {};
template <class E, class List, class... Gradients>
statement_type* gradient_type(bool checked) {
  return checked ? &type_of_statement<checked_gradient_tag, List, E, Gradients...>
                 : &type_of_statement<List, E, Gradients...>;
}

/// The expressions of a value and of the first check that fails.
template <node E>
ir::node_id lower_value_or_check(const void* const* expressions, std::size_t k, lowering& low) {
  return k == 0 ? lower_one<E>(expressions[0], low) : lower_one<first_failed>(expressions[1], low);
}

/// Number of the check among the numbers of a statement; the value is number 0, and those between are
/// derivatives.
template <class... Targets>
inline constexpr std::size_t number_of_check = (std::size_t{1} + ... + Targets::is_number);

/// Does `action` with the statement of the value of `e`, its derivatives, which go to `targets`, and the
/// checks, where there are any. Its numbers go to `numbers`.
template <node E, class... Variables, class... Targets, class Result>
Result with_gradient_statement(const E& e, const list_of<check>& checks,
                               const variable_list<Variables...>& variables,
                               Result (*action)(const statement&, binder&, const gradient_variable*,
                                                std::size_t),
                               shared_numbers& numbers, Targets&... targets) {
  constexpr std::size_t count = sizeof...(Variables), last = number_of_check<Targets...>;
  const bool checked = !checks.empty();
  numbers.take(last + checked);
  std::size_t next = 0;
  result_slot slots[] = {numbers.slot(next++, E::type, "the value"), targets.slot(numbers, next)...,
                         numbers.slot(last, first_failed::type, "a check")};
  const auto list = std::apply(
      [&](const auto&... each) {
        std::size_t k = 0;
        return std::array<gradient_variable, count + 1>{as_variable(each, variables.optional[k++])..., {}};
      },
      variables.list);
  const first_failed numbered(checks);
  const void* expressions[] = {&e, &numbered};
  binder bound;
  const scope_of_variables scope(list.data(), count);
  bound.differentiate_by(scope);
  e.gather(bound);
  if (checked) numbered.gather(bound);
  return action({gradient_type<E, variable_list<Variables...>, typename Targets::matrix...>(checked),
                 expressions, lower_value_or_check<E>, slots, count + (checked ? 2 : 1)},
                bound, list.data(), count);
}

/// Writes the gradient of `e` into `gradients` and returns its value, where the checks hold.
template <template <class> class TargetOf, node E, class... Variables, class... Gradients>
value_type_of<E> gradient_into(const E& e, const list_of<check>& checks,
                               const variable_list<Variables...>& variables, Gradients&... gradients) {
  check_number("value_and_gradient", e);
  const auto into = [&](auto&... targets) {
    constexpr std::size_t count = sizeof...(Variables);
    if constexpr (count > 1) {
      const gradient_place places[] = {targets.place()...};
      check_distinct(places, count);
    }
    shared_numbers numbers;
    runtime::kept_failures others;
    with_gradient_statement(e, checks, variables, evaluate_gradient, numbers, targets...);
    const runtime::pending_reads into_targets;
    double value = 0, failed = 0;
    number_reader reader;
    reader.request(numbers.at(0, E::type, value));
    (targets.request(numbers, reader), ...);
    if (!checks.empty())
      reader.request(numbers.at(number_of_check<std::remove_reference_t<decltype(targets)>...>,
                                first_failed::type, failed));
    reader.complete();
    if (!preparing) throw_if_failed(checks, static_cast<int>(failed));
    others.tell();
    (targets.complete(), ...);
    return static_cast<value_type_of<E>>(value);
  };
  return std::apply(
      [&](const auto&... each) {
        std::size_t number = 0;
        std::tuple<TargetOf<Gradients>...> targets{
            TargetOf<Gradients>(gradients, gradient_like(each).rows(), gradient_like(each).cols(),
                                name_of_variable(number, sizeof...(each)))...};
        return std::apply(into, targets);
      },
      variables.list);
}

}  // namespace detail

/// Writes the gradient of `e`, a scalar expression or one with a single element, into `gradients` and returns
/// its value, waiting once. Where `e` is checked(...) its checks belong to the same statement and the same
/// wait; where one fails std::domain_error is thrown and `gradients` are as they were. Each of `gradients` is
/// a matrix_cl, or a host_gradient or host_gradient_part that is filled before this returns. The domain is
/// walked once for the value and all derivatives that have its shape. All uses of a variable count, whatever
/// the view. Throws std::invalid_argument where `e` has more elements or does not use a variable that is not
/// optional, an operation has no derivative, a host gradient of fixed size does not fit, or two gradients
/// share memory.
template <detail::gradient_expression E, class... Variables, class... Gradients>
auto value_and_gradient_into(const E& e, const variable_list<Variables...>& variables,
                             Gradients&&... gradients) -> value_type_of<detail::value_node<E>> {
  using Value = detail::value_node<E>;
  constexpr bool as_many = sizeof...(Variables) == sizeof...(Gradients);
  constexpr bool destinations = (gradient_destination<std::remove_reference_t<Gradients>> && ...) &&
                                !(std::is_arithmetic_v<Gradients> || ...);  // a number that goes away
  constexpr bool derivable = detail::check_gradient_of<Value, node_of<const Variables&>...>();
  static_assert(as_many, "value_and_gradient_into: one gradient per variable of wrt(...)");
  static_assert(
      destinations,
      "value_and_gradient_into writes to matrices (matrix_cl) of double or float, to variables that are "
      "numbers, std::vectors and Eigen objects of double or float, and not const");
  if constexpr (!derivable || !as_many || !destinations)
    return {};
  else if constexpr (detail::has_checks<E>)
    return detail::gradient_into<detail::checked_gradient_target>(detail::value_in(e), detail::checks_in(e),
                                                                  variables, gradients...);
  else
    return detail::gradient_into<detail::gradient_target>(detail::value_in(e), {}, variables, gradients...);
}

/// As above, with new matrices for the gradients.
template <detail::gradient_expression E, class... Variables>
auto value_and_gradient(const E& e, const variable_list<Variables...>& variables) {
  using Value = detail::value_node<E>;
  using Result = value_with_gradient<value_type_of<Value>,
                                     decltype(detail::gradient_like(std::declval<const Variables&>()))...>;
  Result result;
  if constexpr (detail::check_gradient_of<Value, node_of<const Variables&>...>()) {
    result.gradient = std::apply(
        [](const auto&... each) { return std::tuple(detail::gradient_like(each)...); }, variables.list);
    result.value =
        std::apply([&](auto&... gradients) { return value_and_gradient_into(e, variables, gradients...); },
                   result.gradient);
  }
  return result;
}

/// Refused: a matrix is no value to differentiate.
template <element T, class... Variables>
detail::refused value_and_gradient(const matrix_cl<T>&, const variable_list<Variables...>&) {
  static_assert(sizeof(T) == 0,
                "value_and_gradient takes a scalar expression of the variables, as in "
                "value_and_gradient(sum(square(a)), wrt(a))");
  return {};
}
/// Refused: a number has no derivative any more.
template <class Number, class... Variables>
requires std::is_arithmetic_v<Number> detail::refused value_and_gradient(const Number&,
                                                                         const variable_list<Variables...>&) {
  static_assert(
      sizeof(Number) == 0,
      "value_and_gradient takes an expression of the variables, and this is a number: densities such "
      "as normal_lpdf(b, 0, 1), elements such as v(i) and double(sum(v)) are evaluated where they are "
      "called; write their formula, as in -0.5 * dot_self(b), or differentiate them on the tape");
  return {};
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

/// Does `action` with the statement of `value_and_gradient(e, variables)`, which is not run.
template <gradient_expression G, class... Variables, class Result>
Result look_at_gradient(const G& given, const variable_list<Variables...>& variables,
                        Result (*action)(const statement&, binder&, const gradient_variable*, std::size_t)) {
  using E = value_node<G>;
  static_assert(check_gradient_of<E, node_of<const Variables&>...>());
  const E& e = value_in(given);
  const list_of<check> checks = checks_in(given);
  check_number("value_and_gradient", e);
  return std::apply(
      [&](const auto&... each) {
        std::tuple<decltype(gradient_like(each))...> gradients{gradient_like(each)...};
        shared_numbers numbers;
        return std::apply(
            [&]<class... Gradients>(Gradients&... own) {
              std::tuple<gradient_target<Gradients>...> targets{
                  gradient_target<Gradients>(own, own.rows(), own.cols())...};
              return std::apply(
                  [&](auto&... to) {
                    return with_gradient_statement(e, checks, variables, action, numbers, to...);
                  },
                  targets);
            },
            gradients);
      },
      variables.list);
}

}  // namespace detail

/// The OpenCL C text of the kernels that `value_and_gradient` runs.
template <detail::gradient_expression E, class... Variables>
std::string gradient_kernel_source(const E& e, const variable_list<Variables...>& variables) {
  return detail::look_at_gradient(e, variables, detail::source_of_gradient);
}

/// Builds what `value_and_gradient(e, variables)` needs, without running.
template <detail::gradient_expression E, class... Variables>
void prepare(const E& e, const variable_list<Variables...>& variables) {
  detail::look_at_gradient(e, variables, detail::prepare_gradient);
}

/// Explains `value_and_gradient(e, variables)` as explain(e) does the value; include <fusion/fusion.hpp>.
template <class Explanation = explanation, detail::gradient_expression E, class... Variables>
Explanation explain(const E& e, const variable_list<Variables...>& variables) {
  return detail::look_at_gradient(e, variables, detail::explain_gradient);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/autodiff/value_and_gradient.ipp>
#endif
