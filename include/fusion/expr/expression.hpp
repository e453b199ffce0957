#pragma once
// What an expression is. A node of the typed AST is a plain struct that holds its operands by value and
// offers
//   static constexpr scalar_type type     element type
//   static constexpr bool is_scalar       one element that combines with any shape
//   rows(), cols()                        sizes; negative where free
//   gather(binder&)                       writes operands and key, at every evaluation
//   lower(lowering&)                      writes the graph, once per key; walks like gather
//   operand_types                         the nodes it is made of, as types; a leaf inherits an empty list
//   operation                             tag of its operation, where it is an element-wise function

#include <cstdint>
#include <type_traits>
#include <utility>

#include <fusion/expr/binder.hpp>
#include <fusion/expr/lowering.hpp>

namespace fusecl {

/// Size of an expression that fits any size.
inline constexpr std::int64_t free_size = -1;

namespace detail {

/// Marks types that are nodes of the typed AST.
struct node_base {};

/// A list of types.
template <class... T>
struct types {};

/// Where a node is no element-wise function.
struct no_operation {};

/// Throws std::invalid_argument unless the sizes agree or one of them is free.
void check_same_size(const char* function, const char* what, const char* name_a, std::int64_t a,
                     const char* name_b, std::int64_t b);
/// The same for rows and columns.
void check_same_shape(const char* function, const char* name_a, std::int64_t rows_a, std::int64_t cols_a,
                      const char* name_b, std::int64_t rows_b, std::int64_t cols_b);
/// Throws std::invalid_argument for a negative size; `free_size` passes where `may_be_free`.
void check_stated_size(const char* function, std::int64_t rows, std::int64_t cols, bool may_be_free);
/// Throws std::domain_error for a negative size, called `what`.
void check_not_negative(const char* function, const char* what, std::int64_t size);
/// Throws std::domain_error for a negative size of the result, std::invalid_argument unless the operand, of
/// a_rows x a_cols elements, has exactly one.
void check_repeated(const char* function, std::int64_t a_rows, std::int64_t a_cols, std::int64_t rows,
                    std::int64_t cols);
/// Throws std::invalid_argument unless both sizes of the operand `a` are known or may be free, and
/// std::length_error where the number of its elements overflows.
void check_countable(const char* function, std::int64_t rows, std::int64_t cols, bool may_be_free = false);
[[noreturn]] void size_mismatch(const char* function, const char* what, const char* name_a, std::int64_t a,
                                const char* name_b, std::int64_t b);

}  // namespace detail

/// Base of every node. A scalar expression converts to a host number, which evaluates it and waits.
template <class Derived>
struct expression : detail::node_base {
  using operand_types = detail::types<>;
  using operation = detail::no_operation;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  /// Refused: an expression is read. Nodes that users make name this operator.
  template <class E>
  void operator=(const E&) const {
    static_assert(sizeof(E) == 0,
                  "this expression is read only: assign to a matrix, or to a block, row, col, head, tail, "
                  "segment, diagonal or transpose of a matrix that is not const");
  }

  template <class Number, class Self = Derived>
  requires(std::is_arithmetic_v<Number>&& Self::is_scalar) operator Number() const {
    return static_cast<Number>(evaluate_scalar(derived()));
  }

  /// Number of elements; negative where a size is free.
  std::int64_t size() const {
    return derived().rows() < 0 || derived().cols() < 0 ? -1 : derived().rows() * derived().cols();
  }
  /// The result as a matrix of its own. Throws std::invalid_argument if the size is free.
  template <class Self = Derived>
  auto eval() const {
    return evaluated(static_cast<const Self&>(*this));
  }
  /// View of the result, without evaluating.
  matrix_cl_view view() const { return result_view(derived()); }
  /// The OpenCL C text of the kernels that would evaluate this into `target`.
  template <class Target>
  auto get_kernel_source_for_evaluating_into(const Target& target) const {
    return kernel_source(target, derived());
  }
};

template <class T>
concept node = std::is_base_of_v<detail::node_base, std::remove_cvref_t<T>>;

/// A matrix that can stand in an expression: it has a `leaf()` that is a node.
template <class T>
concept matrix_like = requires(T&& x) {
  { std::forward<T>(x).leaf() } -> node;
};

/// Anything that makes its user an expression.
template <class T>
concept expression_like = node<T> || matrix_like<T>;

/// Anything that can be an operand of an expression.
template <class T>
concept operand = expression_like<T> || scalar_value<std::remove_cvref_t<T>>;

/// A host number as an operand; combines with any shape.
template <scalar_value T>
struct scalar_leaf : expression<scalar_leaf<T>> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = true;
  T value;

  explicit scalar_leaf(T v) : value(v) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { b.scalar(value); }
  ir::node_id lower(lowering& low) const { return low.scalar(type); }
};

/// The node that stands for `x`: a node itself, the leaf of a matrix, or a scalar leaf.
template <operand T>
decltype(auto) as_operation_cl(T&& x) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (node<T>)
    return Plain(std::forward<T>(x));
  else if constexpr (matrix_like<T>)
    return std::forward<T>(x).leaf();
  else
    return scalar_leaf<Plain>(x);
}

template <class T>
using node_of = std::remove_cvref_t<decltype(as_operation_cl(std::declval<T>()))>;

/// Element type of an expression, as a C++ type.
template <class T>
using value_type_of = cpp_type<node_of<T>::type>;

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/expression.ipp>
#endif
