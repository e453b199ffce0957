#pragma once
// Products of matrices. Those of a matrix with a vector are row or column sums of element-wise products, that
// of a column with a row is an element-wise product, and all others are computed by kernels of their own.

#include <fusion/expr/structure.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/reduce.hpp>

namespace fusecl {
namespace detail {

/// What a product is, by the sizes of its operands.
enum class product_form : std::uint32_t { matrix_by_vector, row_by_matrix, outer, matrices };

/// Throws std::invalid_argument unless a (a_rows x a_cols) and b (b_rows x b_cols) can be multiplied.
product_form form_of_product(const char* function, std::int64_t a_rows, std::int64_t a_cols,
                             std::int64_t b_rows, std::int64_t b_cols);

/// The numbers that a single element of type T becomes by itself. Not of whole numbers, as those are
/// sizes to the constructors of Eigen's matrices, which products become as well.
template <class Number, class T>
inline constexpr bool becomes = std::is_same_v<Number, T> ||
                                (std::is_same_v<Number, double> && std::is_same_v<T, float>) ||
                                (std::is_arithmetic_v<Number> && std::is_integral_v<T>);

/// The nodes of the product of `a` and `b`.
ir::node_id lower_product(ir::graph& g, product_form form, ir::node_id a, ir::node_id b);

}  // namespace detail

namespace detail {

/// A scalar expression of its only element: the expression itself where it is a scalar one. Throws
/// std::invalid_argument where `e` has more elements, or none.
template <class E>
decltype(auto) single_element(const E& e) {
  if constexpr (E::is_scalar) {
    return (e);
  } else {
    check_single_element(e.rows(), e.cols());
    return reduction<op::sum, ir::axis::all, E>("sum", e);
  }
}

/// The conversion of an expression with one element to a number of its type: evaluates it and waits. Throws
/// std::invalid_argument where it has another size. Numbers that hold less are asked for by static_cast. A
/// base of its own, as a conversion to any type would hide those of other bases.
template <class E, class T>
struct single_element_conversion {
  template <class Number>
  requires(std::is_arithmetic_v<Number>&& std::is_same_v<Number, bool> ==
           std::is_same_v<T, bool>) explicit(!becomes<Number, T>)
  operator Number() const {
    return static_cast<Number>(evaluate_scalar(single_element(static_cast<const E&>(*this))));
  }
};

template <class A, class B>
inline constexpr bool may_be_number<product_expression<A, B>> = true;

}  // namespace detail

/// `a * b` where neither is a scalar: a is n x k, b k x m, the product n x m.
template <class A, class B>
struct product_expression
    : expression<product_expression<A, B>>,
      detail::single_element_conversion<product_expression<A, B>, cpp_type<promoted(A::type, B::type)>> {
  using expression<product_expression<A, B>>::operator=;
  using operand_types = detail::types<A, B>;
  static constexpr scalar_type type = promoted(A::type, B::type);
  static constexpr bool is_scalar = false;
  A a;
  B b;

  product_expression(A first, B second, const char* function = "operator*")
      : a(std::move(first)), b(std::move(second)) {
    form(function);
  }
  /// Throws where the operands cannot be multiplied.
  detail::product_form form(const char* function = "operator*") const {
    return detail::form_of_product(function, a.rows(), a.cols(), b.rows(), b.cols());
  }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return b.cols(); }
  void gather(binder& bound) const {
    a.gather(bound);
    b.gather(bound);
    bound.choice(static_cast<std::uint32_t>(form()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id first = a.lower(low), second = b.lower(low);
    return detail::lower_product(low.graph(), static_cast<detail::product_form>(low.next_word()), first,
                                 second);
  }
};

namespace detail {
template <class A, class B>
inline constexpr bool is_reduced<product_expression<A, B>> = true;
}  // namespace detail

/// The n x n product of a (n x k) with its transpose, a a'.
template <expression_like A>
auto tcrossprod(A&& a) {
  const auto node = as_operation_cl(std::forward<A>(a));
  return node * transpose(node);
}
/// The k x k product of the transpose of a (n x k) with a, a' a.
template <expression_like A>
auto crossprod(A&& a) {
  const auto node = as_operation_cl(std::forward<A>(a));
  return transpose(node) * node;
}
/// a a', as `tcrossprod`.
template <expression_like A>
auto multiply_transpose(A&& a) {
  return tcrossprod(std::forward<A>(a));
}

FUSECL_REFUSE_OPERANDS(tcrossprod)
FUSECL_REFUSE_OPERANDS(crossprod)
FUSECL_REFUSE_OPERANDS(multiply_transpose)

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/product.ipp>
#endif
