#pragma once
// Reductions per row, per column and of everything, and the statistics built on them.

#include <algorithm>
#include <stdexcept>
#include <string>

#include <fusion/expr/functions.hpp>
#include <fusion/ops/reduce.hpp>

namespace fusecl {

/// Complete reductions. `rowwise_*` gives rows x 1, `colwise_*` 1 x cols, the others a scalar expression,
/// which converts to a host number on demand. Of nothing: sum 0, prod 1, max and min the lowest and highest
/// value of the type. NaN propagates.
#define FUSECL_REDUCTION_FUNCTIONS(NAME)                                                                     \
  template <expression_like A>                                                                               \
  auto rowwise_##NAME(A&& a) {                                                                               \
    return reduction<op::NAME, ir::axis::row, node_of<A>>("rowwise_" #NAME,                                  \
                                                          as_operation_cl(std::forward<A>(a)));              \
  }                                                                                                          \
  template <expression_like A>                                                                               \
  auto colwise_##NAME(A&& a) {                                                                               \
    return reduction<op::NAME, ir::axis::column, node_of<A>>("colwise_" #NAME,                               \
                                                             as_operation_cl(std::forward<A>(a)));           \
  }                                                                                                          \
  template <expression_like A>                                                                               \
  auto NAME##_2d(A&& a) {                                                                                    \
    return reduction<op::NAME, ir::axis::all, node_of<A>>(#NAME "_2d", as_operation_cl(std::forward<A>(a))); \
  }
FUSECL_REDUCTIONS(FUSECL_REDUCTION_FUNCTIONS)
#undef FUSECL_REDUCTION_FUNCTIONS

/// Sum of all elements, as a scalar expression.
template <expression_like A>
auto sum(A&& a) {
  return sum_2d(std::forward<A>(a));
}
/// Product of all elements, as a scalar expression.
template <expression_like A>
auto prod(A&& a) {
  return prod_2d(std::forward<A>(a));
}

namespace detail {
/// Number of elements; throws std::invalid_argument where there are none.
template <expression_like A>
double element_count(const char* function, const A& a) {
  if (a.rows() == 0 || a.cols() == 0)
    throw std::invalid_argument(std::string(function) + ": a has no elements");
  return static_cast<double>(a.rows()) * static_cast<double>(a.cols());
}
}  // namespace detail

/// Sum of the element-wise products of two expressions of equal size.
template <expression_like A, expression_like B>
auto dot_product(A&& a, B&& b) {
  return sum(detail::make_binary<op::multiply>("dot_product", std::forward<A>(a), std::forward<B>(b)));
}
/// Sum of the squared elements.
template <expression_like A>
auto dot_self(A&& a) {
  return sum(square(std::forward<A>(a)));
}
/// Arithmetic mean of all elements. Throws std::invalid_argument for nothing.
template <expression_like A>
auto mean(A&& a) {
  const double count = detail::element_count("mean", a);
  return sum(std::forward<A>(a)) / count;
}
/// Sample variance of all elements, with divisor n - 1, in two passes; 0 of one element. Throws
/// std::invalid_argument for nothing.
template <expression_like A>
auto variance(A&& a) {
  const double count = detail::element_count("variance", a);
  auto operand = as_operation_cl(std::forward<A>(a));
  return sum(square(operand - sum(operand) / count)) / std::max(count - 1.0, 1.0);
}
/// Sample standard deviation of all elements, with divisor n - 1.
template <expression_like A>
auto sd(A&& a) {
  return sqrt(variance(std::forward<A>(a)));
}

}  // namespace fusecl
