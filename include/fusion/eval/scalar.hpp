#pragma once
// A scalar expression as a host number.

#include <cmath>
#include <cstdlib>

#include <fusion/eval/evaluate.hpp>
#include <fusion/eval/numbers.hpp>
#include <fusion/matrix/matrix_cl.hpp>

namespace fusecl {
namespace detail {

/// Whether an expression has no operand but numbers, as far as its type tells.
template <class E>
struct has_numbers_alone;
template <class Children>
inline constexpr bool all_have_numbers_alone = false;
template <class... Children>
inline constexpr bool all_have_numbers_alone<types<Children...>> = (has_numbers_alone<Children>::value &&
                                                                    ...);
template <class E>
struct has_numbers_alone
    : std::bool_constant<E::is_scalar && all_have_numbers_alone<typename E::operand_types>> {};

/// Tag of the statements whose result is a number of the host.
struct number_tag {};

/// The value of a scalar expression, which is computed on the host where it has numbers alone.
template <class E>
value_type_of<E> value_of_numbers(const E& e) {
  shared_numbers numbers;
  numbers.take(1);
  result_slot slot = numbers.slot(0, E::type, "the result");
  const void* expressions[] = {&e};
  binder bound;
  e.gather(bound);
  evaluation::run({&type_of_statement<number_tag, E>, expressions, lower_nth<E>, &slot, 1}, bound);
  value_type_of<E> value(1);
  if (!preparing) numbers.read(&value);
  return value;
}

}  // namespace detail

/// Evaluates a scalar expression and waits for its value; 1 while statements are only prepared.
template <node E>
requires(E::is_scalar) value_type_of<E> evaluate_scalar(const E& e) {
  static_assert(!detail::node_on_tape<E>,
                "a number would lose the derivative of this expression: keep it as a variable, var y = e, in "
                "c ? a : b both, c ? var(a) : var(b), or take its value alone, double y = value_of(e)");
  if constexpr (detail::has_numbers_alone<E>::value) {
    return detail::value_of_numbers(e);
  } else {
    const matrix_cl<value_type_of<E>> result(e);
    value_type_of<E> value(1);
    if (!detail::preparing) runtime::this_thread_queue().read(*result.storage(), 0, sizeof value, &value);
    return value;
  }
}

/// The value of what may be an expression: a number of a complete reduction, else what `x.eval()` gives;
/// numbers, matrices and variables are their own.
template <class X>
decltype(auto) eval(X&& x) {
  using Plain = std::remove_cvref_t<X>;
  if constexpr (node<Plain>) {
    if constexpr (Plain::is_scalar && is_matrix_cl<decltype(x.eval())>::value)
      return evaluate_scalar(x);
    else
      return x.eval();
  } else if constexpr (detail::eigen_like<Plain>) {
    return typename Plain::PlainObject(x);
  } else if constexpr (std::is_lvalue_reference_v<X>) {
    return static_cast<const Plain&>(x);
  } else {
    return Plain(std::forward<X>(x));
  }
}

/// A host number and the value of a scalar expression or of a product with one element, for which these wait.
#define FUSECL_COMBINE_WITH_NUMBER(SYMBOL)                                                         \
  template <class Number, node E>                                                                  \
  requires(std::is_arithmetic_v<Number> && (E::is_scalar || detail::may_be_number<E>)) Number&     \
  operator SYMBOL##=(Number& number, const E& e) {                                                 \
    return number = static_cast<Number>(number SYMBOL evaluate_scalar(detail::single_element(e))); \
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
                "var y = indexing(e, i, j), or take its value alone, value_of(e)(i, j)");
  check_known_size("operator()", e.rows(), e.cols());
  check_place(i, j, e.rows(), e.cols());
  const matrix_cl<cpp_type<E::type>> one(
      block_of<E>("operator()", e, i, j, 1, 1, 0, block_single_rows | block_single_cols));
  return preparing ? cpp_type<E::type>(1) : one(0, 0);
}
template <class E>
cpp_type<E::type> element_at(const E& e, std::int64_t i) {
  const auto [row, col] = place_in_vector(i, e.rows(), e.cols());
  return element_at(e, row, col);
}

/// A scalar expression or a number.
template <class X>
concept scalar_argument = operand<X> && !host_operand<X> && node_of<X>::is_scalar;

/// A scalar expression, and another one of another type or a number.
template <class A, class B>
concept number_and_scalar =
    operand_pair<A, B> && !std::is_same_v<A, B> && node_of<A>::is_scalar && node_of<B>::is_scalar;
template <class A, class B>
using common_number = cpp_type<promoted(node_of<A>::type, node_of<B>::type)>;

/// A number of type `Number` that is compared: waits for that of an expression.
template <class Number, class X>
Number number_to_compare(const X& x) {
  static_assert(
      node<X> || !node_on_tape<node_of<X>>,
      "std::max and std::min have no derivative: of variables of the tape write fmax(a, b), fmin(a, b)");
  if constexpr (node<X> || !node_on_tape<node_of<X>>) return static_cast<Number>(x);
}

/// A scalar expression of integers or bool: a conversion leads on from there to every floating-point type.
template <class E>
concept integer_scalar = node<E> && std::remove_cvref_t<E>::is_scalar && !is_floating(node_of<E>::type);
/// Two operands that are scalars, of which one is that.
template <class A, class B>
concept integer_scalar_pair = (integer_scalar<A> && scalar_argument<B>) ||
                              (integer_scalar<B> && scalar_argument<A>);

/// Three operands that are scalars, of which one is that.
template <class A, class B, class C>
concept integer_scalar_among = scalar_argument<A> && scalar_argument<B> && scalar_argument<C> &&
    (integer_scalar<A> || integer_scalar<B> || integer_scalar<C>);

}  // namespace detail

/// What an expression computes is its type: it cannot become another one.
template <node E, operand X>
requires(
    !std::is_arithmetic_v<E> && !requires(const E& e) { e.writable_elements(); } &&
    !requires(const E& e) { e.written_matrix(); }) void
operator+=(const E&, const X&) {
  static_assert(
      sizeof(E) == 0,
      "an expression cannot be added to: give the sum a name of its own, auto c = a + b, or add to a "
      "number, double x = sum(a); x += sum(b)");
}

}  // namespace fusecl

// std::max and std::min take two arguments of one type, and to those of <cmath> every floating-point type is
// as good for an integer that is converted to. A scalar expression is a number to every other function of
// <cmath> and <algorithm>, which is why these are here
// (docs/decisions/0023-scalar-expressions-as-numbers.md).
namespace std {

/// The larger of two numbers, of which at least one is that of a scalar expression: waits for it.
template <class A, class B>
requires fusecl::detail::number_and_scalar<A, B>
auto max(const A& a, const B& b) -> fusecl::detail::common_number<A, B> {
  using Number = fusecl::detail::common_number<A, B>;
  const auto first = fusecl::detail::number_to_compare<Number>(a),
             second = fusecl::detail::number_to_compare<Number>(b);
  return first < second ? second : first;
}
/// The smaller one.
template <class A, class B>
requires fusecl::detail::number_and_scalar<A, B>
auto min(const A& a, const B& b) -> fusecl::detail::common_number<A, B> {
  using Number = fusecl::detail::common_number<A, B>;
  const auto first = fusecl::detail::number_to_compare<Number>(a),
             second = fusecl::detail::number_to_compare<Number>(b);
  return second < first ? second : first;
}

// Functions of <cmath> of integer scalar expressions: what they are of integers. The pack, which is empty,
// makes these less special than the functions of this library, which give expressions.
#define FUSECL_NUMBER_FUNCTION(NAME)                                                              \
  template <class E, class... None>                                                               \
  requires(fusecl::detail::integer_scalar<E> && sizeof...(None) == 0) auto NAME(E&& e, None&&...) \
      ->decltype(NAME(fusecl::value_type_of<E>())) {                                              \
    return NAME(fusecl::evaluate_scalar(e));                                                      \
  }
#define FUSECL_NUMBERS_FUNCTION(NAME)                                                                 \
  template <class A, class B, class... None>                                                          \
  requires(fusecl::detail::integer_scalar_pair<A, B> && sizeof...(None) == 0) auto NAME(A&& a, B&& b, \
                                                                                        None&&...)    \
      ->decltype(NAME(fusecl::value_type_of<A>(), fusecl::value_type_of<B>())) {                      \
    return NAME(static_cast<fusecl::value_type_of<A>>(a), static_cast<fusecl::value_type_of<B>>(b));  \
  }
/// Three operands that are scalars, of which one is an integer scalar expression.
#define FUSECL_THREE_NUMBERS_FUNCTION(NAME)                                                                  \
  template <class A, class B, class C, class... None>                                                        \
  requires(fusecl::detail::integer_scalar_among<A, B, C> && sizeof...(None) == 0) auto NAME(                 \
      A&& a, B&& b, C&& c, None&&...)                                                                        \
      ->decltype(NAME(fusecl::value_type_of<A>(), fusecl::value_type_of<B>(), fusecl::value_type_of<C>())) { \
    return NAME(static_cast<fusecl::value_type_of<A>>(a), static_cast<fusecl::value_type_of<B>>(b),          \
                static_cast<fusecl::value_type_of<C>>(c));                                                   \
  }
/// A number and a whole exponent.
template <class A, class B, class... None>
requires(fusecl::detail::integer_scalar_pair<A, B> && !fusecl::is_floating(fusecl::node_of<B>::type) &&
         sizeof...(None) == 0) auto ldexp(A&& a, B&& b, None&&...)
    -> decltype(ldexp(fusecl::value_type_of<A>(), 0)) {
  return ldexp(static_cast<fusecl::value_type_of<A>>(a),
               static_cast<int>(static_cast<fusecl::value_type_of<B>>(b)));
}
// clang-format off
#define FUSECL_NUMBER_FUNCTIONS(X)                                                                              \
  X(abs) X(fabs) X(sqrt) X(cbrt) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb)               \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)   \
  X(tgamma) X(lgamma) X(ceil) X(floor) X(trunc) X(round) X(lround) X(llround) X(rint) X(nearbyint)              \
  X(isfinite) X(isinf) X(isnan) X(isnormal) X(signbit)
#define FUSECL_NUMBERS_FUNCTIONS(X)                                                                    \
  X(pow) X(hypot) X(atan2) X(fmod) X(remainder) X(fdim) X(fmax) X(fmin) X(copysign)
// clang-format on
FUSECL_NUMBER_FUNCTIONS(FUSECL_NUMBER_FUNCTION)
FUSECL_NUMBERS_FUNCTIONS(FUSECL_NUMBERS_FUNCTION)
FUSECL_THREE_NUMBERS_FUNCTION(fma)
FUSECL_THREE_NUMBERS_FUNCTION(hypot)
#undef FUSECL_NUMBER_FUNCTIONS
#undef FUSECL_NUMBERS_FUNCTIONS
#undef FUSECL_NUMBER_FUNCTION
#undef FUSECL_NUMBERS_FUNCTION
#undef FUSECL_THREE_NUMBERS_FUNCTION

}  // namespace std
