#pragma once
// Tags of the operators: arithmetic, comparison, logic and selection.

#include <fusion/ops/record.hpp>

/// X(tag, operator) for the binary operators whose operands are promoted as in C++.
#define FUSECL_BINARY_ARITHMETIC(X) X(add) X(subtract) X(multiply) X(divide) X(modulo)
#define FUSECL_BINARY_COMPARISON(X) \
  X(less) X(less_or_equal) X(greater) X(greater_or_equal) X(equal) X(not_equal)
#define FUSECL_BINARY_LOGICAL(X) X(logical_and) X(logical_or)

namespace fusecl::op {

#define FUSECL_ARITHMETIC_TAG(NAME) FUSECL_OPERATION_TAG(NAME, arithmetic)
#define FUSECL_COMPARISON_TAG(NAME) FUSECL_OPERATION_TAG(NAME, comparison)
#define FUSECL_LOGICAL_TAG(NAME) FUSECL_OPERATION_TAG(NAME, logical)

FUSECL_BINARY_ARITHMETIC(FUSECL_ARITHMETIC_TAG)
FUSECL_BINARY_COMPARISON(FUSECL_COMPARISON_TAG)
FUSECL_BINARY_LOGICAL(FUSECL_LOGICAL_TAG)
FUSECL_OPERATION_TAG(negate, arithmetic)
FUSECL_OPERATION_TAG(logical_not, logical)
FUSECL_OPERATION_TAG(select, selection)
/// Quotient of integers: truncated, 0 where the divisor is 0, wrapped where the quotient does not fit.
FUSECL_OPERATION_TAG(integer_divide, arithmetic)
/// The operand, with derivative 0. Not in the lists: `simplify` removes it, so that no kernel has it.
FUSECL_OPERATION_TAG(stop_gradient, floating)

#undef FUSECL_ARITHMETIC_TAG
#undef FUSECL_COMPARISON_TAG
#undef FUSECL_LOGICAL_TAG

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/arithmetic.ipp>
#endif
