#pragma once
// Which tapes there are, of all threads. Read by the bodies of tapes only.

#include <cstdint>
#include <mutex>
#include <set>

#include <fusion/base/config.hpp>

namespace fusecl::detail {

/// The numbers of the tapes of threads that have not ended.
struct living_tapes {
  std::mutex mutex;
  std::set<std::uint32_t> numbers;
  std::uint32_t next = 0;
};

inline FUSECL_SHARED living_tapes& all_tapes() {
  static living_tapes* all = new living_tapes;  // outlives every thread
  return *all;
}

}  // namespace fusecl::detail
