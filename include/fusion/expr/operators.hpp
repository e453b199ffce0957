#pragma once
// The operators and the functions that are not element-wise mathematics: + - % comparisons, logic, select,
// cast, broadcasts, constants, index matrices and shared sub-expressions.

#include <string_view>
#include <vector>

#include <fusion/expr/erased.hpp>

namespace fusecl {
namespace detail {

template <class Op, class A>
auto make_unary(A&& a) {
  return unary<Op, operand_node<A>>(from_operands(), std::forward<A>(a));
}
template <class Op, class A, class B>
auto make_binary(const char* function, A&& a, B&& b) {
  return binary<Op, operand_node<A>, operand_node<B>>(from_operands(), function, std::forward<A>(a),
                                                      std::forward<B>(b));
}
template <class Op, class A, class B, class C>
auto make_ternary(const char* function, A&& a, B&& b, C&& c) {
  return ternary<Op, operand_node<A>, operand_node<B>, operand_node<C>>(
      from_operands(), function, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
}

/// The record that divides operands of these types.
template <class A, class B>
using division = std::conditional_t<is_floating(promoted(node_of<A>::type, node_of<B>::type)), op::divide,
                                    op::integer_divide>;

/// An expression and any other operand. A host matrix and a scalar expression are left to Eigen, to which
/// that is a number.
template <class A, class B>
concept expression_and_operand = expression_like<A> && operand<B> &&
    (!host_operand<B> || !node_of<A>::is_scalar);

}  // namespace detail

/// Two operands of which at least one is an expression.
template <class A, class B>
concept operand_pair = detail::expression_and_operand<A, B> || detail::expression_and_operand<B, A>;

#define FUSECL_BINARY_OPERATOR(SYMBOL, TAG)                                                          \
  template <class A, class B>                                                                        \
  requires operand_pair<A, B>                                                                        \
  auto operator SYMBOL(A&& a, B&& b) {                                                               \
    return detail::make_binary<op::TAG>("operator" #SYMBOL, std::forward<A>(a), std::forward<B>(b)); \
  }

FUSECL_BINARY_OPERATOR(+, add)
FUSECL_BINARY_OPERATOR(-, subtract)
FUSECL_BINARY_OPERATOR(<, less)
FUSECL_BINARY_OPERATOR(<=, less_or_equal)
FUSECL_BINARY_OPERATOR(>, greater)
FUSECL_BINARY_OPERATOR(>=, greater_or_equal)
FUSECL_BINARY_OPERATOR(==, equal)
FUSECL_BINARY_OPERATOR(!=, not_equal)
FUSECL_BINARY_OPERATOR(&&, logical_and)
FUSECL_BINARY_OPERATOR(||, logical_or)
#undef FUSECL_BINARY_OPERATOR

namespace detail {

/// An expression and text.
template <class A, class B>
concept expression_and_text = expression_like<A> && !operand<B> && !std::is_same_v<B, refused> &&
                              std::is_convertible_v<B, std::string_view>;

}  // namespace detail

/// Refused: text is no operand.
template <class A, class B>
requires(detail::expression_and_text<A, B> || detail::expression_and_text<B, A>) detail::refused operator+(
    A&&, B&&) {
  static_assert(sizeof(A) == 0,
                "a matrix and text have no sum: print them one after the other, out << text << a");
  return {};
}

namespace detail {

template <class T>
inline constexpr bool is_std_vector = false;
template <class T, class Allocator>
inline constexpr bool is_std_vector<std::vector<T, Allocator>> = true;
/// An expression and a list of the host.
template <class A, class B>
concept expression_and_list = expression_like<A> && is_std_vector<B>;

template <class... Some>
refused refuse_list() {
  static_assert(sizeof...(Some) == 0, "a list of the host is no operand: copy it by to_matrix_cl(x)");
  return {};
}

}  // namespace detail

// Refused: a list of the host is no operand of an operator. One that a user has for these types is better.
#define FUSECL_REFUSE_LIST(SYMBOL)                                                                 \
  template <class A, class B>                                                                      \
  requires(detail::expression_and_list<A, B> || detail::expression_and_list<B, A>) detail::refused \
  operator SYMBOL(const A&, const B&) {                                                            \
    return detail::refuse_list<A>();                                                               \
  }
FUSECL_REFUSE_LIST(+)
FUSECL_REFUSE_LIST(-)
FUSECL_REFUSE_LIST(*)
FUSECL_REFUSE_LIST(/)
#undef FUSECL_REFUSE_LIST

/// Remainder of integers, 0 where the divisor is 0.
template <class A, class B>
requires operand_pair<A, B>
auto operator%(A&& a, B&& b) {
  static_assert(!is_floating(node_of<A>::type) && !is_floating(node_of<B>::type),
                "operator% needs integer operands; use fmod for floating-point ones");
  return detail::make_binary<op::modulo>("operator%", std::forward<A>(a), std::forward<B>(b));
}

template <expression_like A>
auto operator+(A&& a) {
  return as_operation_cl(std::forward<A>(a));
}
template <expression_like A>
auto operator-(A&& a) {
  return detail::make_unary<op::negate>(std::forward<A>(a));
}
template <expression_like A>
auto operator!(A&& a) {
  return detail::make_unary<op::logical_not>(std::forward<A>(a));
}

template <class A, class B>
struct product_expression;

namespace detail {

/// `a * b` and `a / b`, which messages call `function`.
template <class A, class B>
auto scaled_or_product(const char* function, A&& a, B&& b) {
  if constexpr (node_of<A>::is_scalar || node_of<B>::is_scalar)
    return make_binary<op::multiply>(function, std::forward<A>(a), std::forward<B>(b));
  else {
    static_assert(!array_of_eigen<A> && !array_of_eigen<B>,
                  "an array of Eigen is multiplied element by element: write elt_multiply(a, b), or "
                  "a.matrix() for the product of matrices");
    return product_expression<node_of<A>, node_of<B>>(as_operation_cl(std::forward<A>(a)),
                                                      as_operation_cl(std::forward<B>(b)), function);
  }
}
template <class A, class B>
auto divided(const char* function, A&& a, B&& b) {
  static_assert(node_of<A>::is_scalar || node_of<B>::is_scalar,
                "operator/ needs a scalar operand; use elt_divide for the element-wise quotient of matrices, "
                "a = elt_divide(a, b) for a /= b, and a / sum(b) where b has one element");
  return make_binary<division<A, B>>(function, std::forward<A>(a), std::forward<B>(b));
}

}  // namespace detail

/// Scales by a number or by a scalar expression; else the matrix product, n x m of n x k and k x m. Throws
/// std::invalid_argument where the sizes do not fit.
template <class A, class B>
requires operand_pair<A, B>
auto operator*(A&& a, B&& b) {
  return detail::scaled_or_product("operator*", std::forward<A>(a), std::forward<B>(b));
}

/// Quotient by a number or by a scalar expression.
template <class A, class B>
requires operand_pair<A, B>
auto operator/(A&& a, B&& b) { return detail::divided("operator/", std::forward<A>(a), std::forward<B>(b)); }

/// Element-wise product; operands have equal sizes or are scalars.
template <class A, class B>
requires operand_pair<A, B>
auto elt_multiply(A&& a, B&& b) {
  return detail::make_binary<op::multiply>("elt_multiply", std::forward<A>(a), std::forward<B>(b));
}

/// Element-wise quotient. Integers truncate; an integer divided by 0 gives 0.
template <class A, class B>
requires operand_pair<A, B>
auto elt_divide(A&& a, B&& b) {
  return detail::make_binary<detail::division<A, B>>("elt_divide", std::forward<A>(a), std::forward<B>(b));
}

/// a + b.
template <class A, class B>
requires operand_pair<A, B>
auto add(A&& a, B&& b) { return std::forward<A>(a) + std::forward<B>(b); }
/// a - b.
template <class A, class B>
requires operand_pair<A, B>
auto subtract(A&& a, B&& b) { return std::forward<A>(a) - std::forward<B>(b); }
/// The same as a * b.
template <class A, class B>
requires operand_pair<A, B>
auto multiply(A&& a, B&& b) {
  return detail::scaled_or_product("multiply", std::forward<A>(a), std::forward<B>(b));
}
/// A matrix divided by a scalar.
template <class A, class B>
requires operand_pair<A, B>
auto divide(A&& a, B&& b) { return std::forward<A>(a) / std::forward<B>(b); }
/// -a.
template <expression_like A>
auto minus(A&& a) {
  return -std::forward<A>(a);
}

/// Of two numbers of the host, of which one is floating: their product and quotient.
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B> &&
         (std::is_floating_point_v<A> || std::is_floating_point_v<B>)) auto elt_multiply(A a, B b) {
  return a * b;
}
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B> &&
         (std::is_floating_point_v<A> || std::is_floating_point_v<B>)) auto elt_divide(A a, B b) {
  return a / b;
}
/// Refused: more than two operands.
template <operand A, operand B, operand C>
detail::refused elt_multiply(A&&, B&&, C&&, ...) {
  static_assert(sizeof(A) == 0, "elt_multiply takes two operands: write elt_multiply(elt_multiply(a, b), c)");
  return {};
}
template <operand A, operand B, operand C>
detail::refused elt_divide(A&&, B&&, C&&, ...) {
  static_assert(sizeof(A) == 0, "elt_divide takes two operands: write elt_divide(elt_divide(a, b), c)");
  return {};
}
FUSECL_REFUSE_OPERANDS(elt_multiply)
FUSECL_REFUSE_OPERANDS(elt_divide)

/// Element-wise conversion to T, as static_cast does it; bool is `x != 0`.
template <element T, expression_like A>
auto cast(A&& a) {
  return converted<scalar_type_v<T>, node_of<A>>(as_operation_cl(std::forward<A>(a)));
}

/// The same of a number, for functions whose arguments may be one.
template <element T, class Number>
requires std::is_arithmetic_v<Number>
constexpr T cast(Number a) { return static_cast<T>(a); }

/// Element-wise `condition ? a : b`; a number is true where it is not 0.
template <operand C, operand A, operand B>
requires(expression_like<C> || expression_like<A> || expression_like<B>) auto select(C&& condition, A&& a,
                                                                                     B&& b) {
  if constexpr (node_of<C>::type == scalar_type::boolean)
    return detail::make_ternary<op::select>("select", std::forward<C>(condition), std::forward<A>(a),
                                            std::forward<B>(b));
  else
    return detail::make_ternary<op::select>("select", cast<bool>(as_operation_cl(std::forward<C>(condition))),
                                            std::forward<A>(a), std::forward<B>(b));
}

/// The same of numbers.
template <class C, class A, class B>
requires(std::is_arithmetic_v<C>&& std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr auto select(
    C condition, A a, B b) {
  using common = std::common_type_t<A, B>;
  return condition ? static_cast<common>(a) : static_cast<common>(b);
}

/// Repeats the single row of `a` (Colwise), its single column (Rowwise) or its single element (both) to the
/// size its user needs. Throws std::invalid_argument where `a` has more.
template <bool Colwise, bool Rowwise, expression_like A>
auto broadcast(A&& a) {
  return broadcasted<Colwise, Rowwise, false, node_of<A>>("broadcast", as_operation_cl(std::forward<A>(a)));
}
/// Repeats a column vector along the rows.
template <expression_like A>
auto rowwise_broadcast(A&& a) {
  return broadcasted<false, true, false, node_of<A>>("rowwise_broadcast",
                                                     as_operation_cl(std::forward<A>(a)));
}
/// Repeats a row vector along the columns.
template <expression_like A>
auto colwise_broadcast(A&& a) {
  return broadcasted<true, false, false, node_of<A>>("colwise_broadcast",
                                                     as_operation_cl(std::forward<A>(a)));
}
FUSECL_REFUSE_OPERANDS(rowwise_broadcast)
FUSECL_REFUSE_OPERANDS(colwise_broadcast)
/// As `broadcast`, in the directions in which `a` has size one.
template <bool Colwise, bool Rowwise, expression_like A>
auto optional_broadcast(A&& a) {
  return broadcasted<Colwise, Rowwise, true, node_of<A>>("optional_broadcast",
                                                         as_operation_cl(std::forward<A>(a)));
}
template <expression_like A>
auto rowwise_optional_broadcast(A&& a) {
  return optional_broadcast<false, true>(std::forward<A>(a));
}
template <expression_like A>
auto colwise_optional_broadcast(A&& a) {
  return optional_broadcast<true, false>(std::forward<A>(a));
}

/// A matrix of one value; without sizes, or with -1 for one, it fits any. Throws std::invalid_argument for
/// other negative sizes.
template <scalar_value T>
auto constant(T value, std::int64_t rows = free_size, std::int64_t cols = free_size) {
  detail::check_stated_size("constant", rows, cols, true);
  return broadcasted<true, true, false, node_of<T>>("constant", as_operation_cl(value), rows, cols);
}
namespace detail {

/// The only element of `a`, a scalar or 1 x 1, everywhere in a rows x cols matrix.
template <operand A>
auto repeated_element(const char* function, A&& a, std::int64_t rows, std::int64_t cols) {
  auto e = as_operation_cl(std::forward<A>(a));
  using E = decltype(e);
  check_repeated(function, E::is_scalar ? 1 : e.rows(), E::is_scalar ? 1 : e.cols(), rows, cols);
  return broadcasted<true, true, false, E>(function, std::move(e), rows, cols);
}
/// A scalar as an element of matrices like `Result`.
template <matrix_like Result, operand A>
auto as_element_of(A&& a) {
  using T = cpp_type<node_of<Result>::type>;
  if constexpr (expression_like<A>)  // also where it converts to a number, which would be data
    return cast<T>(std::forward<A>(a));
  else
    return static_cast<T>(a);
}

}  // namespace detail

/// A rows x cols matrix, a column or a row of one value: a scalar, which may be an expression, or a 1 x 1
/// matrix. Throws std::domain_error for a negative size, std::invalid_argument where `value` has more than
/// one element.
template <operand T>
auto rep_matrix(T&& value, std::int64_t rows, std::int64_t cols) {
  return detail::repeated_element("rep_matrix", std::forward<T>(value), rows, cols);
}
template <operand T>
auto rep_vector(T&& value, std::int64_t rows) {
  return detail::repeated_element("rep_vector", std::forward<T>(value), rows, 1);
}
template <operand T>
auto rep_row_vector(T&& value, std::int64_t cols) {
  return detail::repeated_element("rep_row_vector", std::forward<T>(value), 1, cols);
}
/// The same with the type of the result spelled out, as in rep_matrix<matrix_cl<double>>(x, rows, cols):
/// elements are converted to its element type. `Result` may be a var_value.
template <matrix_like Result, operand T>
auto rep_matrix(T&& value, std::int64_t rows, std::int64_t cols) {
  return rep_matrix(detail::as_element_of<Result>(std::forward<T>(value)), rows, cols);
}
template <matrix_like Result, operand T>
auto rep_vector(T&& value, std::int64_t rows) {
  return rep_vector(detail::as_element_of<Result>(std::forward<T>(value)), rows);
}
template <matrix_like Result, operand T>
auto rep_row_vector(T&& value, std::int64_t cols) {
  return rep_row_vector(detail::as_element_of<Result>(std::forward<T>(value)), cols);
}

/// 0-based row number of each element, as int; without sizes, or with -1 for one, it fits any. Throws
/// std::invalid_argument for other negative sizes, std::length_error where a number is no int.
inline auto row_index(std::int64_t rows = free_size, std::int64_t cols = free_size) {
  detail::check_stated_size("row_index", rows, cols, true);
  detail::check_index_size(true, rows);
  return index_leaf<true>(rows, cols);
}
/// 0-based column number of each element, as int; sizes as of row_index.
inline auto col_index(std::int64_t rows = free_size, std::int64_t cols = free_size) {
  detail::check_stated_size("col_index", rows, cols, true);
  detail::check_index_size(false, cols);
  return index_leaf<false>(rows, cols);
}

/// The same values as data: derivatives do not go through.
template <expression_like A>
auto stop_gradient(A&& a) {
  if constexpr (is_floating(node_of<A>::type))
    return detail::make_unary<op::stop_gradient>(std::forward<A>(a));
  else
    return as_operation_cl(std::forward<A>(a));
}

/// A handle to `a` for use in several places: walked and computed once however often it occurs.
template <expression_like A>
auto shared(A&& a) {
  if constexpr (std::is_same_v<detail::operand_node<A>, node_of<A>>)
    return shared_expression<node_of<A>>(as_operation_cl(std::forward<A>(a)));
  else
    return detail::as_operand(std::forward<A>(a));  // which is such a handle
}

}  // namespace fusecl
