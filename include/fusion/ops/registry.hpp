#pragma once
// The list of all operation records: what tests, the documentation and random graphs loop over.

#include <span>

#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/scan.hpp>
#include <fusion/ops/special.hpp>

/// X(tag) for every operation that has a record, element-wise ones first.
// clang-format off
#define FUSECL_ALL_ELEMENTWISE(X)                                                        \
  FUSECL_BINARY_ARITHMETIC(X)                                                            \
  FUSECL_BINARY_COMPARISON(X)                                                            \
  FUSECL_BINARY_LOGICAL(X)                                                               \
  X(integer_divide)                                                                      \
  X(negate) X(logical_not) X(select) FUSECL_UNARY_FLOATING(X) FUSECL_UNARY_ARITHMETIC(X) \
      FUSECL_UNARY_CLASSIFY(X) FUSECL_BINARY_FLOATING(X) FUSECL_BINARY_SCALED(X) FUSECL_TERNARY_FLOATING(X)
// clang-format on
#define FUSECL_ALL_OPERATIONS(X) FUSECL_ALL_ELEMENTWISE(X) FUSECL_REDUCTIONS(X) FUSECL_SCANS(X)

namespace fusecl::ops {

/// Every operation record, in the order of the lists.
std::span<const ir::operation* const> registry();

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/registry.ipp>
#endif
