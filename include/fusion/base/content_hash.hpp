#pragma once
// A number for a text that is the same in every process: names of files and of functions are made of it.

#include <cstdint>
#include <string>
#include <string_view>

#include <fusion/base/config.hpp>

namespace fusecl::text {

/// 128 bits over a text, the same on every machine; names files and functions and detects damage.
struct content_hash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const content_hash&, const content_hash&) = default;
};
content_hash hash_content(std::string_view content);

/// 32 hexadecimal digits.
std::string hex(const content_hash& hash);

}  // namespace fusecl::text

#ifndef FUSECL_SPLIT
#include <fusion/base/content_hash.ipp>
#endif
