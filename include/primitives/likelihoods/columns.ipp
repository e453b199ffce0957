#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <primitives/likelihoods/columns.hpp>

namespace fusecl::detail {

FUSECL_INLINE std::int64_t check_columns(const char* function,
                                         std::initializer_list<const argument*> vectors) {
  const argument* first = nullptr;
  const argument* widest = nullptr;
  for (const argument* v : vectors) {
    if (v->is_number()) continue;
    if (v->rows() == 0 && v->cols() == 0) return 0;
    if (v->rows() == 0)
      throw std::invalid_argument(
          text::fill("{}: {} has size 0, but must have a non-zero size", {function, v->name()}));
    if (first && (v->rows() != first->rows() || (v->cols() != 1 && widest && v->cols() != widest->cols())))
      throw std::invalid_argument(text::fill(
          "{}: {} ({}) and {} ({}) must have as many rows, and as many columns unless one has a single one",
          {function, first->name(), first->size_text(), v->name(), v->size_text()}));
    if (!first) first = v;
    if (v->cols() != 1) widest = v;
  }
  if (!first)
    throw std::invalid_argument(
        text::fill("{}: {} must be a vector", {function, (*vectors.begin())->name()}));
  return widest ? widest->cols() : 1;
}

FUSECL_INLINE void check_simplex(list_of<check>& checks, const char* function, const argument& probabilities,
                                 const char* sum_of_them) {
  const auto sums = shared(colwise_sum(probabilities));
  checks.push_back(
      make_check(function, probabilities.name(), "nonnegative", probabilities, probabilities >= 0.0));
  checks.push_back(make_check(function, sum_of_them, "1", sums, fabs(sums - 1.0) <= 1e-8));
}

FUSECL_INLINE argument one_each(const argument& of, std::int64_t n) {
  if (of.is_number()) return of.arranged(of + constant(0.0, 1, n));
  return in_columns(of.arranged(transpose(of)), n);
}

FUSECL_INLINE argument in_columns(const argument& of, std::int64_t n) {
  if (of.cols() == n) return of;
  return of.arranged(rowwise_broadcast(of) + constant(0.0, of.rows(), n));
}

}  // namespace fusecl::detail
