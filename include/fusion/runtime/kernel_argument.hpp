#pragma once
// What a hand-written kernel is called with.

#include <cstddef>
#include <cstdint>
#include <string>

#include <fusion/base/scalar_type.hpp>

namespace fusecl::runtime {

class storage;

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

  std::string text_of_whole() const {
    return is_unsigned ? std::to_string(static_cast<std::uint64_t>(whole)) : std::to_string(whole);
  }
};

}  // namespace fusecl::runtime
