#pragma once
// Reductions per row, per column and of everything. What is built on them lives in statistics.hpp.

#include <vector>

#include <fusion/expr/functions.hpp>
#include <fusion/expr/product.hpp>
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

/// Whether any element, and whether every element, is not zero, as a scalar expression of type bool. Of
/// nothing: false and true.
template <expression_like A>
auto any(A&& a) {
  return max_2d(cast<int>(std::forward<A>(a) != 0)) > 0;
}
template <expression_like A>
auto all(A&& a) {
  return min_2d(cast<int>(std::forward<A>(a) != 0)) > 0;
}
/// How many elements are not zero, as a scalar expression of type long.
template <expression_like A>
auto count(A&& a) {
  return sum_2d(cast<long>(std::forward<A>(a) != 0));
}
/// The largest and the smallest element, as scalar expressions: other names of max_2d and min_2d.
template <expression_like A>
auto max(A&& a) {
  return reduction<op::max, ir::axis::all, node_of<A>>("max", as_operation_cl(std::forward<A>(a)));
}
template <expression_like A>
auto min(A&& a) {
  return reduction<op::min, ir::axis::all, node_of<A>>("min", as_operation_cl(std::forward<A>(a)));
}
/// Two operands are for the functions of each place.
template <class... None>
detail::refused max(...) {
  static_assert(sizeof...(None) > 0,
                "max(a) is the largest element of a: of two in each place fmax(a, b) is the larger one");
  return {};
}
template <class... None>
detail::refused min(...) {
  static_assert(sizeof...(None) > 0,
                "min(a) is the smallest element of a: of two in each place fmin(a, b) is the smaller one");
  return {};
}
/// Sum of all elements, as a scalar expression.
template <expression_like A>
auto sum(A&& a) {
  return reduction<op::sum, ir::axis::all, node_of<A>>("sum", as_operation_cl(std::forward<A>(a)));
}
/// The same of what is on the host, there: of a number itself, of the elements of an Eigen object or of a
/// list.
template <class Number>
requires std::is_arithmetic_v<Number>
constexpr Number sum(Number x) { return x; }
template <host_matrix Host>
auto sum(const Host& host) {
  if constexpr (std::is_same_v<typename Host::Scalar, bool>)
    return static_cast<int>(host.count());
  else
    return host.sum();
}
/// Small integers and bool are added as int, as + does.
template <class Number>
requires std::is_arithmetic_v<Number>
auto sum(const std::vector<Number>& numbers) {
  auto total = +Number(0);
  for (const Number each : numbers) total += each;
  return total;
}
/// Refused: a sum is of one operand.
template <expression_like A, class B>
detail::refused sum(A&&, B&&, ...) {
  static_assert(sizeof(B) == 0,
                "sum(a) is the sum of all elements of a: of each row rowwise_sum(a), of each column "
                "colwise_sum(a), of two matrices sum(a + b)");
  return {};
}
/// Sum of the diagonal, as a scalar expression.
template <expression_like A>
auto trace(A&& a) {
  return sum(diagonal(std::forward<A>(a)));
}
/// Product of all elements, as a scalar expression.
template <expression_like A>
auto prod(A&& a) {
  return reduction<op::prod, ir::axis::all, node_of<A>>("prod", as_operation_cl(std::forward<A>(a)));
}

FUSECL_REFUSE_OPERANDS(any)
FUSECL_REFUSE_OPERANDS(all)
FUSECL_REFUSE_OPERANDS(count)
FUSECL_REFUSE_OPERANDS(sum)
FUSECL_REFUSE_OPERANDS(prod)
FUSECL_REFUSE_OPERANDS(trace)

}  // namespace fusecl
