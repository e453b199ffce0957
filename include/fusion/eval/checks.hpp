#pragma once
// Conditions that elements must meet, found in the kernels of the statement they belong to: one number says
// which fails first. Where it fails is looked for only then.

#include <string>

#include <fusion/base/list_of.hpp>
#include <fusion/base/number_text.hpp>
#include <fusion/eval/elements.hpp>
#include <fusion/expr/erased.hpp>

namespace fusecl::detail {

using held_pointer = std::shared_ptr<const held_expression>;

/// What is known of a condition: a host number needs no device.
enum class check_state : std::uint8_t { unknown, holds, fails };

/// A condition on every element of a value. Both have any size, also a free one.
struct check {
  const char* function;
  const char* name;  ///< of the value
  const char* must_be;
  held_pointer condition;  ///< of type bool
  held_pointer value;
  std::string (*element)(const held_pointer& value, std::int64_t i, std::int64_t j);  ///< as text
  bool of_number;                                                                     ///< the value is one
  check_state state = check_state::unknown;
  /// The condition for all elements as a scalar expression, where that is not the reduction of the condition.
  held_pointer for_all = nullptr;
};

/// One element of an expression of unknown type, which is waited for. An expression of free size has one.
template <scalar_type Type>
std::string element_text(const held_pointer& value, std::int64_t i, std::int64_t j) {
  matrix_cl<cpp_type<Type>> one;
  if (value->rows() < 0)
    one = erased<Type, true, true>(value);
  else
    one = block_zero_based(erased<Type, false, false>(value), i, j, 1, 1);
  return number_text(one(0, 0));
}

template <node V, node C>
check make_check(const char* function, const char* name, const char* must_be, V value, C condition) {
  return {function,
          name,
          must_be,
          std::make_shared<const held<C>>(std::move(condition)),
          std::make_shared<const held<V>>(std::move(value)),
          element_text<V::type>,
          V::is_scalar};
}

/// Throws std::invalid_argument unless the value of a check has the size of its condition, or is a number.
void check_condition_size(const check& c);

/// Number of the first check that fails, counted from 1, or 0, as a scalar expression.
struct first_failed : expression<first_failed> {
  static constexpr scalar_type type = scalar_type::int32;
  static constexpr bool is_scalar = true;
  const list_of<check>* checks;

  explicit first_failed(const list_of<check>& list) : checks(&list) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const;
  ir::node_id lower(lowering& low) const;
};

/// Throws std::domain_error that names the first element, column by column, that fails the check. Waits.
[[noreturn]] void throw_failed(const check& c);
/// The same for the number that `first_failed` gave, unless it is 0.
inline void throw_if_failed(const list_of<check>& checks, int number) {
  if (number != 0) [[unlikely]]
    throw_failed(checks[static_cast<std::size_t>(number - 1)]);
}

/// The checks of a statement in the order in which they were written, up to a first one that is known to
/// fail.
class check_list {
 public:
  void add(check c);
  /// Those that are computed.
  const list_of<check>& computed() const { return computed_; }
  /// Throws std::domain_error where some check is known to fail, for the first one that fails: those before
  /// it are computed and waited for.
  void throw_if_known() const;

 private:
  list_of<check> computed_;
  list_of<check> known_;  ///< one that is known to fail, after these, or none
};

/// The checks of a statement with a scalar result: always, and where the result is not finite.
struct scalar_checks {
  list_of<check> always;
  list_of<check> if_not_finite;
  /// Whether minus infinity is the log of a probability of 0, which is passed on as a constant: no variable
  /// gets an adjoint of it.
  bool impossible_is_constant = false;

  bool empty() const { return always.empty() && if_not_finite.empty(); }
};
/// Throws what the checks of a scalar statement find: `number` is that of the first one of `always` that
/// failed, `value` the result. Where that is not finite the other checks are a further statement.
void throw_if_failed(const scalar_checks& checks, int number, double value);

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/eval/checks.ipp>
#endif
