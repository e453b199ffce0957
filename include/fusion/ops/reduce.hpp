#pragma once
// Tags of the reductions. Their text combines two partial results; `host(nullptr)` is the neutral element.

#include <fusion/base/config.hpp>
#include <fusion/ir/operation.hpp>

#define FUSECL_REDUCTIONS(X) X(sum) X(prod) X(max) X(min)

namespace fusecl::op {

#define FUSECL_TAG(NAME)                                              \
  struct NAME {                                                       \
    static constexpr ir::type_rule types = ir::type_rule::arithmetic; \
    static const ir::operation& record();                             \
  };
FUSECL_REDUCTIONS(FUSECL_TAG)
#undef FUSECL_TAG

}  // namespace fusecl::op

#ifndef FUSECL_SPLIT
#include <fusion/ops/reduce.ipp>
#endif
