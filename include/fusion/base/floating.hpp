#pragma once
// What a floating-point number is, by its bits: compilers that may assume that there are no NaN and no
// infinities (-ffast-math) take std::isnan, and comparisons that a NaN decides, for constants.

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace fusecl {
namespace detail {

/// Sign, exponent and fraction of a number: whether the exponent is the largest, and whether a fraction
/// follows it.
struct number_class {
  bool largest_exponent;
  bool fraction;
};

inline number_class classify(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return {(bits >> 52 & 0x7ff) == 0x7ff, bits << 12 != 0};
}
inline number_class classify(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return {(bits >> 23 & 0xff) == 0xff, bits << 9 != 0};
}
inline number_class classify(long double x) {
  constexpr int digits = std::numeric_limits<long double>::digits;
  if constexpr (digits == std::numeric_limits<double>::digits) {
    return classify(static_cast<double>(x));
  } else {
    std::uint64_t words[2] = {};  // x87: 64 bits of fraction, the first one explicit; IEEE quad: 112
    std::memcpy(words, &x, sizeof x < sizeof words ? sizeof x : sizeof words);
    if constexpr (digits == 64) return {(words[1] & 0x7fff) == 0x7fff, words[0] << 1 != 0};
    return {(words[1] >> 48 & 0x7fff) == 0x7fff, (words[1] << 16 | words[0]) != 0};
  }
}

}  // namespace detail

/// Whether a number is NaN, infinite, neither. Other types are always finite.
template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    const detail::number_class c = detail::classify(x);
    return c.largest_exponent && c.fraction;
  } else {
    return false;
  }
}
template <class T>
bool is_infinite(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    const detail::number_class c = detail::classify(x);
    return c.largest_exponent && !c.fraction;
  } else {
    return false;
  }
}
template <class T>
bool is_finite(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return !detail::classify(x).largest_exponent;
  else
    return true;
}

/// Whether a number is 0 or -0.
inline bool is_zero(double x) { return std::bit_cast<std::uint64_t>(x) << 1 == 0; }
/// Whether two numbers have the same bits: 0 and -0 differ, a NaN is itself.
inline bool is_same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace fusecl
