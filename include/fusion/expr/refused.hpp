#pragma once
// What takes the place of a call that is refused: one error with advice, and none that follow from it.

#include <type_traits>

#include <fusion/base/scalar_type.hpp>

namespace fusecl::detail {

/// What is returned where a static assertion has told what is wrong: fits everywhere, so that nothing
/// follows.
struct refused {
  template <class T>
  operator T() const;
  template <class T>
  void operator=(const T&) const {}
  template <class T>
  void operator+=(const T&) const {}

#define FUSECL_OPERATOR_OF_REFUSED(SYMBOL)            \
  template <class T>                                  \
  friend refused operator SYMBOL(refused, const T&) { \
    return {};                                        \
  }                                                   \
  template <class T>                                  \
  requires(!std::is_same_v<T, refused>) friend refused operator SYMBOL(const T&, refused) { return {}; }
  FUSECL_OPERATOR_OF_REFUSED(+)
  FUSECL_OPERATOR_OF_REFUSED(-)
  FUSECL_OPERATOR_OF_REFUSED(*)
  FUSECL_OPERATOR_OF_REFUSED(/)
#undef FUSECL_OPERATOR_OF_REFUSED
};

/// Of what is no matrix_cl and no expression; instantiated where a call finds nothing better.
template <class... None>
refused refuse_operand() {
  static_assert(sizeof...(None) > 0,
                "this function takes a matrix_cl or an expression: copy a host matrix by to_matrix_cl(x); of "
                "those, no form of it takes so many arguments of these kinds");
  return {};
}

/// The same of a function of one operand.
template <class... None>
refused refuse_one_operand() {
  static_assert(
      sizeof...(None) > 0,
      "this function takes a matrix_cl or an expression, and nothing besides: one argument; copy a host "
      "matrix by to_matrix_cl(x)");
  return {};
}

/// What no other function of this name takes is refused in one line; of what was refused nothing follows.
#define FUSECL_REFUSE_BY(NAME, REFUSAL)          \
  template <class... None>                       \
  ::fusecl::detail::refused NAME(...) {          \
    return ::fusecl::detail::REFUSAL<None...>(); \
  }                                              \
  inline ::fusecl::detail::refused NAME(::fusecl::detail::refused) { return {}; }
#define FUSECL_REFUSE_OPERANDS(NAME) FUSECL_REFUSE_BY(NAME, refuse_operand)
#define FUSECL_REFUSE_ALL_BUT_ONE_OPERAND(NAME) FUSECL_REFUSE_BY(NAME, refuse_one_operand)

/// Refuses the condition `if (x)` of a matrix.
template <class... None>
bool refuse_condition() {
  static_assert(
      sizeof...(None) > 0,
      "a matrix is no condition: a comparison of matrices is a matrix of bool; write all(a > b) or "
      "any(a > b), as in if (all(a > b)), and select(a > b, x, y) where each element is one of x or of y");
  return false;
}
/// The number that `double x = a` and `std::exp(a)` ask a matrix of this element type for: one alone, or
/// std::exp were ambiguous.
template <scalar_type Type>
using refused_number = cpp_type<floating(Type)>;
/// Refuses it.
template <class Number, class... None>
Number refuse_number() {
  static_assert(
      sizeof...(None) > 0,
      "a matrix is no number: write sum(a), an element a(i, j), or what else makes it one; functions "
      "of each element are written without std::, as in exp(a)");
  return {};
}

}  // namespace fusecl::detail
