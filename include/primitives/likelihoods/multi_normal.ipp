#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/eval/check_matrix.hpp>
#include <primitives/likelihoods/multi_normal.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_square_for(const char* function, const argument& matrix, const argument& vectors) {
  if (vectors.is_number())
    throw std::invalid_argument(text::fill("{}: {} must be a vector", {function, vectors.name()}));
  if (matrix.rows() == vectors.rows() && matrix.cols() == vectors.rows()) return;
  throw std::invalid_argument(
      text::fill("{}: {} ({}) must be square with as many rows as {} ({}) has elements",
                 {function, matrix.name(), matrix.size_text(), vectors.name(), vectors.size_text()}));
}

FUSECL_INLINE list_of<check> checks_of_vectors(const char* function, const argument& y, const argument& mu) {
  list_of<check> checks;
  checks.push_back(make_check(function, mu.name(), "finite", mu, isfinite(mu)));
  checks.push_back(make_check(function, y.name(), "not nan", y, !isnan(y)));
  return checks;
}

FUSECL_INLINE void add_symmetry_checks(list_of<check>& checks, const char* function, const argument& matrix) {
  checks.push_back(make_check(function, matrix.name(), "finite", matrix, isfinite(matrix)));
  checks.push_back(make_check(function, matrix.name(), "symmetric", matrix,
                              fabs(matrix - transpose(matrix)) <= symmetry_tolerance));
}

}  // namespace fusecl::detail
