#pragma once
// Correlations as functions of a squared distance u: as such they have derivatives at equal points, where the
// root of u has none. Element-wise operations of covariances only; no functions for users.

#include <fusion/ops/record.hpp>

namespace fusecl::op {

FUSECL_FLOATING_TAG(exponential_correlation)  ///< exp(-sqrt(u))
FUSECL_FLOATING_TAG(matern32_correlation)     ///< (1 + sqrt(u)) exp(-sqrt(u))
FUSECL_FLOATING_TAG(matern52_correlation)     ///< (1 + sqrt(u) + u / 3) exp(-sqrt(u))

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <primitives/covariances/kernels.ipp>
#endif
