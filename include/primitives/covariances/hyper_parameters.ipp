#pragma once
#include <limits>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/number_text.hpp>
#include <primitives/covariances/hyper_parameters.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_number(const char* function, const char* name, number_rule rule, double value) {
  const bool finite = rule != number_rule::positive, zero = rule == number_rule::nonnegative_finite;
  const bool is_finite_or_free = !finite || value < std::numeric_limits<double>::infinity();
  if ((value > 0 || (zero && value == 0)) && is_finite_or_free) return;
  const char* must_be = zero ? "nonnegative finite" : finite ? "positive finite" : "positive";
  throw std::domain_error(
      text::fill("{}: {} is {}, but must be {}!", {function, name, number_text(value), must_be}));
}

}  // namespace fusecl::detail
