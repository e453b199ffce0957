#pragma once
// How a GPU moves memory.

#include <cstdint>

namespace fusecl::kinds {

/// Bytes that memory moves as a whole: what is written in part is read before.
inline constexpr std::int64_t sector_bytes = 32;

}  // namespace fusecl::kinds
