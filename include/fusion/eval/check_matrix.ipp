#pragma once
#include <fusion/base/fill.hpp>
#include <fusion/eval/check_matrix.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_form(bool holds, const char* function, const char* name, std::int64_t rows,
                              std::int64_t cols, const char* must_be) {
  if (!holds)
    throw std::invalid_argument(
        text::fill("{}: {} ({} x {}) must be {}", {function, name, rows, cols, must_be}));
}

FUSECL_INLINE void check_view(bool holds, const char* function, const char* name, matrix_cl_view view,
                              const char* must_be) {
  if (!holds)
    throw std::invalid_argument(
        text::fill("{}: the view of {} is {}, but must be {}", {function, name, view_name(view), must_be}));
}

FUSECL_INLINE void check_index_of_column(const char* function, const char* name, std::int64_t cols,
                                         std::int64_t index) {
  if (index < 1 || index > cols)
    throw std::out_of_range(
        text::fill("{}: column {} of {}, which has {} columns", {function, index, name, cols}));
}

}  // namespace fusecl::detail
