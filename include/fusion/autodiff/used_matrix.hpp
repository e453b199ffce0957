#pragma once
// What of a matrix variable a statement takes its derivatives by.

#include <cstdint>

namespace fusecl::detail {

class matrix_entry_base;

/// A matrix variable that a statement uses, or a block of one where it reads little and nothing else of it.
struct used_matrix {
  matrix_entry_base* entry = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool is_block = false;
  std::int64_t row0 = 0;  ///< of the first element of the block in the variable
  std::int64_t col0 = 0;
};

}  // namespace fusecl::detail
