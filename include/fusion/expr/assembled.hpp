#pragma once
// Matrices put together from others: appended rows and columns, vectors on a diagonal among zeros, the
// identity; a vector as a column; how large an expression is.

#include <cstdint>
#include <vector>

#include <fusion/expr/structure.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument unless the sizes are known in the direction in which two operands are put
/// side by side (`first`, `second`) and agree in the other.
void check_appended(const char* function, bool by_rows, std::int64_t a_rows, std::int64_t a_cols,
                    std::int64_t b_rows, std::int64_t b_cols);
/// Rows or columns of two operands together. Throws std::length_error where these cannot be counted.
std::int64_t appended_size(bool by_rows, std::int64_t a, std::int64_t b);
/// Throws std::invalid_argument unless a rows x cols operand is a vector with an element for each place of
/// the diagonal of a matrix.
void check_fits_diagonal(std::int64_t rows, std::int64_t cols, std::int64_t matrix_rows,
                         std::int64_t matrix_cols);
/// Throws std::invalid_argument unless a vector has an element for each line, "row" or "column", of a matrix;
/// sizes below 0 are not known.
void check_element_for_each(const char* function, std::int64_t elements, std::int64_t lines,
                            const char* line);
/// Throws std::invalid_argument unless the matrix is square.
void check_square(const char* function, std::int64_t rows, std::int64_t cols);
/// Sizes as int, for names that have that type. Throws std::length_error where they are larger.
std::vector<int> sizes_as_int(std::int64_t rows, std::int64_t cols);

/// `a` and behind it, by rows or by columns, `b`. `size` and `parts` are symbols of the result's sizes and of
/// how much either gives.
ir::node_id lower_appended(ir::graph& g, bool by_rows, ir::node_id a, ir::node_id b, ir::extent size,
                           ir::extent parts);
/// The column `a` on the diagonal of zeros; `size` is the first symbol of the result's sizes.
ir::node_id lower_on_diagonal(ir::graph& g, ir::node_id a, ir::extent size);
/// A vector as a column: transposed where the word says so; its low bits say what is single.
ir::node_id lower_column(ir::graph& g, ir::node_id a, std::uint32_t word);

}  // namespace detail

/// The rows (ByRows) or columns of `b` behind those of `a`.
template <bool ByRows, class A, class B>
struct appended : expression<appended<ByRows, A, B>> {
  using expression<appended<ByRows, A, B>>::operator=;
  using operand_types = detail::types<A, B>;
  static constexpr scalar_type type =
      detail::result_type(ir::type_rule::selection, scalar_type::boolean, A::type, B::type);
  static constexpr bool is_scalar = false;
  A a;
  B b;

  template <class X, class Y>
  appended(detail::from_operands, const char* function, X&& first, Y&& second)
      : a(detail::as_operand(std::forward<X>(first))), b(detail::as_operand(std::forward<Y>(second))) {
    detail::check_appended(function, ByRows, a.rows(), a.cols(), b.rows(), b.cols());
    along();
  }
  std::int64_t rows() const { return ByRows ? along() : a.rows() < 0 ? b.rows() : a.rows(); }
  std::int64_t cols() const { return !ByRows ? along() : a.cols() < 0 ? b.cols() : a.cols(); }
  void gather(binder& bound) const {
    a.gather(bound);
    b.gather(bound);
    bound.extents(rows(), cols());
    bound.extents(ByRows ? a.rows() : a.cols(), ByRows ? b.rows() : b.cols());
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id first = a.lower(low), second = b.lower(low);
    const ir::extent size = low.extents(), parts = low.extents();
    return detail::lower_appended(low.graph(), ByRows, first, second, size, parts);
  }

 private:
  std::int64_t along() const {
    return detail::appended_size(ByRows, ByRows ? a.rows() : a.cols(), ByRows ? b.rows() : b.cols());
  }
};

/// A vector as a column.
template <class A>
struct as_column : expression<as_column<A>> {
  using expression<as_column<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  const char* function_;

  as_column(const char* function, A operand) : a(std::move(operand)), function_(function) {
    detail::check_known_size(function, a.rows(), a.cols());
    detail::check_vector(function, a.rows(), a.cols());
  }
  bool is_turned() const { return a.cols() != 1; }
  std::int64_t rows() const { return is_turned() ? a.cols() : a.rows(); }
  std::int64_t cols() const { return is_turned() ? a.rows() : a.cols(); }
  void gather(binder& b) const {
    detail::check_vector(function_, a.rows(), a.cols());  // the operand may have become a matrix
    a.gather(b);
    b.choice(detail::single_sizes_of(a.rows(), a.cols()) | (is_turned() ? detail::turned_vector : 0u));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    return detail::lower_column(low.graph(), operand, low.next_word());
  }
};

/// A column vector on the diagonal of a square matrix of zeros.
template <class A>
struct on_diagonal_of_zeros : expression<on_diagonal_of_zeros<A>> {
  using expression<on_diagonal_of_zeros<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;

  explicit on_diagonal_of_zeros(A operand) : a(std::move(operand)) {}
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.rows(); }
  void gather(binder& b) const {
    a.gather(b);
    b.extents(rows(), cols());
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    const ir::extent size = low.extents();
    low.graph().unify(size, size + 1);
    // a column of that length: so equal ones are one node
    low.graph().unify(low.graph()[operand].rows, size);
    low.graph().unify(low.graph()[operand].cols, ir::one);
    return detail::lower_on_diagonal(low.graph(), operand, size);
  }
};

/// A matrix with a scalar or a column vector added along its diagonal.
template <class M, class A>
struct added_diagonal : expression<added_diagonal<M, A>> {
  using expression<added_diagonal<M, A>>::operator=;
  using operand_types = detail::types<M, A>;
  static constexpr scalar_type type = detail::result_type(op::add::types, M::type, A::type);
  static constexpr bool is_scalar = false;
  M m;
  A a;

  added_diagonal(M matrix, A along) : m(std::move(matrix)), a(std::move(along)) {
    detail::check_known_size("add_diag", m.rows(), m.cols());
    check_along();
  }
  std::int64_t rows() const { return m.rows(); }
  std::int64_t cols() const { return m.cols(); }
  void gather(binder& b) const {
    check_along();  // the operands may have other sizes now
    m.gather(b);
    a.gather(b);
    if constexpr (A::is_scalar) {
      b.extents(rows() < cols() ? rows() : cols(), 1);
      b.choice(rows() == cols());
    }
    b.extents(rows(), cols());
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id matrix = m.lower(low);
    ir::node_id column = a.lower(low);
    ir::extent length = ir::no_extent;
    bool is_square = false;
    if constexpr (A::is_scalar) {
      length = low.extents();
      is_square = low.next_word() != 0;
    }
    const ir::extent size = low.extents();
    // equal ones have one length then, and are one node
    if (is_square) low.graph().unify(length, size);
    if constexpr (A::is_scalar) column = low.graph().broadcast(column, length, ir::one);
    const ir::node_id operands[] = {matrix, detail::lower_on_diagonal(low.graph(), column, size)};
    return low.graph().apply(op::add::record(), operands);
  }

 private:
  void check_along() const {
    if constexpr (!A::is_scalar) detail::check_fits_diagonal(a.rows(), a.cols(), m.rows(), m.cols());
  }
};

namespace detail {
template <class A>
inline constexpr bool is_reduced<as_column<A>> = is_reduced<A>;

/// Matrices: what is no scalar.
template <class T>
concept matrix_expression = expression_like<T> && !node_of<T>::is_scalar;
/// The same, or one of the host.
template <class T>
concept any_matrix = matrix_expression<T> || host_operand<T>;
/// Two operands of functions of matrices: one is an expression.
template <class A, class B>
concept operands_beside = operand<A> && operand<B> &&(expression_like<A> || expression_like<B>);
/// Matrices, of which one may be of the host.
template <class A, class B>
concept matrix_pair = operands_beside<A, B> && any_matrix<A> && any_matrix<B>;
/// A matrix and another one or a scalar, in any order.
template <class A, class B>
concept matrix_and_operand = operands_beside<A, B> &&(any_matrix<A> || any_matrix<B>);

/// What is appended: a scalar is one element.
template <operand A>
decltype(auto) as_appended(const char* function, A&& a) {
  if constexpr (node_of<A>::is_scalar)
    return repeated_element(function, std::forward<A>(a), 1, 1);
  else
    return std::forward<A>(a);
}

template <bool ByRows, class A, class B>
auto make_appended(const char* function, A&& a, B&& b) {
  return appended<ByRows, operand_node<A>, operand_node<B>>(from_operands(), function, std::forward<A>(a),
                                                            std::forward<B>(b));
}

/// A scalar everywhere on the diagonal of n x n zeros.
template <operand A>
auto along_diagonal(A&& a, std::int64_t n) {
  using column = broadcasted<true, true, false, node_of<A>>;
  return on_diagonal_of_zeros<column>(column("diagonal", as_operation_cl(std::forward<A>(a)), n, 1));
}

/// `e`, and its transpose where `turned` holds. Throws std::invalid_argument where it is not square.
template <class E, class Condition>
auto symmetrized(const char* function, E e, Condition turned) {
  check_square(function, e.rows(), e.cols());
  return select(std::move(turned), transpose(e), e);
}
}  // namespace detail

/// The rows of `a` and below them those of `b`; a scalar is a row of one element. Throws
/// std::invalid_argument where the numbers of columns differ; either may be free, as that of a broadcast.
/// Types promote as those of `select` do.
template <class A, class B>
requires detail::operands_beside<A, B>
auto append_row(A&& a, B&& b) {
  return detail::make_appended<true>("append_row", detail::as_appended("append_row", std::forward<A>(a)),
                                     detail::as_appended("append_row", std::forward<B>(b)));
}
/// The columns of `a` and right of them those of `b`; a scalar is a column of one element. Throws
/// std::invalid_argument where the numbers of rows differ.
template <class A, class B>
requires detail::operands_beside<A, B>
auto append_col(A&& a, B&& b) {
  return detail::make_appended<false>("append_col", detail::as_appended("append_col", std::forward<A>(a)),
                                      detail::as_appended("append_col", std::forward<B>(b)));
}

/// A vector as a column, to which can be assigned where `a` is a matrix_cl that is not const or such a part
/// of one; a scalar as it is. Throws std::invalid_argument for other matrices. A row of the host is copied.
template <operand A>
auto as_column_vector_or_scalar(A&& a) {
  if constexpr (host_operand<A>) {
    using host = std::remove_cvref_t<A>;
    using column = Eigen::Matrix<typename host::Scalar, Eigen::Dynamic, 1>;
    if constexpr (host::RowsAtCompileTime == 1)
      return column(a.transpose());
    else
      return std::remove_cvref_t<A>(std::forward<A>(a));
  } else if constexpr (!expression_like<A>) {
    return a;
  } else if constexpr (node_of<A>::is_scalar) {
    return as_operation_cl(std::forward<A>(a));
  } else {
    const auto elements = detail::writable_elements_of<std::remove_reference_t<A>>(a);
    as_column<node_of<A>> column("as_column_vector_or_scalar", as_operation_cl(std::forward<A>(a)));
    const detail::element_place place =
        column.is_turned() ? detail::element_place{0, 0, 0, 1, 1, 0} : detail::element_place{};
    return detail::part_of(elements, std::move(column), place);
  }
}

/// The n x n matrix with the n elements of a vector on its diagonal and zeros elsewhere; its view is
/// Diagonal. Throws std::invalid_argument where `a` is no vector.
template <detail::matrix_expression A>
auto diag_matrix(A&& a) {
  using column = as_column<node_of<A>>;
  return on_diagonal_of_zeros<column>(column("diag_matrix", as_operation_cl(std::forward<A>(a))));
}

/// `m` with `a` added along its diagonal: a scalar, or a vector with min(rows, columns) elements. Throws
/// std::invalid_argument where it has another size.
template <class M, class A>
requires(detail::operands_beside<M, A>&& detail::any_matrix<M>) auto add_diag(M&& m, A&& a) {
  if constexpr (node_of<A>::is_scalar) {
    return added_diagonal<node_of<M>, node_of<A>>(as_operation_cl(std::forward<M>(m)),
                                                  as_operation_cl(std::forward<A>(a)));
  } else {
    using column = as_column<node_of<A>>;
    return added_diagonal<node_of<M>, column>(as_operation_cl(std::forward<M>(m)),
                                              column("add_diag", as_operation_cl(std::forward<A>(a))));
  }
}

/// The n x n matrix with ones on its diagonal and zeros elsewhere; its view is Diagonal. Throws
/// std::domain_error for a negative size.
template <element T = double>
auto identity_matrix(std::int64_t n) {
  detail::check_not_negative("identity_matrix", "the size", n);
  return detail::along_diagonal(static_cast<T>(1), n);
}
/// The same with elements of the type of `Result`.
template <matrix_like Result>
auto identity_matrix(std::int64_t n) {
  return identity_matrix<cpp_type<node_of<Result>::type>>(n);
}
/// The same as identity_matrix<double>.
inline auto identity(std::int64_t n) { return identity_matrix<double>(n); }

/// The product of the diagonal matrix of the vector `v` with the matrix `m`, and of `m` with it: every row,
/// or every column, times an element. Throws std::invalid_argument where `v` has not one for each.
template <class V, class M>
requires detail::matrix_pair<V, M>
auto diag_pre_multiply(V&& v, M&& m) {
  as_column<node_of<V>> column("diag_pre_multiply", as_operation_cl(std::forward<V>(v)));
  auto matrix = as_operation_cl(std::forward<M>(m));
  detail::check_element_for_each("diag_pre_multiply", column.rows(), matrix.rows(), "row");
  return detail::make_binary<op::multiply>("diag_pre_multiply", rowwise_broadcast(std::move(column)),
                                           std::move(matrix));
}
template <class M, class V>
requires detail::matrix_pair<M, V>
auto diag_post_multiply(M&& m, V&& v) {
  as_column<node_of<V>> column("diag_post_multiply", as_operation_cl(std::forward<V>(v)));
  auto matrix = as_operation_cl(std::forward<M>(m));
  detail::check_element_for_each("diag_post_multiply", column.rows(), matrix.cols(), "column");
  return detail::make_binary<op::multiply>("diag_post_multiply", std::move(matrix),
                                           colwise_broadcast(transpose(std::move(column))));
}
/// The same written with Eigen's diagonal matrices: `A * w.asDiagonal()`, `w.asDiagonal() * A`.
template <detail::matrix_expression M, class W>
requires detail::has_base<W, Eigen::DiagonalBase>
auto operator*(M&& m, const W& w) { return diag_post_multiply(std::forward<M>(m), w.diagonal()); }
template <class W, detail::matrix_expression M>
requires detail::has_base<W, Eigen::DiagonalBase>
auto operator*(const W& w, M&& m) { return diag_pre_multiply(w.diagonal(), std::forward<M>(m)); }
/// The symmetric matrix with the lower (upper) triangle of `a`. Throws std::invalid_argument where `a` is not
/// square.
template <detail::matrix_expression A>
auto symmetrize_from_lower_tri(A&& a) {
  return detail::symmetrized("symmetrize_from_lower_tri", as_operation_cl(std::forward<A>(a)),
                             row_index() < col_index());
}
template <detail::matrix_expression A>
auto symmetrize_from_upper_tri(A&& a) {
  return detail::symmetrized("symmetrize_from_upper_tri", as_operation_cl(std::forward<A>(a)),
                             row_index() > col_index());
}

FUSECL_REFUSE_OPERANDS(append_row)
FUSECL_REFUSE_OPERANDS(append_col)
FUSECL_REFUSE_OPERANDS(diag_matrix)
FUSECL_REFUSE_OPERANDS(add_diag)
FUSECL_REFUSE_OPERANDS(diag_pre_multiply)
FUSECL_REFUSE_OPERANDS(diag_post_multiply)

/// The same as append_row: arrays are columns.
template <class A, class B>
requires detail::matrix_and_operand<A, B>
auto append_array(A&& a, B&& b) { return append_row(std::forward<A>(a), std::forward<B>(b)); }

namespace detail {

/// Matrices on the device and on the host.
template <class T>
concept has_sizes = matrix_expression<T> || eigen_like<T>;

}  // namespace detail

/// Numbers of rows, columns and elements; negative where the expression has no size of its own.
template <detail::has_sizes A>
std::int64_t rows(const A& a) {
  return a.rows();
}
template <detail::has_sizes A>
std::int64_t cols(const A& a) {
  return a.cols();
}
template <detail::has_sizes A>
std::int64_t size(const A& a) {
  return a.size();
}
template <detail::has_sizes A>
std::int64_t num_elements(const A& a) {
  return a.size();
}
/// Rows and columns. Throws std::length_error where one of them is no int.
template <detail::has_sizes A>
std::vector<int> dims(const A& a) {
  return detail::sizes_as_int(a.rows(), a.cols());
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/assembled.ipp>
#endif
