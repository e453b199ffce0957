#pragma once
// Records of the elementary functions: those every C mathematics library has, and simple powers.
// The lists make the user-facing functions and the registry; special.hpp has the special functions.

#include <fusion/ops/record.hpp>

/// One operand, floating result (integers become double, as in <cmath>).
// clang-format off
#define FUSECL_ELEMENTARY_UNARY(X)                                                                        \
  X(rsqrt)                                                                                                \
  X(sqrt)                                                                                                 \
  X(cbrt)                                                                                                 \
  X(exp)                                                                                                  \
  X(exp2)                                                                                                 \
  X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(sinh) X(cos) X(cosh) X(tan) X(tanh) X(asin) X(asinh) \
      X(acos) X(acosh) X(atan) X(atanh) X(floor) X(round) X(ceil) X(fabs) X(trunc) X(inv) X(inv_square)   \
          X(inv_sqrt) X(square) X(sign)
// clang-format on

/// One operand, result of its promoted type.
#define FUSECL_ELEMENTARY_ARITHMETIC(X) X(abs)

/// One operand, result bool.
#define FUSECL_ELEMENTARY_CLASSIFY(X) X(isfinite) X(isinf) X(isnan)

/// Two operands, floating result.
#define FUSECL_ELEMENTARY_BINARY(X) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(pow) X(copysign) X(atan2)

/// A floating operand and an integer one.
#define FUSECL_ELEMENTARY_SCALED(X) X(ldexp)

/// Three operands, floating result.
#define FUSECL_ELEMENTARY_TERNARY(X) X(fma)

namespace fusecl::op {

#define FUSECL_ARITHMETIC_TAG(NAME) FUSECL_OPERATION_TAG(NAME, arithmetic)
#define FUSECL_CLASSIFY_TAG(NAME) FUSECL_OPERATION_TAG(NAME, classify)
#define FUSECL_SCALED_TAG(NAME) FUSECL_OPERATION_TAG(NAME, scaled)
FUSECL_ELEMENTARY_UNARY(FUSECL_FLOATING_TAG)
FUSECL_ELEMENTARY_BINARY(FUSECL_FLOATING_TAG)
FUSECL_ELEMENTARY_TERNARY(FUSECL_FLOATING_TAG)
FUSECL_ELEMENTARY_ARITHMETIC(FUSECL_ARITHMETIC_TAG)
FUSECL_ELEMENTARY_CLASSIFY(FUSECL_CLASSIFY_TAG)
FUSECL_ELEMENTARY_SCALED(FUSECL_SCALED_TAG)
#undef FUSECL_ARITHMETIC_TAG
#undef FUSECL_CLASSIFY_TAG
#undef FUSECL_SCALED_TAG

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/elementary.ipp>
#endif
