#pragma once
// A scalar expression as a host number.

#include <fusion/eval/evaluate.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {

/// Evaluates a scalar expression and waits for its value.
template <node E>
requires(E::is_scalar) value_type_of<E> evaluate_scalar(const E& e) {
  static_assert(!detail::node_on_tape<E>,
                "a number would lose the derivative of this expression: keep it as a variable, var y = e, or "
                "take its value alone, double y = value_of(e)");
  const matrix_cl<value_type_of<E>> result(e);
  value_type_of<E> value{};
  runtime::this_thread_queue().read(*result.storage(), 0, sizeof value, &value);
  return value;
}

/// A host number and the value of a scalar expression, for which these wait.
#define FUSECL_COMBINE_WITH_NUMBER(SYMBOL)                                                          \
  template <class Number, node E>                                                                   \
  requires(std::is_arithmetic_v<Number> && E::is_scalar) Number& operator SYMBOL##=(Number& number, \
                                                                                    const E& e) {   \
    return number = static_cast<Number>(number SYMBOL evaluate_scalar(e));                          \
  }
FUSECL_COMBINE_WITH_NUMBER(+)
FUSECL_COMBINE_WITH_NUMBER(-)
FUSECL_COMBINE_WITH_NUMBER(*)
FUSECL_COMBINE_WITH_NUMBER(/)
#undef FUSECL_COMBINE_WITH_NUMBER

namespace detail {

template <class E>
cpp_type<E::type> element_at(const E& e, std::int64_t i, std::int64_t j) {
  static_assert(!node_on_tape<E>,
                "a number would lose the derivative of this element: keep it as a variable, "
                "var y = sum(block_zero_based(e, i, j, 1, 1)), or take its value alone, value_of(e)(i, j)");
  check_known_size("operator()", e.rows(), e.cols());
  check_place(i, j, e.rows(), e.cols());
  const matrix_cl<cpp_type<E::type>> one(
      block_of<E>("operator()", e, i, j, 1, 1, 0, (single_rows | single_cols) << 2));
  return one(0, 0);
}
template <class E>
cpp_type<E::type> element_at(const E& e, std::int64_t i) {
  const auto [row, col] = place_in_vector(i, e.rows(), e.cols());
  return element_at(e, row, col);
}

/// A scalar expression, and another one of another type or a number.
template <class A, class B>
concept number_and_scalar =
    operand_pair<A, B> && !std::is_same_v<A, B> && node_of<A>::is_scalar && node_of<B>::is_scalar;
template <class A, class B>
using common_number = cpp_type<promoted(node_of<A>::type, node_of<B>::type)>;

}  // namespace detail

/// What an expression computes is its type: it cannot become another one.
template <node E, operand X>
requires(!std::is_arithmetic_v<E> && !requires(const E& e) { e.writable_elements(); }) void operator+=(
    const E&, const X&) {
  static_assert(
      sizeof(E) == 0,
      "an expression cannot be added to: give the sum a name of its own, auto c = a + b, or add to a "
      "number, double x = sum(a); x += sum(b)");
}

}  // namespace fusecl

// std::max and std::min take two arguments of one type. A scalar expression beside a number is a number to
// every other function of <cmath> and <algorithm>, which is why these two are here
// (docs/decisions/0023-scalar-expressions-as-numbers.md).
namespace std {

/// The larger of two numbers, of which at least one is that of a scalar expression: waits for it.
template <class A, class B>
requires fusecl::detail::number_and_scalar<A, B>
auto max(const A& a, const B& b) -> fusecl::detail::common_number<A, B> {
  using Number = fusecl::detail::common_number<A, B>;
  const auto first = static_cast<Number>(a), second = static_cast<Number>(b);
  return first < second ? second : first;
}
/// The smaller one.
template <class A, class B>
requires fusecl::detail::number_and_scalar<A, B>
auto min(const A& a, const B& b) -> fusecl::detail::common_number<A, B> {
  using Number = fusecl::detail::common_number<A, B>;
  const auto first = static_cast<Number>(a), second = static_cast<Number>(b);
  return second < first ? second : first;
}

}  // namespace std
