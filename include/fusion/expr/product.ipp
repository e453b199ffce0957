#pragma once
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/expr/product.hpp>

namespace fusecl::detail {

/// A factor has a size of its own, which what is repeated to that of others has not.
inline void check_factor(const char* function, const char* factor, std::int64_t rows, std::int64_t cols) {
  if ((rows < 0) == (cols < 0)) return check_known_size(function, rows, cols, factor);
  throw std::invalid_argument(
      text::fill("{}: {} of {} are not known: where it repeats a vector v, rep_matrix(v, n) does so n times",
                 {function, rows < 0 ? "rows" : "columns", factor}));
}

FUSECL_INLINE product_form form_of_product(const char* function, std::int64_t a_rows, std::int64_t a_cols,
                                           std::int64_t b_rows, std::int64_t b_cols) {
  check_factor(function, "a", a_rows, a_cols);
  check_factor(function, "b", b_rows, b_cols);
  if (a_cols == b_rows)
    return b_cols == 1   ? product_form::matrix_by_vector
           : a_rows == 1 ? product_form::row_by_matrix
           : a_cols == 1 ? product_form::outer
                         : product_form::matrices;
  std::string hint = hint_of_size("a", a_rows, a_cols);
  if (hint.empty()) hint = hint_of_size("b", b_rows, b_cols);
  const std::string sizes = "a (" + std::to_string(a_rows) + " x " + std::to_string(a_cols) + ") and b (" +
                            std::to_string(b_rows) + " x " + std::to_string(b_cols) + ")";
  throw std::invalid_argument(std::string(function) +
                              ": columns of a and rows of b must match in size: " + sizes +
                              (hint.empty() ? "; use elt_multiply for the element-wise product" : hint));
}

FUSECL_INLINE void check_single_element(std::int64_t rows, std::int64_t cols) {
  if (rows != 1 || cols != 1)
    throw std::invalid_argument("a product as a number: what is " + std::to_string(rows) + " x " +
                                std::to_string(cols) +
                                " is none; assign it to a matrix_cl, or use dot_product(a, b)");
}

FUSECL_INLINE ir::node_id lower_product(ir::graph& g, product_form form, ir::node_id a, ir::node_id b) {
  g.unify(g[a].cols, g[b].rows);
  if (form == product_form::outer) g.unify(g[a].cols, ir::one);
  if (form == product_form::matrix_by_vector) g.unify(g[b].cols, ir::one);
  if (form == product_form::row_by_matrix) g.unify(g[a].rows, ir::one);
  return ops::product(g, a, b);
}

}  // namespace fusecl::detail
