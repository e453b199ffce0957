#pragma once
// Numbers as messages show them.

#include <charconv>
#include <string>

#include <fusion/base/floating.hpp>

namespace fusecl::detail {

/// A number as messages show it: as many digits as tell it from others.
template <class Number>
std::string number_text(Number x) {
  if (is_nan(x)) return "nan";
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}
inline std::string number_text(bool x) { return x ? "1" : "0"; }

}  // namespace fusecl::detail
