#pragma once
// What derivatives are taken with respect to.

#include <cstdint>

namespace fusecl::passes {

/// What a derivative is taken with respect to: a matrix operand by slot, or a scalar argument by number.
struct variable {
  bool matrix;
  std::int64_t number;
  bool again = false;  ///< another use, under another view, of the variable before it in a list
};

}  // namespace fusecl::passes
