#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/eval/results.hpp>

namespace fusecl::detail {

/// Throws std::invalid_argument where one result has one element and another many, which a number has not
/// filled.
inline void check_no_single_element(std::int64_t rows, std::int64_t cols, const result_slot& r) {
  if (rows < 0 || cols < 0 || r.rows < 0 || r.cols < 0) return;
  if ((rows == 1 && cols == 1) == (r.rows == 1 && r.cols == 1)) return;
  throw std::invalid_argument(
      text::fill("results = expressions: one expression ({} x {}) and another ({} x {}) must have the same "
                 "size; where a "
                 "number x is meant to fill a matrix, write constant(x)",
                 {rows, cols, r.rows, r.cols}));
}

FUSECL_INLINE void check_common_size(result_slot* results, const bool* reduced, std::size_t count) {
  std::int64_t rows = free_size, cols = free_size;
  for (std::size_t k = 0; k < count; ++k) {
    if (reduced[k]) continue;
    results[k].common = true;
    check_no_single_element(rows, cols, results[k]);
    check_same_shape("results = expressions", "one expression", rows, cols, "another", results[k].rows,
                     results[k].cols);
    rows = std::max(rows, results[k].rows);
    cols = std::max(cols, results[k].cols);
  }
  for (std::size_t k = 0; k < count; ++k) {  // what has no size of its own has that of the others
    if (!reduced[k] || results[k].rows < 0) results[k].rows = rows;
    if (!reduced[k] || results[k].cols < 0) results[k].cols = cols;
  }
}

[[noreturn]] inline void equal_targets(std::size_t first, std::size_t second, const char* what) {
  throw std::invalid_argument("results = expressions: results " + std::to_string(first + 1) + " and " +
                              std::to_string(second + 1) + " are the same " + what);
}

[[noreturn]] inline void whole_and_part(std::size_t whole, std::size_t part) {
  throw std::invalid_argument(
      text::fill("results = expressions: result {} is a part of result {}", {part + 1, whole + 1}));
}

/// Throws where two results, of which each may be a part, are in one matrix and one of them is all of it.
inline void check_distinct_matrices(std::size_t first, bool first_is_part, std::size_t second,
                                    bool second_is_part) {
  if (first_is_part && second_is_part) return;  // written in their order
  if (!first_is_part && !second_is_part) equal_targets(first, second, "matrix");
  whole_and_part(first_is_part ? second : first, first_is_part ? first : second);
}

FUSECL_INLINE void check_distinct_targets(const result_slot* results, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t other = 0; other < k; ++other)
      if (results[k].number < 0 && results[other].number < 0 &&
          results[k].target->is_same_matrix(*results[other].target))
        check_distinct_matrices(other, results[other].part != nullptr, k, results[k].part != nullptr);
}

FUSECL_INLINE void check_distinct_targets(const void* const* numbers, const matrix_base* const* matrices,
                                          const bool* parts, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t other = 0; other < k; ++other) {
      if (numbers[k] && numbers[k] == numbers[other]) equal_targets(other, k, "number");
      if (matrices[k] && matrices[other] && matrices[k]->is_same_matrix(*matrices[other]))
        check_distinct_matrices(other, parts[other], k, parts[k]);
    }
}

/// Whether a whole matrix that gets a result of this size has it already; negative: of any.
inline bool keeps_size(const matrix_base& whole, std::int64_t rows, std::int64_t cols) {
  return (rows < 0 || rows == whole.rows()) && (cols < 0 || cols == whole.cols());
}

FUSECL_INLINE void check_not_in_place_of(const matrix_base& whole, std::size_t first, std::int64_t rows,
                                         std::int64_t cols, const matrix_base& of_part, std::size_t second) {
  if (keeps_size(whole, rows, cols) && !whole.is_same_matrix(of_part) && share_memory(whole, of_part))
    in_one_buffer(first, second);
}

FUSECL_INLINE void check_not_in_one_buffer(const matrix_base* const* matrices, const bool* parts,
                                           const std::int64_t* rows, const std::int64_t* cols,
                                           std::size_t count) {
  const auto stays = [&](std::size_t k) { return parts[k] || keeps_size(*matrices[k], rows[k], cols[k]); };
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t other = 0; other < k; ++other)
      if (matrices[k] && matrices[other] && !(parts[k] && parts[other]) && stays(k) && stays(other) &&
          !matrices[k]->is_same_matrix(*matrices[other]) && share_memory(*matrices[k], *matrices[other]))
        in_one_buffer(other, k);
}

}  // namespace fusecl::detail
