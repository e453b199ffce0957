#pragma once
#include <stdexcept>

#include <fusion/eval/results.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_common_size(result_slot* results, const bool* reduced, std::size_t count) {
  result_slot* first = nullptr;
  for (std::size_t k = 0; k < count; ++k) {
    if (reduced[k]) continue;
    results[k].common = true;
    if (first) {
      check_same_shape("results = expressions", "one expression", first->rows, first->cols, "another",
                       results[k].rows, results[k].cols);
    } else {
      first = &results[k];
    }
  }
}

FUSECL_INLINE void check_distinct_targets(const result_slot* results, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t other = 0; other < k; ++other)
      if (!results[k].part && !results[other].part && results[k].target == results[other].target)
        throw std::invalid_argument("results = expressions: results " + std::to_string(other + 1) + " and " +
                                    std::to_string(k + 1) + " are the same matrix");
}

}  // namespace fusecl::detail
