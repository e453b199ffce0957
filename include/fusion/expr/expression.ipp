#pragma once
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/expr/expression.hpp>

namespace fusecl::detail {

FUSECL_INLINE void size_mismatch(const char* function, const char* what, const char* name_a, std::int64_t a,
                                 const char* name_b, std::int64_t b) {
  throw std::invalid_argument(text::fill("{}: {} of {} ({}) and {} of {} ({}) must match in size",
                                         {function, what, name_a, a, what, name_b, b}));
}

FUSECL_INLINE void check_same_size(const char* function, const char* what, const char* name_a, std::int64_t a,
                                   const char* name_b, std::int64_t b) {
  if (a != b && a >= 0 && b >= 0) size_mismatch(function, what, name_a, a, name_b, b);
}

FUSECL_INLINE const char* hint_of_nothing(std::int64_t rows, std::int64_t cols) {
  return rows == 0 && cols == 0 ? "; a matrix_cl that was given no size is 0 x 0, an empty column 0 x 1" : "";
}

FUSECL_INLINE std::string hint_of_size(const char* name, std::int64_t rows, std::int64_t cols) {
  if (rows != 1 || cols != 1) return hint_of_nothing(rows, cols);
  return text::fill("; {} has one element: sum({}) is a number, which goes with any size", {name, name});
}

/// Whether the first operand of a function is a target, as of operator+=.
inline bool is_assigned(std::string_view function) {
  return function.ends_with("+=") || function.ends_with("-=") || function.ends_with("*=") ||
         function.ends_with("/=");
}

FUSECL_INLINE std::string broadcast_hint(const char* vector, std::int64_t rows, std::int64_t cols,
                                         std::int64_t matrix_rows, std::int64_t matrix_cols) {
  if (rows == matrix_cols && cols == matrix_rows && (rows == 1) != (cols == 1))
    return text::fill("; transpose({}) lies the same way", {vector});
  const auto hint = [&](const char* repeat, const char* turn, const char* what) {
    return text::fill("; {}({}{}{} repeats it as {}", {repeat, turn, vector, *turn ? "))" : ")", what});
  };
  if (cols == 1 && rows == matrix_rows) return hint("rowwise_broadcast", "", "every column");
  if (rows == 1 && cols == matrix_cols) return hint("colwise_broadcast", "", "every row");
  if (cols == 1 && rows == matrix_cols) return hint("colwise_broadcast", "transpose(", "every row");
  if (rows == 1 && cols == matrix_rows) return hint("rowwise_broadcast", "transpose(", "every column");
  return {};
}

FUSECL_INLINE std::string shape_text(std::int64_t rows, std::int64_t cols) {
  const auto one = [](std::int64_t n) { return n < 0 ? text::piece("any") : text::piece(n); };
  return text::fill("{} x {}", {one(rows), one(cols)});
}

FUSECL_INLINE void shape_mismatch(const char* function, const char* name_a, std::int64_t rows_a,
                                  std::int64_t cols_a, const char* name_b, std::int64_t rows_b,
                                  std::int64_t cols_b) {
  const bool rows = rows_a != rows_b && rows_b >= 0;
  const char* what = rows ? "rows" : "columns";
  std::string hint;
  if (name_a[1] == '\0' && name_b[1] == '\0') {    // operands: what has another name is repeated by nobody
    const bool is_target = is_assigned(function);  // of which nobody takes the sum
    const auto is_operand = [](std::string_view name) { return name == "a" || name == "b" || name == "c"; };
    if (is_operand(name_a) && is_operand(name_b)) {
      if (!is_target || rows_a == 0) hint = hint_of_size(name_a, rows_a, cols_a);
      if (hint.empty()) hint = hint_of_size(name_b, rows_b, cols_b);
    }
    if (hint.empty() && !is_target) hint = broadcast_hint(name_a, rows_a, cols_a, rows_b, cols_b);
    if (hint.empty()) hint = broadcast_hint(name_b, rows_b, cols_b, rows_a, cols_a);
  }
  throw std::invalid_argument(
      text::fill("{}: {} of {} ({}) and {} of {} ({}) must match in size: {} is {}, {} is {}{}",
                 {function, what, name_a, rows ? rows_a : cols_a, what, name_b, rows ? rows_b : cols_b,
                  name_a, shape_text(rows_a, cols_a), name_b, shape_text(rows_b, cols_b), hint}));
}

FUSECL_INLINE void refuse_repeated(const char* function, std::int64_t rows, std::int64_t cols,
                                   bool repeats_rows, bool repeats_cols) {
  const char* wanted = repeats_rows && repeats_cols ? "single element" : repeats_rows ? "row" : "column";
  const bool turns = repeats_rows != repeats_cols && (repeats_rows ? cols : rows) == 1;
  throw std::invalid_argument(text::fill("{}: a is {}, but must be a {}{}",
                                         {function, shape_text(rows, cols), wanted,
                                          turns ? text::fill("; transpose(a) is a {}", {wanted}) : ""}));
}

FUSECL_INLINE void check_same_shape(const char* function, const char* name_a, std::int64_t rows_a,
                                    std::int64_t cols_a, const char* name_b, std::int64_t rows_b,
                                    std::int64_t cols_b) {
  const auto fits = [](std::int64_t a, std::int64_t b) { return a == b || a < 0 || b < 0; };
  if (!fits(rows_a, rows_b) || !fits(cols_a, cols_b))
    shape_mismatch(function, name_a, rows_a, cols_a, name_b, rows_b, cols_b);
}

FUSECL_INLINE void check_pair(const char* function, std::int64_t rows_a, std::int64_t cols_a,
                              std::int64_t rows_b, std::int64_t cols_b) {
  const auto fit = [](std::int64_t a, std::int64_t b) { return a == b || a < 0 || b < 0; };
  if (fit(rows_a, rows_b) && fit(cols_a, cols_b)) return;
  const auto is_vector = [](std::int64_t rows, std::int64_t cols) { return rows == 1 || cols == 1; };
  const bool vectors = is_vector(rows_a, cols_a) && is_vector(rows_b, cols_b);
  if (vectors && fit(elements_of(rows_a, cols_a), elements_of(rows_b, cols_b))) return;
  throw std::invalid_argument(
      text::fill("{}: the first operand is {} and the second {}; {}",
                 {function, shape_text(rows_a, cols_a), shape_text(rows_b, cols_b),
                  vectors ? "both must have the same number of elements" : "both must have the same size"}));
}

FUSECL_INLINE void number_beyond_long(std::uint64_t number) {
  throw std::out_of_range("a scalar operand (" + std::to_string(number) + ") is beyond the largest long");
}

FUSECL_INLINE void check_stated_size(const char* function, std::int64_t rows, std::int64_t cols,
                                     bool may_be_free) {
  const auto refused = [&](std::int64_t n) { return n < 0 && !(may_be_free && n == free_size); };
  if (refused(rows) || refused(cols))
    throw std::invalid_argument(
        text::fill("{}: rows ({}) and columns ({}) must not be negative", {function, rows, cols}));
}

FUSECL_INLINE void check_not_negative(const char* function, const char* what, std::int64_t size) {
  if (size < 0)
    throw std::domain_error(text::fill("{}: {} ({}) must not be negative", {function, what, size}));
}

FUSECL_INLINE void check_repeated(const char* function, std::int64_t a_rows, std::int64_t a_cols,
                                  std::int64_t rows, std::int64_t cols) {
  check_not_negative(function, "rows of the result", rows);
  check_not_negative(function, "columns of the result", cols);
  if (a_rows != 1 || a_cols != 1)
    throw std::invalid_argument(
        text::fill("{}: the value repeated ({} x {}) must be a scalar or 1 x 1", {function, a_rows, a_cols}));
}

[[noreturn]] inline void free_operand(const char* function, bool rows) {
  throw std::invalid_argument(text::fill(
      "{}: a has no size of its own ({} are missing), and its elements are counted here; give it one, as in "
      "constant(x, rows, cols)",
      {function, rows ? "rows" : "columns"}));
}

FUSECL_INLINE void check_countable(const char* function, std::int64_t rows, std::int64_t cols,
                                   bool may_be_free) {
  if (rows < 0 || cols < 0) {
    if (may_be_free) return;
    free_operand(function, rows < 0);
  }
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(rows, cols, &elements))
    throw std::length_error(text::fill("{}: a ({} x {}) has too many elements", {function, rows, cols}));
}

FUSECL_INLINE void check_index_size(bool rows, std::int64_t count) {
  if (count > std::int64_t{1} << 31)
    throw std::length_error(text::fill("{}: the numbers of {} {} do not fit into int",
                                       {rows ? "row_index" : "col_index", count, rows ? "rows" : "columns"}));
}

}  // namespace fusecl::detail
