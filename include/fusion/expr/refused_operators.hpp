#pragma once
// Refused: operators of C++ that other languages' matrices have, and those of bits.

#include <fusion/expr/operators.hpp>

namespace fusecl {

template <class A, class B>
requires operand_pair<A, B> detail::refused operator^(const A&, const B&) {
  static_assert(sizeof(A) == 0,
                "^ is no power, and binds less than + in C++: write pow(a, b) or square(a) of each element, "
                "matrix_power(a, n) of a matrix");
  return {};
}

template <class A, class B>
requires operand_pair<A, B> detail::refused operator&(const A&, const B&) {
  static_assert(sizeof(A) == 0,
                "matrices have no operators of bits: write a && b, which is element by element");
  return {};
}

template <class A, class B>
requires operand_pair<A, B> detail::refused operator|(const A&, const B&) {
  static_assert(sizeof(A) == 0,
                "matrices have no operators of bits: write a || b, which is element by element");
  return {};
}

}  // namespace fusecl
