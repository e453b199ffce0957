#pragma once
// What derivatives are taken with respect to.

#include <cstdint>

namespace fusecl::passes {

/// What a derivative is taken with respect to: a matrix operand by slot, a scalar argument by number, or a
/// part of a matrix that is all that is read of it.
struct variable {
  bool matrix;
  std::int64_t number;
  bool again = false;  ///< another use, under another view, of the variable before it in a list
  /// Of a part of a matrix, by which the derivative is taken instead: the first of the symbols of its first
  /// row and column and its sizes.
  std::int32_t part = -1;

  bool is_part() const { return part >= 0; }
};

}  // namespace fusecl::passes
