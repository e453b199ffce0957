#pragma once
// Tags of the scans. Their text combines what two neighbouring pieces amount to; `host(nullptr)` is the
// neutral element.

#include <fusion/ops/record.hpp>

#define FUSECL_SCANS(X) X(cumulative_sum)

namespace fusecl::op {

#define FUSECL_SCAN_TAG(NAME) FUSECL_OPERATION_TAG(NAME, arithmetic)
FUSECL_SCANS(FUSECL_SCAN_TAG)
#undef FUSECL_SCAN_TAG

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/scan.ipp>
#endif
