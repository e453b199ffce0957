#pragma once
// Tags of the reductions. Their text combines two partial results; `host(nullptr)` is the neutral element.

#include <fusion/ops/record.hpp>

#define FUSECL_REDUCTIONS(X) X(sum) X(prod) X(max) X(min)

namespace fusecl::op {

#define FUSECL_REDUCTION_TAG(NAME) FUSECL_OPERATION_TAG(NAME, arithmetic)
FUSECL_REDUCTIONS(FUSECL_REDUCTION_TAG)
#undef FUSECL_REDUCTION_TAG

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/reduce.ipp>
#endif
