#pragma once
#include <fusion/ops/registry.hpp>

namespace fusecl::ops {

FUSECL_INLINE std::span<const ir::operation* const> registry() {
#define FUSECL_RECORD_OF(NAME) &op::NAME::record(),
  static const ir::operation* const records[] = {FUSECL_ALL_OPERATIONS(FUSECL_RECORD_OF)};
#undef FUSECL_RECORD_OF
  return records;
}

}  // namespace fusecl::ops
