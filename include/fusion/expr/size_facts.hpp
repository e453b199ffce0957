#pragma once
// Facts about sizes that a graph may rely on, as bits of words of the key.

#include <cstdint>

namespace fusecl::detail {

/// What is single of a matrix.
enum single_sizes : std::uint32_t { single_rows = 1, single_cols = 2, both_single = 3 };
inline std::uint32_t single_sizes_of(std::int64_t rows, std::int64_t cols) {
  return (rows == 1 ? single_rows : 0u) | (cols == 1 ? single_cols : 0u);
}
/// Beside these of an operand, in the word of a vector: whether it is turned.
inline constexpr std::uint32_t turned_vector = 4;
/// In the word of a block: what of it is single, whether it has all rows and all columns of its operand, and
/// where it starts.
enum block_facts : std::uint32_t {
  block_single_rows = 4,
  block_single_cols = 8,
  block_of_all_rows = 32,
  block_of_all_cols = 64,
  block_start = 128
};

}  // namespace fusecl::detail
