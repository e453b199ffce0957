#pragma once
// check_cl(function, name, value, must_be) = condition, alone or among results(...), and the same with the
// condition as last argument, for checked(...).

#include <fusion/base/list_of.hpp>
#include <fusion/eval/checks.hpp>
#include <fusion/eval/results.hpp>
#include <fusion/runtime/kept_failures.hpp>

namespace fusecl {
namespace detail {

template <class V>
class check_target;
template <class V>
inline constexpr bool is_check<check_target<V>> = true;
template <>
inline constexpr bool is_finished_check<check> = true;
template <class E>
inline constexpr bool is_host_number = false;
template <element T>
inline constexpr bool is_host_number<scalar_leaf<T>> = true;

/// Makes `to` the matrix that `value` is, in the memory that a user knows where he knows that of `to`.
template <element T>
void hand_over(matrix_cl<T>& value, matrix_cl<T>& to) {
  if (to.storage()->is_known_to_user() && !preparing)
    to = std::as_const(value);
  else
    to = std::move(value);
}

/// Where the result that is no check goes until all checks are known.
template <class Target>
struct stand_in {
  static auto nothing() {
    if constexpr (std::is_arithmetic_v<Target>)
      return Target{};
    else if constexpr (is_device_number<Target>)
      return Target();
    else
      return matrix_cl<typename Target::value_type>();
  }
  decltype(nothing()) value = nothing();

  /// After the wait, where no check has failed.
  void hand_over(const target_holder<Target>& to) {
    if constexpr (std::is_arithmetic_v<Target>)
      to.get() = value;
    else if constexpr (is_part<Target>)
      assign_elements(to.get(), value.leaf());
    else
      detail::hand_over(value, to.get());
  }
};
template <class V>
struct stand_in<check_target<V>> {
  dropped value;
  void hand_over(const target_holder<check_target<V>>&) {}
};
template <>
struct stand_in<const dropped> : stand_in<check_target<void>> {
  void hand_over(const target_holder<const dropped>&) {}
};
template <>
struct stand_in<dropped> : stand_in<check_target<void>> {
  void hand_over(const target_holder<dropped>&) {}
};

/// Adds the check to the list.
template <class Target, class E>
void add_check(const target_holder<Target>& target, const E& condition, check_list& checks) {
  if constexpr (is_check<Target> && !std::is_same_v<E, dropped>) checks.add(target.get().check_of(condition));
}
template <class Target, class E>
void check_stand_in(const target_holder<Target>& target, const E& e) {
  if constexpr (is_part<Target> && !std::is_same_v<E, dropped>)
    check_part(target.get(), result_rows(e), result_cols(e));
}
/// What is evaluated into a stand-in.
template <class Target, class E>
auto besides_checks(const E& e) {
  if constexpr (is_check<Target>)
    return dropped{};
  else
    return e;
}
template <class Target>
decltype(auto) result_of(stand_in<Target>& s) {
  return (s.value);
}

/// The checks of a statement. Throws std::invalid_argument where a part does not fit.
template <class Targets, class Es, std::size_t... Ks>
check_list checks_among(const Targets& targets, const Es& right, std::index_sequence<Ks...>) {
  using boost::hana::at_c;
  check_list list;
  (add_check(at_c<Ks>(targets), at_c<Ks>(right), list), ...);
  (check_stand_in(at_c<Ks>(targets), at_c<Ks>(right)), ...);
  return list;
}

/// Does `action` with the two sides of the one statement that evaluates the expressions that are no
/// conditions into `stand_ins` and all checks, the first of which that fails is `failed`.
template <class Targets, class Es, class StandIns, class Action, std::size_t... Ks>
auto with_stand_ins(const Targets& targets, const Es& right, const list_of<check>& checks, int& failed,
                    StandIns& stand_ins, Action action, std::index_sequence<Ks...>) {
  using boost::hana::at_c;
  return [&]<class... Target>(const target_holder<Target>&...) {
    if (checks.empty())
      return action(results(result_of(at_c<Ks>(stand_ins))...),
                    expressions(besides_checks<Target>(at_c<Ks>(right))...));
    return action(results(failed, result_of(at_c<Ks>(stand_ins))...),
                  expressions(first_failed(checks), besides_checks<Target>(at_c<Ks>(right))...));
  }(at_c<Ks>(targets)...);
}

template <class... Target>
auto stand_ins_for(const boost::hana::basic_tuple<target_holder<Target>...>&) {
  return boost::hana::make_basic_tuple(stand_in<Target>()...);
}

/// Evaluates the expressions that are no conditions and all checks in one statement, waits once, and then
/// hands the results over: to parts alone where not `to_all`.
template <class Targets, class Es, std::size_t... Ks>
void assign_checked(const Targets& targets, const Es& right, bool to_all, std::index_sequence<Ks...> all) {
  using boost::hana::at_c;
  const void* const numbers[] = {number_of(at_c<Ks>(targets), at_c<Ks>(right))...};
  const matrix_base* const matrices[] = {written_matrix(at_c<Ks>(targets).get(), at_c<Ks>(right))...};
  const std::int64_t rows[] = {rows_of_result(at_c<Ks>(right))...},
                     cols[] = {cols_of_result(at_c<Ks>(right))...};
  [&]<class... Target>(const target_holder<Target>&...) {
    constexpr bool parts[] = {is_part<Target>...};
    check_distinct_targets(numbers, matrices, parts, sizeof...(Ks));
    check_not_in_one_buffer(matrices, parts, rows, cols, sizeof...(Ks));
  }(at_c<Ks>(targets)...);
  const check_list list = checks_among(targets, right, all);
  const list_of<check>& checks = list.computed();
  auto stand_ins = stand_ins_for(targets);
  list.throw_if_known();
  int failed = 0;
  runtime::kept_failures others;
  with_stand_ins(
      targets, right, checks, failed, stand_ins,
      [](const auto& left, const auto& computed) { left = computed; }, all);
  if (!preparing) throw_if_failed(checks, failed);
  others.tell();
  [&]<class... Target>(const target_holder<Target>&...) {
    ((to_all || is_part<Target> ? at_c<Ks>(stand_ins).hand_over(at_c<Ks>(targets)) : void()), ...);
  }(at_c<Ks>(targets)...);
}
template <class Targets, class Es, std::size_t... Ks>
void assign_checked(const Targets& targets, const Es& right, std::index_sequence<Ks...> all) {
  assign_checked(targets, right, true, all);
}
template <class Targets, class Es, std::size_t... Ks>
void prepare_checked(const Targets& targets, const Es& right, std::index_sequence<Ks...> all) {
  const preparing_here here;
  assign_checked(targets, right, false, all);
}

/// The kernels of that statement.
template <class Targets, class Es, std::size_t... Ks>
std::string kernel_source_checked(const Targets& targets, const Es& right, std::index_sequence<Ks...> all) {
  const check_list list = checks_among(targets, right, all);
  auto stand_ins = stand_ins_for(targets);
  int failed = 0;
  return with_stand_ins(
      targets, right, list.computed(), failed, stand_ins,
      [](const auto& left, const auto& computed) { return left.get_kernel_source_for_evaluating(computed); },
      all);
}

/// A check with what its condition is known to be.
template <node V, node C>
check check_with_state(const char* function, const char* name, const char* must_be, const V& value,
                       const C& condition) {
  static_assert(C::type == scalar_type::boolean,
                "check_cl(...) = condition: a condition is a comparison or what else is bool");
  check c = make_check(function, name, must_be, value, condition);
  if constexpr (is_host_number<C>) c.state = condition.value ? check_state::holds : check_state::fails;
  return c;
}

/// Evaluates a scalar expression and checks in one statement, and gives its value to `number` where they
/// hold.
template <class T, node E>
void assign_with_checks(const check_list& list, T& number, const E& e) {
  list.throw_if_known();
  if (list.computed().empty()) {
    number = evaluate_scalar(e);
    return;
  }
  int failed = 0;
  T found{};
  runtime::kept_failures others;
  results(failed, found) = expressions(first_failed(list.computed()), e);
  if (!preparing) throw_if_failed(list.computed(), failed);
  others.tell();
  number = found;
}

/// What a check gives that was made by itself; in the place of one that is to be made it is refused.
struct finished_check {};

/// The left side of a check. Made by `check_cl`.
template <class V>
class check_target {
 public:
  check_target(const char* function, const char* name, V value, const char* must_be)
      : function_(function), name_(name), must_be_(must_be), value_(std::move(value)) {}

  /// Throws std::domain_error unless the condition holds for every element. Waits.
  template <operand C>
  finished_check operator=(C&& condition) {
    const auto e = as_operation_cl(std::forward<C>(condition));
    const boost::hana::basic_tuple<target_holder<check_target>> targets{target_holder<check_target>(*this)};
    assign_checked(targets, boost::hana::make_basic_tuple(e), std::index_sequence<0>{});
    return {};
  }
  template <node C>
  check check_of(const C& condition) const {
    return check_with_state(function_, name_, must_be_, value_, condition);
  }

 private:
  const char* function_;
  const char* name_;
  const char* must_be_;
  V value_;
};

}  // namespace detail

/// The left side of a check, alone, check_cl(...) = condition, or as one of results(...). The statement
/// throws std::domain_error "function: name[i, j] is VALUE, but must be MUST_BE!" where the condition, an
/// expression or a number of type bool, is false for some element: the first one column by column, counted
/// from 1; name[i] of a vector, name alone of a number. A condition on NaN, as NaN > 0, is false. `value`, an
/// expression or a number, is what the message shows; it has the size of the condition or is a number. A
/// condition that is a number, or without a size of its own, as constant(3) > 4, is that of all elements; a
/// number that is false fails where there are none, too. Of
/// several checks the first one that fails, in the order written, is told, before a factor of the statement
/// that does not exist. The other results of the statement
/// are what they were then; among them may be numbers, which are read with the same single wait. `+=` and the
/// like of results(...) leave conditions what they are. The texts live as long as the statement.
template <operand V>
[[nodiscard]] auto check_cl(const char* function, const char* name, V&& value, const char* must_be) {
  return detail::check_target<node_of<V>>(function, name, as_operation_cl(std::forward<V>(value)), must_be);
}
/// The same check with its condition, to be done by the statements that evaluate checked(e, check_cl(...)).
template <operand V, operand C>
[[nodiscard]] detail::check check_cl(const char* function, const char* name, V&& value, const char* must_be,
                                     C&& condition) {
  return detail::check_with_state(function, name, must_be, as_operation_cl(std::forward<V>(value)),
                                  as_operation_cl(std::forward<C>(condition)));
}

}  // namespace fusecl
