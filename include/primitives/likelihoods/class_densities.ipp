#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <primitives/likelihoods/class_densities.hpp>

namespace fusecl::detail {

FUSECL_INLINE classes_of_columns::classes_of_columns(const char* of, argument n, argument v,
                                                     std::int64_t given, int more)
    : function(of), labels(std::move(n)), vectors(std::move(v)) {
  if (vectors.is_number()) vectors = vectors.arranged(vectors + constant(0.0, 1, 1));
  const std::int64_t columns = vectors.rows() == 0 && more > 0 ? 1 : vectors.cols();
  categories = vectors.rows() + more;
  outcomes = given == 0 || columns == 0 ? 0 : std::max(given, columns);
  if (outcomes == 0) return;
  if (!labels.is_number() && labels.cols() != 1)
    throw std::invalid_argument(text::fill("{}: {} must be a number or a vector, and is {}",
                                           {function, labels.name(), labels.size_text()}));
  if (categories == 0)
    throw std::invalid_argument(
        text::fill("{}: {} has size 0, but must have a non-zero size", {function, vectors.name()}));
  if (given != 1 && columns != 1 && given != columns)
    throw std::invalid_argument(
        text::fill("{}: {} ({}) must have one column, or as many as {} ({}) has elements",
                   {function, vectors.name(), vectors.size_text(), labels.name(), labels.size_text()}));
}

FUSECL_INLINE check classes_of_columns::label_check() const {
  return make_check(function, labels.name(), "in the interval [1, number of categories]", labels,
                    labels >= 1.0 && labels <= static_cast<double>(categories));
}

}  // namespace fusecl::detail
