#pragma once
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <primitives/likelihoods/multi_normal.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_factor(const char* function, const argument& factor, const argument& vectors) {
  if (vectors.is_number())
    throw std::invalid_argument(text::fill("{}: {} must be a vector", {function, vectors.name()}));
  if (factor.rows() == vectors.rows() && factor.cols() == vectors.rows()) return;
  throw std::invalid_argument(
      text::fill("{}: {} ({}) must be square with as many rows as {} ({}) has elements",
                 {function, factor.name(), factor.size_text(), vectors.name(), vectors.size_text()}));
}

}  // namespace fusecl::detail
