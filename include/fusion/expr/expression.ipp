#pragma once
#include <stdexcept>
#include <string>

#include <fusion/expr/expression.hpp>

namespace fusecl::detail {

FUSECL_INLINE void size_mismatch(const char* function, const char* what, const char* name_a, std::int64_t a,
                                 const char* name_b, std::int64_t b) {
  throw std::invalid_argument(std::string(function) + ": " + what + " of " + name_a + " (" +
                              std::to_string(a) + ") and " + what + " of " + name_b + " (" +
                              std::to_string(b) + ") must match in size");
}

FUSECL_INLINE void check_same_size(const char* function, const char* what, const char* name_a, std::int64_t a,
                                   const char* name_b, std::int64_t b) {
  if (a != b && a >= 0 && b >= 0) size_mismatch(function, what, name_a, a, name_b, b);
}

}  // namespace fusecl::detail
