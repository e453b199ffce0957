#pragma once
// Functions of the library that OpenCL C lacks, under the names that they have in C++: what code of users may
// call.

#include <span>
#include <string>
#include <string_view>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/operation.hpp>

/// Operations that are such functions.
// clang-format off
#define FUSECL_LIBRARY_OPERATIONS(X)                                                                        \
  X(inv) X(inv_square) X(inv_sqrt) X(square)                                                                \
  X(digamma) X(trigamma) X(polygamma) X(beta) X(lbeta) X(binomial_coefficient_log) X(lgamma_stirling_diff)  \
  X(Phi) X(Phi_approx) X(inv_Phi) X(log_Phi)                                                                \
  X(inv_logit) X(logit) X(log_inv_logit) X(log1m_inv_logit) X(log_inv_logit_diff) X(inv_cloglog)            \
  X(log1m) X(log1p_exp) X(log1m_exp) X(log_diff_exp) X(log_sum_exp) X(multiply_log) X(lmultiply) X(log1pmx)
/// Those and functions that are none.
#define FUSECL_LIBRARY_FUNCTIONS(X) FUSECL_LIBRARY_OPERATIONS(X) X(lgamma_stirling)
// clang-format on

namespace fusecl::ops {

/// The function `library_NAME` of double or float, which is what NAME is in expressions; null where there is
/// none.
const ir::device_function* library_function(std::string_view name);

/// OpenCL C that calls functions of the library by their names, with the names that they have in kernels.
struct library_calls {
  std::string code;  ///< `library_digamma$S(x)` for `digamma(x)`, or with another suffix
  list_of<const ir::device_function*> functions;
};
/// `declared`: names that the code declares itself.
library_calls calls_of_library(std::string_view code, std::span<const std::string_view> declared,
                               std::string_view suffix = "$S");

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/library_functions.ipp>
#endif
