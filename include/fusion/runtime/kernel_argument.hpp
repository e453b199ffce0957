#pragma once
// What a hand-written kernel is called with.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <fusion/base/floating.hpp>
#include <fusion/base/scalar_type.hpp>

namespace fusecl::runtime {

class storage;

/// The number that is given, of its own type: what converts to one, as complete reductions and parameters do.
template <class Given>
auto number_in_argument(const Given& given) {
  if constexpr (std::is_enum_v<Given>)
    return static_cast<std::underlying_type_t<Given>>(given);
  else if constexpr (requires { scalar_type{Given::type}; })
    return static_cast<cpp_type<Given::type>>(given);
  else if constexpr (requires { static_cast<typename Given::value_type>(given); })
    return static_cast<typename Given::value_type>(given);
  else
    return given;
}

/// A number that a call was given for a parameter whose type does not have it.
struct unfit_number {
  enum kind : unsigned char { none, negative, positive, floating };
  kind is = none;
  std::uint64_t whole = 0;  ///< without its sign
  double number = 0;
};

/// What is unfit of a number for a parameter of type `To`, if it is.
template <class To, class From>
unfit_number unfit(const From& given) {
  using limits = std::numeric_limits<To>;
  if constexpr (!std::is_arithmetic_v<From>) {
    return {};
  } else if constexpr (std::is_floating_point_v<To>) {
    if constexpr (std::is_floating_point_v<From> &&
                  limits::max_exponent < std::numeric_limits<From>::max_exponent)
      if (!is_infinite(given) && std::fabs(given) > static_cast<From>(limits::max()))
        return {unfit_number::floating, 0, static_cast<double>(given)};
    return {};
  } else if constexpr (std::is_floating_point_v<From>) {
    const From beyond = std::ldexp(From(1), limits::digits);
    const bool fits =
        given >= static_cast<From>(limits::min()) && given < beyond && std::trunc(given) == given;
    return fits ? unfit_number{} : unfit_number{unfit_number::floating, 0, static_cast<double>(given)};
  } else {
    const auto bits = static_cast<std::uint64_t>(given);
    if constexpr (std::is_signed_v<From>)
      if (given < 0)
        return std::is_signed_v<To> &&
                       static_cast<std::int64_t>(given) >= static_cast<std::int64_t>(limits::min())
                   ? unfit_number{}
                   : unfit_number{unfit_number::negative, ~bits + 1, 0};
    return bits <= static_cast<std::uint64_t>(limits::max()) ? unfit_number{}
                                                             : unfit_number{unfit_number::positive, bits, 0};
  }
}

/// One bound argument: a matrix and how it is used, or bytes (null for local memory).
struct kernel_argument {
  const void* matrix = nullptr;
  storage* (*memory)(const void* matrix) = nullptr;  ///< its memory
  void (*sizes)(const void* matrix, std::int64_t& rows, std::int64_t& cols) = nullptr;
  /// Gives it memory that a kernel may write to, with the same contents; null where there is no other.
  void (*make_writable)(const void* matrix) = nullptr;
  bool reads = false;
  bool writes = false;
  bool has_element = false;  ///< whether the matrix says what its elements are
  scalar_type element{};
  const void* bytes = nullptr;
  std::size_t size = 0;
  const char* given_as = nullptr;  ///< its template argument: "in_buffer", "int", ...
  bool floating = false;           ///< of a number: whether it is a floating-point one
  bool is_unsigned = false;        ///< of one that is not: whether it has no sign
  std::int64_t whole = 0;          ///< its value, modulo 2^64

  unfit_number unfit = {};  ///< where it was converted from what is another number

  std::string text_of_whole() const {
    return is_unsigned ? std::to_string(static_cast<std::uint64_t>(whole)) : std::to_string(whole);
  }
};

}  // namespace fusecl::runtime
