#pragma once
// Records of the special functions of statistics: gamma and normal families, logistic and log-scale
// functions. Names, argument order and meaning are Stan Math's.

#include <fusion/ops/elementary.hpp>

/// One operand, floating result.
// clang-format off
#define FUSECL_SPECIAL_UNARY(X)                                                               \
  X(tgamma)                                                                                   \
  X(lgamma)                                                                                   \
  X(digamma)                                                                                  \
  X(trigamma)                                                                                 \
  X(erf)                                                                                      \
  X(erfc) X(Phi) X(Phi_approx) X(inv_Phi) X(log1m) X(log1p_exp) X(log1m_exp) X(log_inv_logit) \
      X(log1m_inv_logit) X(inv_logit) X(inv_cloglog) X(logit) X(log1pmx) X(lgamma_stirling_diff)  \
      X(digamma_stirling_diff) X(log_Phi) X(log_i0e) X(i1_i0_m1) X(logistic_log_kernel)
// clang-format on

/// Two operands, floating result.
// clang-format off
#define FUSECL_SPECIAL_BINARY(X) \
  X(beta)                        \
  X(lbeta)                       \
  X(polygamma)                   \
  X(binomial_coefficient_log)    \
  X(log_inv_logit_diff) X(log_diff_exp) X(log_sum_exp) X(log1p_exp_both) X(multiply_log) X(lmultiply)
// clang-format on

/// Three operands, floating result.
#define FUSECL_SPECIAL_TERNARY(X) X(student_t_log_kernel) X(poisson_log_kernel)

#define FUSECL_UNARY_FLOATING(X) FUSECL_ELEMENTARY_UNARY(X) FUSECL_SPECIAL_UNARY(X)
#define FUSECL_UNARY_ARITHMETIC(X) FUSECL_ELEMENTARY_ARITHMETIC(X)
#define FUSECL_UNARY_CLASSIFY(X) FUSECL_ELEMENTARY_CLASSIFY(X)
#define FUSECL_BINARY_FLOATING(X) FUSECL_ELEMENTARY_BINARY(X) FUSECL_SPECIAL_BINARY(X)
#define FUSECL_BINARY_SCALED(X) FUSECL_ELEMENTARY_SCALED(X)
#define FUSECL_TERNARY_FLOATING(X) FUSECL_ELEMENTARY_TERNARY(X) FUSECL_SPECIAL_TERNARY(X)

namespace fusecl::op {

FUSECL_SPECIAL_UNARY(FUSECL_FLOATING_TAG)
FUSECL_SPECIAL_BINARY(FUSECL_FLOATING_TAG)
FUSECL_SPECIAL_TERNARY(FUSECL_FLOATING_TAG)

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/special.ipp>
#endif
