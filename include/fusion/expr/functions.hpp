#pragma once
// The element-wise mathematical functions, one per entry of the lists in ops/.

#include <fusion/expr/operators.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/special.hpp>

namespace fusecl {
namespace detail {

template <class X>
concept host_number = std::is_arithmetic_v<X>;

/// Type of a function of numbers: float of floats only.
template <class Op, class... X>
using function_of_numbers = std::conditional_t<
    Op::types == ir::type_rule::classify, bool,
    std::conditional_t<Op::types == ir::type_rule::arithmetic, decltype((+X() + ...)),
                       std::conditional_t<(std::is_same_v<X, float> && ...), float, double>>>;

/// The function of numbers of the host, without the device.
template <class Op, class... X>
function_of_numbers<Op, X...> at_numbers(X... x) {
  const long double operands[] = {static_cast<long double>(x)...};
  return static_cast<function_of_numbers<Op, X...>>(Op::record().host(operands));
}

}  // namespace detail

/// Element-wise function of one operand. Integers are computed in double, as <cmath> does. Of a number of the
/// host it is a number. What nothing else takes is refused in one line.
#define FUSECL_UNARY_FUNCTION(NAME)                          \
  template <expression_like A>                               \
  auto NAME(A&& a) {                                         \
    return detail::make_unary<op::NAME>(std::forward<A>(a)); \
  }                                                          \
  template <detail::host_number X>                           \
  auto NAME(X x) {                                           \
    return detail::at_numbers<op::NAME>(x);                  \
  }                                                          \
  FUSECL_REFUSE_ALL_BUT_ONE_OPERAND(NAME)
/// Element-wise function of two operands of equal size, either of which may be a scalar.
#define FUSECL_BINARY_FUNCTION(NAME)                                                     \
  template <class A, class B>                                                            \
  requires operand_pair<A, B>                                                            \
  auto NAME(A&& a, B&& b) {                                                              \
    return detail::make_binary<op::NAME>(#NAME, std::forward<A>(a), std::forward<B>(b)); \
  }                                                                                      \
  template <detail::host_number X, detail::host_number Y>                                \
  auto NAME(X x, Y y) {                                                                  \
    return detail::at_numbers<op::NAME>(x, y);                                           \
  }
/// Element-wise function of three operands of equal size, of which some may be scalars.
#define FUSECL_TERNARY_FUNCTION(NAME)                                                                       \
  template <operand A, operand B, operand C>                                                                \
  requires(expression_like<A> || expression_like<B> || expression_like<C>) auto NAME(A&& a, B&& b, C&& c) { \
    return detail::make_ternary<op::NAME>(#NAME, std::forward<A>(a), std::forward<B>(b),                    \
                                          std::forward<C>(c));                                              \
  }

FUSECL_UNARY_FLOATING(FUSECL_UNARY_FUNCTION)
FUSECL_UNARY_ARITHMETIC(FUSECL_UNARY_FUNCTION)
FUSECL_UNARY_CLASSIFY(FUSECL_UNARY_FUNCTION)
FUSECL_BINARY_FLOATING(FUSECL_BINARY_FUNCTION)
FUSECL_BINARY_SCALED(FUSECL_BINARY_FUNCTION)
FUSECL_TERNARY_FLOATING(FUSECL_TERNARY_FUNCTION)

#undef FUSECL_UNARY_FUNCTION
#undef FUSECL_BINARY_FUNCTION
#undef FUSECL_TERNARY_FUNCTION

}  // namespace fusecl
