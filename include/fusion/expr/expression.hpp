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
#include <string>
#include <type_traits>
#include <utility>

#include <fusion/expr/binder.hpp>
#include <fusion/expr/lowering.hpp>
#include <fusion/expr/origin.hpp>
#include <fusion/expr/refused.hpp>

namespace Eigen {
template <class Derived>
struct EigenBase;
template <class Derived>
class ArrayBase;
template <class Derived>
class DenseBase;
template <class Derived>
class DiagonalBase;
template <class Derived>
class PlainObjectBase;
}  // namespace Eigen

namespace fusecl {

/// A matrix on the device (matrix/matrix_cl.hpp), of elements that the library has.
template <class T>
class matrix_cl {
  static_assert(element<T>,
                "the elements of a matrix_cl are double, float, int, long, unsigned or bool: convert others, "
                "as in matrix_cl<int> m(host.cast<int>())");

 public:
  template <class... Arguments>
  requires(!element<T>) explicit matrix_cl(const Arguments&...) {}
};
template <element T>
class matrix_cl<T>;

/// Whether a type is a matrix_cl, whatever its qualifiers.
template <class T>
struct is_matrix_cl : std::false_type {};
template <class T>
struct is_matrix_cl<matrix_cl<T>> : std::true_type {};
template <class T>
requires(!std::is_same_v<T, std::remove_cvref_t<T>>) struct is_matrix_cl<T>
    : is_matrix_cl<std::remove_cvref_t<T>> {
};

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
/// The same for rows and columns; the message gives both of both.
void check_same_shape(const char* function, const char* name_a, std::int64_t rows_a, std::int64_t cols_a,
                      const char* name_b, std::int64_t rows_b, std::int64_t cols_b);
/// The same for functions of all elements of two operands, of which vectors may lie either way.
void check_pair(const char* function, std::int64_t rows_a, std::int64_t cols_a, std::int64_t rows_b,
                std::int64_t cols_b);
/// "3 x 4", or "3 x any" where a size is free.
std::string shape_text(std::int64_t rows, std::int64_t cols);
/// What the size 0 x 0 may come from; empty for others.
const char* hint_of_nothing(std::int64_t rows, std::int64_t cols);
/// The same, and how an operand of one element goes with any size.
std::string hint_of_size(const char* name, std::int64_t rows, std::int64_t cols);
/// How a vector combines with a matrix of which it is a column or a row, or the transpose of one; empty for
/// what is none of these.
std::string broadcast_hint(const char* vector, std::int64_t rows, std::int64_t cols, std::int64_t matrix_rows,
                           std::int64_t matrix_cols);
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
/// rows * cols, or -1 where one is free. Throws std::length_error where that overflows.
inline std::int64_t elements_of(std::int64_t rows, std::int64_t cols) {
  if (rows < 0 || cols < 0) return -1;
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(rows, cols, &elements)) [[unlikely]]
    check_countable("size", rows, cols);
  return elements;
}
/// Throws std::length_error where the number of the last of `count` rows, or columns, is no int.
void check_index_size(bool rows, std::int64_t count);
[[noreturn]] void size_mismatch(const char* function, const char* what, const char* name_a, std::int64_t a,
                                const char* name_b, std::int64_t b);
/// Throws for what is no row (of rows repeated), no column or no single element, saying how to turn a vector.
[[noreturn]] void refuse_repeated(const char* function, std::int64_t rows, std::int64_t cols,
                                  bool repeats_rows, bool repeats_cols);
[[noreturn]] void shape_mismatch(const char* function, const char* name_a, std::int64_t rows_a,
                                 std::int64_t cols_a, const char* name_b, std::int64_t rows_b,
                                 std::int64_t cols_b);
/// Throws std::out_of_range.
[[noreturn]] void number_beyond_long(std::uint64_t number);

/// The conversion of a scalar expression to its value: it evaluates and waits. A base of its own, which knows
/// the type, so that the expression is to overloaded functions what a number of that type is.
template <class Derived, class Number>
struct converts_to_number {
  operator Number() const { return evaluate_scalar(static_cast<const Derived&>(*this)); }
};
struct converts_to_no_number {};
/// Whether an expression is a number where it has one element: a product, and what element-wise operations
/// make of products and scalars.
template <class E>
inline constexpr bool may_be_number = false;
/// The conversion of these to their value (expr/product.hpp).
template <class Derived, class Number>
struct single_element_conversion;
/// Whether that holds for an element-wise operation with these operands.
template <class... Operands>
inline constexpr bool may_be_numbers = ((Operands::is_scalar || may_be_number<Operands>)&&...) &&
                                       (may_be_number<Operands> || ...);
/// The conversion of a node with operands of these types, if it is element-wise.
template <class Derived, scalar_type Type, bool IsScalar, class... Operands>
using number_conversion = std::conditional_t<
    IsScalar, converts_to_number<Derived, cpp_type<Type>>,
    std::conditional_t<may_be_numbers<Operands...>, single_element_conversion<Derived, cpp_type<Type>>,
                       converts_to_no_number>>;
/// Throws std::invalid_argument unless an expression has one element.
void check_single_element(std::int64_t rows, std::int64_t cols);

/// Element (i, j) of an expression, counted from 0 (eval/scalar.hpp).
template <class E>
cpp_type<E::type> element_at(const E& e, std::int64_t i, std::int64_t j);
/// Element i of a vector.
template <class E>
cpp_type<E::type> element_at(const E& e, std::int64_t i);

/// Elements of a vector by number (expr/indexing.hpp).
template <class V, class I>
auto elements_of_vector(V&& v, I&& index);

template <template <class> class Base, class Derived>
void find_base(const Base<Derived>*);
/// Types with Base<D>, of whatever D, among their bases. Classes derived from an object of Eigen are such, as
/// are head and segment, which are derived from a block.
template <class T, template <class> class Base>
concept has_base = std::is_class_v<T> && requires(const T* x) {
  find_base<Base>(x);
};

/// An object of Eigen, whatever its elements.
template <class T>
concept eigen_like = has_base<std::remove_cvref_t<T>, Eigen::EigenBase>;
/// One whose operators are element by element.
template <class T>
concept array_of_eigen = has_base<std::remove_cvref_t<T>, Eigen::ArrayBase>;

/// A matrix or array of Eigen with memory of its own, or a class derived from one that can be made of it.
template <class Host>
concept plain_host_matrix = has_base<Host, Eigen::PlainObjectBase> && requires {
  typename Host::PlainObject;
} &&(std::is_base_of_v<Eigen::PlainObjectBase<Host>, Host> ||
     std::is_constructible_v<Host, typename Host::PlainObject>);

}  // namespace detail

/// Base of every node. Those that may be scalar expressions have detail::number_conversion as a base, too.
template <class Derived>
struct expression : detail::node_base {
  using operand_types = detail::types<>;
  using operation = detail::no_operation;

  const Derived& derived() const { return static_cast<const Derived&>(*this); }
  /// What has the size of this: what is element by element answers with an operand, so that sizes are asked
  /// of, and compared between, few types.
  const Derived& sized() const { return derived(); }

  /// Refused: an expression is read. Nodes that users make name this operator.
  template <class E>
  void operator=(const E&) const {
    static_assert(
        sizeof(E) == 0,
        "this expression is read only: assign to a matrix, or to a block, row, col, head, tail, "
        "segment, diagonal or transpose of a matrix that is not const; variables are made of parts, as by "
        "append_col, not assigned in parts; and a loop adds nothing to an expression, as e = e + f, whose "
        "type says what it is: add to a matrix or a var");
  }

  /// The result as a matrix or an array of Eigen, as from_matrix_cl<Host> makes it: evaluates, copies and
  /// waits.
  template <detail::plain_host_matrix Host, class Self = Derived>
  requires(!Self::is_scalar) operator Host() const {
    return from_matrix_cl<Host>(static_cast<const Self&>(*this));
  }

  /// Refused: a comparison of matrices is one for each element.
  template <class Self = Derived, class... None>
  requires(!Self::is_scalar && !detail::may_be_number<Self>) explicit operator bool() const {
    return detail::refuse_condition<None...>();
  }
  /// Refused: there are many elements.
  template <class Number, class Self = Derived, class... None>
  requires(std::is_same_v<Number, detail::refused_number<Self::type>> && !Self::is_scalar &&
           !detail::may_be_number<Self>)
  operator Number() const {
    return detail::refuse_number<Number, None...>();
  }
  /// Refused: the tape knows what is assigned to a variable.
  template <class... None>
  detail::refused grad() const {
    return not_recorded<None...>();
  }
  template <class... None>
  detail::refused adj() const {
    return not_recorded<None...>();
  }

  /// Number of elements; negative where a size is free. Throws std::length_error where there are too many.
  std::int64_t size() const { return detail::elements_of(derived().rows(), derived().cols()); }
  /// The result as a matrix of its own. Throws std::invalid_argument if the size is free.
  template <class Self = Derived>
  auto eval() const {
    return evaluated(static_cast<const Self&>(*this));
  }
  /// The element in row `i` and column `j`, and element `i` of a row or a column, counted from 0: evaluates
  /// it alone and waits, at every call. Throw std::out_of_range where there is none, std::invalid_argument
  /// for one index of what is no vector.
  template <class Self = Derived>
  requires(!Self::is_scalar) auto operator()(std::int64_t i, std::int64_t j) const {
    return detail::element_at(static_cast<const Self&>(*this), i, j);
  }
  template <class Self = Derived>
  requires(!Self::is_scalar) auto operator()(std::int64_t i) const {
    return detail::element_at(static_cast<const Self&>(*this), i);
  }
  /// The elements of a row or a column that an expression of integers numbers from 0, of its size: an
  /// expression. Throws std::invalid_argument for what is no vector, std::out_of_range where it is evaluated.
  template <class I, class Self = Derived>
  requires(!Self::is_scalar) auto operator[](I&& index) const {
    return detail::elements_of_vector(static_cast<const Self&>(*this), std::forward<I>(index));
  }
  /// View of the result, without evaluating.
  matrix_cl_view view() const { return result_view(derived()); }
  /// The OpenCL C text of the kernels that would evaluate this into `target`.
  template <class Target>
  auto get_kernel_source_for_evaluating_into(const Target& target) const {
    return kernel_source(target, derived());
  }

 private:
  template <class... None>
  static detail::refused not_recorded() {
    static_assert(sizeof...(None) > 0,
                  "an expression is not recorded, it has no grad() and no adj(): give it a variable, as in "
                  "var l = sum(x); l.grad()");
    return {};
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

/// A matrix, array, block or expression of Eigen with elements that are numbers. As an operand it is copied
/// to the device when the expression is built, at every execution of that line.
template <class T>
concept host_matrix = detail::has_base<std::remove_cvref_t<T>, Eigen::DenseBase> &&
    scalar_value<typename std::remove_cvref_t<T>::Scalar>;

/// The same with elements that are variables: as an operand the variable on the device that `to_matrix_cl`
/// makes of them.
template <class T>
concept host_variables =
    detail::has_base<std::remove_cvref_t<T>, Eigen::DenseBase> && std::remove_cvref_t<T>::Scalar::is_variable;

/// One of the two.
template <class T>
concept host_operand = host_matrix<T> || host_variables<T>;

/// An operand that has rows and columns.
template <class T>
concept sized_operand = expression_like<T> || host_operand<T>;

/// Anything that can be an operand of an expression.
template <class T>
concept operand = sized_operand<T> || scalar_value<std::remove_cvref_t<T>>;

/// The element type that computes with numbers of type T.
template <scalar_value T>
using number_type = cpp_type<scalar_type_v<T>>;

/// A host number in that type. Throws std::out_of_range for an unsigned one that `long` does not hold.
template <scalar_value T>
number_type<T> as_number(const T& value) {
  if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::uint64_t))
    if (value >> 63 != 0) detail::number_beyond_long(value);
  return static_cast<number_type<T>>(value);
}

/// A host number as an operand; combines with any shape.
template <element T>
struct scalar_leaf : expression<scalar_leaf<T>>, detail::converts_to_number<scalar_leaf<T>, T> {
  static constexpr scalar_type type = scalar_type_v<T>;
  static constexpr bool is_scalar = true;
  T value;
  std::uint64_t origin;  ///< that of its copies, and of no other number

  explicit scalar_leaf(T v) : value(v), origin(detail::new_origin()) {}
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder& b) const { b.scalar(value, origin); }
  ir::node_id lower(lowering& low) const { return low.scalar(type); }
};

/// The node that stands for `x`: a node itself, the leaf of a matrix or of a copy on the device, or a scalar
/// leaf.
template <operand T>
decltype(auto) as_operation_cl(T&& x) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (node<T>)
    return Plain(std::forward<T>(x));
  else if constexpr (matrix_like<T>)
    return std::forward<T>(x).leaf();
  else if constexpr (scalar_value<Plain>)
    return scalar_leaf<number_type<Plain>>(as_number(x));
  else if constexpr (host_variables<T>)
    return to_matrix_cl(x).leaf();
  else
    return matrix_cl<number_type<typename Plain::Scalar>>(x).leaf();
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
