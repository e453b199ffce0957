#pragma once
// Numbers of things, in the singular where there is one.

#include <cstdint>
#include <string>

namespace sampling {

/// `1 draw`, `2 draws`; `more` is the plural where it is not `one` and an s.
inline std::string counted(std::int64_t count, const std::string& one, const std::string& more = "") {
  return std::to_string(count) + " " + (count == 1 ? one : more.empty() ? one + "s" : more);
}

}  // namespace sampling
