#pragma once
// Numbers by which copies of a host number in an expression are told from other numbers of its value.

#include <atomic>
#include <cstdint>

#include <fusion/base/config.hpp>

namespace fusecl::detail {

inline FUSECL_SHARED constinit std::atomic<std::uint64_t> blocks_of_origins{0};
inline FUSECL_SHARED constinit thread_local std::uint64_t last_origin = 0;

/// Another number for each call, not 0: threads take blocks of them.
inline std::uint64_t new_origin() {
  if (static_cast<std::uint32_t>(last_origin) == 0) last_origin = ++blocks_of_origins << 32;
  return ++last_origin;
}

}  // namespace fusecl::detail
