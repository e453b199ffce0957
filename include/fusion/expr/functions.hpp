#pragma once
// The element-wise mathematical functions, one per entry of the lists in ops/.

#include <initializer_list>
#include <type_traits>

#include <fusion/expr/operators.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/special.hpp>

namespace fusecl {
namespace detail {

/// A number of the host. Being a conversion, it leaves calls that any other function takes to that.
struct host_number {
  long double value;
  template <class X>
  requires std::is_arithmetic_v<X> host_number(X x) : value(static_cast<long double>(x)) {}  // NOLINT
};

/// An operation of numbers of the host, without the device.
inline double at_numbers(const ir::operation& operation, std::initializer_list<host_number> x) {
  long double operands[3] = {};
  std::size_t count = 0;
  for (const host_number& each : x) operands[count++] = each.value;
  return static_cast<double>(operation.host(operands));
}
template <ir::type_rule Types>
using type_at_numbers = std::conditional_t<Types == ir::type_rule::classify, bool, double>;

/// A variable of a tape that is a number.
template <class X>
concept number_variable = requires {
  requires std::remove_cvref_t<X>::is_variable;
};
/// Whether the host computes the operation, as all operands are numbers there and some are variables.
template <class Operation, class... X>
inline constexpr bool is_of_variables = Operation::types != ir::type_rule::scaled &&
                                        (number_variable<X> || ...) &&
                                        ((number_variable<X> ||
                                          std::is_arithmetic_v<std::remove_cvref_t<X>>)&&...);

/// Such an operation: a new variable, or what is true of a number.
template <class Operation, class... X>
auto at_variables(const X&... x) {
  using variable = std::common_type_t<X...>;
  if constexpr (Operation::types == ir::type_rule::classify)
    return at_numbers(Operation::record(), {x.val()...}) != 0;
  else
    return variable::of_function(Operation::record(),
                                 {variable::as_operand(Operation::record().name.data(), x)...});
}

}  // namespace detail

/// Element-wise function of one operand. Integers are computed in double, as <cmath> does. Of a number of the
/// host it is a number. What nothing else takes is refused in one line.
#define FUSECL_UNARY_FUNCTION(NAME)                                             \
  template <expression_like A>                                                  \
  auto NAME(A&& a) {                                                            \
    if constexpr (detail::is_of_variables<op::NAME, A>)                         \
      return detail::at_variables<op::NAME>(a);                                 \
    else                                                                        \
      return detail::make_unary<op::NAME>(std::forward<A>(a));                  \
  }                                                                             \
  inline detail::type_at_numbers<op::NAME::types> NAME(detail::host_number x) { \
    return static_cast<detail::type_at_numbers<op::NAME::types>>(               \
        detail::at_numbers(op::NAME::record(), {x}));                           \
  }                                                                             \
  FUSECL_REFUSE_ALL_BUT_ONE_OPERAND(NAME)
/// Element-wise function of two operands of equal size, either of which may be a scalar.
#define FUSECL_BINARY_FUNCTION(NAME)                                                       \
  template <class A, class B>                                                              \
  requires operand_pair<A, B>                                                              \
  auto NAME(A&& a, B&& b) {                                                                \
    if constexpr (detail::is_of_variables<op::NAME, A, B>)                                 \
      return detail::at_variables<op::NAME>(a, b);                                         \
    else                                                                                   \
      return detail::make_binary<op::NAME>(#NAME, std::forward<A>(a), std::forward<B>(b)); \
  }                                                                                        \
  inline double NAME(detail::host_number x, detail::host_number y) {                       \
    return detail::at_numbers(op::NAME::record(), {x, y});                                 \
  }
/// Element-wise function of three operands of equal size, of which some may be scalars.
#define FUSECL_TERNARY_FUNCTION(NAME)                                                                       \
  template <operand A, operand B, operand C>                                                                \
  requires(expression_like<A> || expression_like<B> || expression_like<C>) auto NAME(A&& a, B&& b, C&& c) { \
    if constexpr (detail::is_of_variables<op::NAME, A, B, C>)                                               \
      return detail::at_variables<op::NAME>(a, b, c);                                                       \
    else                                                                                                    \
      return detail::make_ternary<op::NAME>(#NAME, std::forward<A>(a), std::forward<B>(b),                  \
                                            std::forward<C>(c));                                            \
  }                                                                                                         \
  inline double NAME(detail::host_number x, detail::host_number y, detail::host_number z) {                 \
    return detail::at_numbers(op::NAME::record(), {x, y, z});                                               \
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
