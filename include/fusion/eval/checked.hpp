#pragma once
// A scalar expression with checks of what it is made of: whoever evaluates it does them in the same statement
// and waits once for all.

#include <concepts>

#include <fusion/eval/check_cl.hpp>

namespace fusecl {

/// A scalar expression (or one with a single element) that has a value where its checks hold. Made by
/// `checked`. It is no operand: a number or a `var` is made of it, or value_and_gradient takes it.
template <node E>
class checked_expression {
 public:
  checked_expression(E e, detail::check_list checks) : e_(std::move(e)), checks_(std::move(checks)) {}

  const E& expression() const { return e_; }
  const detail::check_list& checks() const { return checks_; }
  /// The value, where all checks hold, else std::domain_error: one statement, for which this waits once.
  operator value_type_of<E>() const requires(E::is_scalar || detail::may_be_number<E>) {
    static_assert(!detail::node_on_tape<E>,
                  "a number would lose the derivative of this expression: keep it as a variable, var y = "
                  "checked(...), or take its value alone, checked(value_of(e), ...)");
    value_type_of<E> number{};
    detail::assign_with_checks(checks_, number, detail::single_element(e_));
    return number;
  }

 private:
  E e_;
  detail::check_list checks_;
};

/// `e` with checks of its operands, check_cl(function, name, value, must_be, condition), which are part of
/// every statement that evaluates it: `double l = checked(e, ...)`, `var l = checked(e, ...)`,
/// `value_and_gradient(checked(e, ...), wrt(x))`. Where a condition does not hold everywhere the statement
/// throws std::domain_error as check_cl says, for the first check in the order written; targets, gradients
/// and the tape are as they were then.
template <expression_like E, class... Checks>
auto checked(E&& e, Checks... checks) {
  static_assert(
      (std::same_as<Checks, detail::check> && ...),
      "checked(e, check_cl(function, name, value, must_be, condition), ...): a check has its condition "
      "as last argument");
  detail::check_list list;
  if constexpr ((std::same_as<Checks, detail::check> && ...)) (list.add(std::move(checks)), ...);
  return checked_expression<node_of<E>>(as_operation_cl(std::forward<E>(e)), std::move(list));
}

}  // namespace fusecl
