#pragma once
// The element types of the library: their C++ type, OpenCL C name and promotion.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fusion/base/floating.hpp>

namespace fusecl {

/// Element type of a matrix, a scalar or a graph node. Ordered by conversion rank.
enum class scalar_type : std::uint8_t { boolean, int32, uint32, int64, float32, float64 };

inline constexpr scalar_type all_scalar_types[] = {scalar_type::boolean, scalar_type::int32,
                                                   scalar_type::uint32,  scalar_type::int64,
                                                   scalar_type::float32, scalar_type::float64};

/// Name in C++ (and in messages): "bool", "int", "unsigned", "long", "float", "double".
constexpr std::string_view cpp_name(scalar_type type) {
  constexpr std::string_view names[] = {"bool", "int", "unsigned", "long", "float", "double"};
  return names[static_cast<int>(type)];
}

/// Name in OpenCL C of the type a buffer holds: "uchar" for bool, "uint" for unsigned.
constexpr std::string_view opencl_name(scalar_type type) {
  constexpr std::string_view names[] = {"uchar", "int", "uint", "long", "float", "double"};
  return names[static_cast<int>(type)];
}

/// Bytes of one element in a buffer.
constexpr std::size_t size_of(scalar_type type) {
  constexpr std::size_t sizes[] = {1, 4, 4, 8, 4, 8};
  return sizes[static_cast<int>(type)];
}

/// Bytes of rows x cols elements; where that overflows, more than any device has.
constexpr std::size_t bytes_of(std::int64_t rows, std::int64_t cols, std::size_t element_bytes) {
  std::size_t bytes = 0;
  const bool overflows = __builtin_mul_overflow(rows, cols, &bytes) ||
                         __builtin_mul_overflow(bytes, element_bytes, &bytes) ||
                         bytes > (std::size_t{1} << 62);
  return overflows ? std::size_t{1} << 62 : bytes;
}

constexpr bool is_floating(scalar_type type) { return type >= scalar_type::float32; }

/// Type of `a + b` in C++: bool promotes to int, then the usual arithmetic conversions.
constexpr scalar_type promoted(scalar_type a, scalar_type b) {
  const scalar_type wider = a < b ? b : a;
  return wider == scalar_type::boolean ? scalar_type::int32 : wider;
}

/// Type a C++ <cmath> function computes in: float stays float, anything else becomes double.
constexpr scalar_type floating(scalar_type type) {
  return type == scalar_type::float32 ? type : scalar_type::float64;
}

/// The scalar_type of a C++ type. Any 64-bit integer is `long`, `long double` is `double`; what has another
/// type is what unary plus makes of it: `int` of char and short, and the number that a class converts to.
template <class T>
struct scalar_type_of;
template <>
struct scalar_type_of<bool> : std::integral_constant<scalar_type, scalar_type::boolean> {};
template <>
struct scalar_type_of<int> : std::integral_constant<scalar_type, scalar_type::int32> {};
template <>
struct scalar_type_of<unsigned> : std::integral_constant<scalar_type, scalar_type::uint32> {};
template <>
struct scalar_type_of<long> : std::integral_constant<scalar_type, scalar_type::int64> {};
template <>
struct scalar_type_of<long long> : std::integral_constant<scalar_type, scalar_type::int64> {};
template <>
struct scalar_type_of<unsigned long> : std::integral_constant<scalar_type, scalar_type::int64> {};
template <>
struct scalar_type_of<unsigned long long> : std::integral_constant<scalar_type, scalar_type::int64> {};
template <>
struct scalar_type_of<float> : std::integral_constant<scalar_type, scalar_type::float32> {};
template <>
struct scalar_type_of<double> : std::integral_constant<scalar_type, scalar_type::float64> {};
template <>
struct scalar_type_of<long double> : std::integral_constant<scalar_type, scalar_type::float64> {};
template <class T>
requires(std::is_arithmetic_v<decltype(+std::declval<const T&>())>) struct scalar_type_of<T>
    : scalar_type_of<decltype(+std::declval<const T&>())> {
};

static_assert(sizeof(long) == 8, "FuseCL needs a platform where long has 64 bits");

/// A C++ type that can be an element of a `matrix_cl`.
template <class T>
concept element = std::same_as<T, bool> || std::same_as<T, int> || std::same_as<T, unsigned> ||
    std::same_as<T, long> || std::same_as<T, float> || std::same_as<T, double>;

/// A number that can be a size.
template <class N>
inline constexpr bool is_whole_number = std::is_integral_v<N> && !std::is_same_v<N, bool>;

/// A C++ type that can stand as a scalar in an expression.
template <class T>
concept scalar_value = requires {
  scalar_type_of<T>::value;
};

template <class T>
inline constexpr scalar_type scalar_type_v = scalar_type_of<T>::value;

/// C++ type of a scalar_type.
template <scalar_type Type>
using cpp_type = std::conditional_t<
    Type == scalar_type::boolean, bool,
    std::conditional_t<Type == scalar_type::int32, int,
                       std::conditional_t<Type == scalar_type::uint32, unsigned,
                                          std::conditional_t<Type == scalar_type::int64, long,
                                                             std::conditional_t<Type == scalar_type::float32,
                                                                                float, double>>>>>;

/// Calls `f` with a value-initialised object of the C++ type of `type`.
template <class F>
constexpr decltype(auto) visit_type(scalar_type type, F&& f) {
  switch (type) {
    case scalar_type::boolean:
      return f(bool{});
    case scalar_type::int32:
      return f(int{});
    case scalar_type::uint32:
      return f(unsigned{});
    case scalar_type::int64:
      return f(long{});
    case scalar_type::float32:
      return f(float{});
    default:
      return f(double{});
  }
}

}  // namespace fusecl
