#pragma once
#include <fusion/eval/results.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_common_size(result_slot* results, const bool* reduced, std::size_t count) {
  result_slot* first = nullptr;
  for (std::size_t k = 0; k < count; ++k) {
    if (reduced[k]) continue;
    results[k].common = true;
    if (first) {
      check_same_size("results = expressions", "rows", "one expression", first->rows, "another",
                      results[k].rows);
      check_same_size("results = expressions", "columns", "one expression", first->cols, "another",
                      results[k].cols);
    } else {
      first = &results[k];
    }
  }
}

}  // namespace fusecl::detail
