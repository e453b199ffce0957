#pragma once
#include <cstdio>
#include <cstring>

#include <fusion/base/content_hash.hpp>

namespace fusecl::text {

FUSECL_INLINE std::uint64_t mix_bits(std::uint64_t x) {  // the finaliser of MurmurHash3
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

FUSECL_INLINE content_hash hash_content(std::string_view content) {
  std::uint64_t a = 0x9e3779b97f4a7c15ULL ^ content.size(), b = 0xc2b2ae3d27d4eb4fULL + content.size();
  const auto take = [&](std::uint64_t word) {
    a = mix_bits(a ^ word);
    b = (b + mix_bits(word + 0x165667b19e3779f9ULL)) * 0x9fb21c651e98df25ULL;
    b ^= b >> 29;
  };
  std::size_t i = 0;
  for (; i + 8 <= content.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, content.data() + i, 8);
    take(word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, content.data() + i, content.size() - i);
  take(rest);
  return {mix_bits(a ^ (b << 1)), mix_bits(b)};
}

FUSECL_INLINE std::string hex(const content_hash& hash) {
  char digits[33];
  std::snprintf(digits, sizeof(digits), "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return digits;
}

}  // namespace fusecl::text
