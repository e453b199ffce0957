#pragma once
// Many small matrices of one size, which stand side by side in one: a batch of n matrices r x c is r x (c n),
// and matrix b is what `block_zero_based(a, 0, b * c, r, c)` reads. Products are one launch, whatever follows
// from operands and result element by element included.

#include <cstdint>
#include <utility>

#include <fusion/expr/assembled.hpp>
#include <fusion/expr/functions.hpp>
#include <fusion/expr/indexing.hpp>
#include <fusion/ops/batched_factors.hpp>
#include <fusion/ops/batched_product.hpp>

namespace fusecl {

namespace detail {

/// Rows and columns.
struct matrix_size {
  std::int64_t rows, cols;
};

/// Sizes of one matrix of a batch, as it is stored; no columns where there are none. Throws
/// std::invalid_argument where the batch `name` cannot have `count` matrices.
matrix_size size_of_matrix(const char* function, const char* name, matrix_size batch, std::int64_t count);
/// Columns of `count` matrices with `cols` each. Throws std::invalid_argument where that is no number.
std::int64_t columns_of_batch(const char* function, std::int64_t cols, std::int64_t count);
/// How many square matrices a batch in transpose_each has. Throws std::invalid_argument where these are none.
std::int64_t count_of_squares(matrix_size batch);
/// Throws std::invalid_argument where transpose_each was told another number of matrices than `count`.
void check_count(const char* function, std::int64_t told, std::int64_t count);

/// The elements of the transposed matrices of a batch, each of this size.
template <class A>
auto transposed_elements(const A& a, matrix_size each, std::int64_t count) {
  const std::int64_t rows = each.cols, cols = each.rows * count;
  const int down = static_cast<int>(each.rows == 0 ? 1 : each.rows), across = static_cast<int>(each.cols);
  auto row = col_index(rows, cols) % down;
  auto col = col_index(rows, cols) / down * across + row_index(rows, cols);
  return gathered<A, decltype(row), decltype(col)>(a, row, col, unchecked_places());
}

}  // namespace detail

/// A batch with each of its matrices transposed.
template <class A>
struct transposed_each : expression<transposed_each<A>> {
  using expression<transposed_each<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  static constexpr std::int64_t squares = -1;
  A a;
  std::int64_t told_;  ///< how many matrices there are; `squares`: as many as square ones

  explicit transposed_each(A operand, std::int64_t count = squares) : a(std::move(operand)), told_(count) {}
  std::int64_t rows() const { return each().cols; }
  std::int64_t cols() const { return each().rows * count(); }
  void gather(binder& b) const { elements().gather(b); }
  ir::node_id lower(lowering& low) const { return elements().lower(low); }

 private:
  std::int64_t count() const {
    return told_ == squares ? detail::count_of_squares({a.rows(), a.cols()}) : told_;
  }
  detail::matrix_size each() const {
    if (told_ == squares) {
      count();  // looks whether they are
      return {a.rows(), a.rows()};
    }
    return detail::size_of_matrix("transpose_each", "a", {a.rows(), a.cols()}, count());
  }
  auto elements() const { return detail::transposed_elements(a, each(), count()); }
};

/// The batch `a` with each of its matrices transposed. batched_multiply and, of triangles,
/// batched_mdivide_left_tri_low read it where it is; elsewhere it is an indexing of `a`. There the matrices
/// are square unless their number is told: with r x c matrices in `a` these are c x r, and the result is
/// c x (r count). Throws std::invalid_argument where the columns of `a` are no multiple of its rows, or of
/// that number.
template <detail::matrix_expression A>
auto transpose_each(A&& a) {
  return transposed_each<node_of<A>>(as_operation_cl(std::forward<A>(a)));
}
template <detail::matrix_expression A>
auto transpose_each(A&& a, std::int64_t count) {
  detail::size_of_matrix("transpose_each", "a", {a.rows(), a.cols()}, count);
  return transposed_each<node_of<A>>(as_operation_cl(std::forward<A>(a)), count);
}
FUSECL_REFUSE_OPERANDS(transpose_each)

namespace detail {

/// An operand of an operation on batches: what it reads, and whether each matrix is transposed.
template <class T>
struct batch_of {
  using node = node_of<T>;
  static constexpr bool turned = false;
  static void check(const char*, const T&, std::int64_t) {}
  static node take(T value) { return as_operation_cl(std::forward<T>(value)); }
};
template <class A>
struct batch_of<transposed_each<A>> {
  using node = A;
  static constexpr bool turned = true;
  static void check(const char* function, const transposed_each<A>& value, std::int64_t count) {
    if (value.told_ != transposed_each<A>::squares) check_count(function, value.told_, count);
  }
  static node take(transposed_each<A> value) { return std::move(value.a); }
};
template <class A>
struct batch_of<transposed_each<A>&> : batch_of<transposed_each<A>> {};
template <class A>
struct batch_of<const transposed_each<A>&> : batch_of<transposed_each<A>> {};

/// Two batches, of which one may be of the host.
template <class A, class B>
concept batch_pair = (matrix_expression<A> && any_matrix<B>) || (host_operand<A> && matrix_expression<B>);

/// Size of the batch of products. Throws std::invalid_argument where the matrices cannot be multiplied.
matrix_size size_of_products(ops::transposed_operands turned, matrix_size a, matrix_size b,
                             std::int64_t count);
/// The node of these, whose next words and symbols say how large it is.
ir::node_id lower_batched_product(lowering& low, ops::transposed_operands turned, ir::node_id a,
                                  ir::node_id b);

}  // namespace detail

/// Products of the matrices of two batches, of which First and Second say whether they are transposed.
template <bool First, bool Second, class A, class B>
struct batched_products : expression<batched_products<First, Second, A, B>> {
  using expression<batched_products<First, Second, A, B>>::operator=;
  using operand_types = detail::types<A, B>;
  static constexpr scalar_type type = promoted(A::type, B::type);
  static constexpr bool is_scalar = false;
  A a;
  B b;
  std::int64_t count_;

  batched_products(A first, B second, std::int64_t count)
      : a(std::move(first)), b(std::move(second)), count_(count) {
    size();
  }
  std::int64_t rows() const { return size().rows; }
  std::int64_t cols() const { return size().cols; }
  void gather(binder& bound) const {
    const detail::matrix_size own = size();  // the operands may have other sizes now
    a.gather(bound);
    b.gather(bound);
    bound.choice(detail::single_sizes_of(own.rows, own.cols));
    bound.extents(own.rows, own.cols);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id first = a.lower(low), second = b.lower(low);
    return detail::lower_batched_product(low, {First, Second}, first, second);
  }

 private:
  detail::matrix_size size() const {
    return detail::size_of_products({First, Second}, {a.rows(), a.cols()}, {b.rows(), b.cols()}, count_);
  }
};

namespace detail {
template <bool First, bool Second, class A, class B>
inline constexpr bool is_reduced<batched_products<First, Second, A, B>> = true;
}  // namespace detail

/// The products of the matrices of two batches: matrix i of the result is that of the matrices i of `a` and
/// `b`, each of which may be in transpose_each. With r x k matrices in `a` and k x c in `b` these are
/// r x (k count) and k x (c count), and the result is r x (c count). Throws std::invalid_argument where the
/// columns of a batch are no multiple of `count`, or its matrices cannot be multiplied.
template <class A, class B>
requires detail::batch_pair<A, B>
auto batched_multiply(A&& a, B&& b, std::int64_t count) {
  using first = detail::batch_of<A>;
  using second = detail::batch_of<B>;
  first::check("batched_multiply", a, count);
  second::check("batched_multiply", b, count);
  return batched_products<first::turned, second::turned, typename first::node, typename second::node>(
      first::take(std::forward<A>(a)), second::take(std::forward<B>(b)), count);
}
FUSECL_REFUSE_OPERANDS(batched_multiply)

namespace detail {

/// Throws std::invalid_argument unless a batch (rows x cols) is one of square matrices that an operation on
/// batches factors.
void check_square_batch(const char* function, std::int64_t rows, std::int64_t cols);
/// The same, and unless `b` has right sides for each of them.
void check_batched_sides(const char* function, matrix_size a, matrix_size b);
/// Nodes, of which the next word tells what sizes are single.
ir::node_id lower_batched_factor(lowering& low, ir::node_id (*make)(ir::graph& g, ir::node_id a),
                                 ir::node_id a);
ir::node_id lower_batched_solve(lowering& low, bool transposed, ir::node_id a, ir::node_id b);

/// What is computed of each matrix of a batch.
struct cholesky_of_each {
  static constexpr const char* function = "batched_cholesky_decompose";
  static ir::node_id lower(ir::graph& g, ir::node_id a) { return ops::batched_cholesky(g, a); }
};
struct inverse_of_each {
  static constexpr const char* function = "batched_tri_inverse";
  static ir::node_id lower(ir::graph& g, ir::node_id a) { return ops::batched_inverse(g, a); }
};

}  // namespace detail

/// The factors, or the inverses, of a batch of square matrices.
template <class Of, class A>
struct batched_factors : expression<batched_factors<Of, A>> {
  using expression<batched_factors<Of, A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = floating(A::type);
  static constexpr bool is_scalar = false;
  A a;

  explicit batched_factors(A operand) : a(std::move(operand)) { check(); }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const {
    check();  // the operand may have another size now
    a.gather(b);
    b.choice(detail::single_sizes_of(rows(), cols()));
  }
  ir::node_id lower(lowering& low) const {
    return detail::lower_batched_factor(low, Of::lower, a.lower(low));
  }

 private:
  void check() const { detail::check_square_batch(Of::function, a.rows(), a.cols()); }
};

/// Solutions of the systems with the lower triangles of a batch, transposed or not.
template <bool Transposed, class A, class B>
struct batched_solutions : expression<batched_solutions<Transposed, A, B>> {
  using expression<batched_solutions<Transposed, A, B>>::operator=;
  using operand_types = detail::types<A, B>;
  static constexpr scalar_type type = floating(promoted(A::type, B::type));
  static constexpr bool is_scalar = false;
  A a;
  B b;

  batched_solutions(A matrices, B sides) : a(std::move(matrices)), b(std::move(sides)) { check(); }
  std::int64_t rows() const { return b.rows(); }
  std::int64_t cols() const { return b.cols(); }
  void gather(binder& bound) const {
    check();
    a.gather(bound);
    b.gather(bound);
    bound.choice(detail::single_sizes_of(rows(), cols()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id matrices = a.lower(low), sides = b.lower(low);
    return detail::lower_batched_solve(low, Transposed, matrices, sides);
  }

 private:
  void check() const {
    detail::check_batched_sides("batched_mdivide_left_tri_low", {a.rows(), a.cols()}, {b.rows(), b.cols()});
  }
};

namespace detail {
template <class Of, class A>
inline constexpr bool is_reduced<batched_factors<Of, A>> = true;
template <bool Transposed, class A, class B>
inline constexpr bool is_reduced<batched_solutions<Transposed, A, B>> = true;
}  // namespace detail

/// The Cholesky factor of each matrix of a batch of symmetric positive definite ones, whose rows say how many
/// columns each has: L with positive diagonal, zeros above it and L L' = A. Only lower triangles are read,
/// and the derivative is that by them. Throws std::invalid_argument where the columns of `a` are no multiple
/// of its rows, or these are more than 128. Where a matrix is not positive definite, or has a NaN, its factor
/// is NaN from the first pivot that is not positive on, and the next host read on the same thread throws
/// std::domain_error with the number of the first such matrix, its pivot, and which one that is.
template <detail::matrix_expression A>
auto batched_cholesky_decompose(A&& a) {
  return batched_factors<detail::cholesky_of_each, node_of<A>>(as_operation_cl(std::forward<A>(a)));
}
FUSECL_REFUSE_OPERANDS(batched_cholesky_decompose)

/// The inverse of the lower triangle of each matrix of a batch of square ones, with zeros above the diagonal.
/// Throws what batched_cholesky_decompose does for sizes. An element 0 of a diagonal makes infinities or NaN,
/// which, like NaN and infinities of a matrix, may spread over its inverse, but not to other matrices.
template <detail::matrix_expression A>
auto batched_tri_inverse(A&& a) {
  return batched_factors<detail::inverse_of_each, node_of<A>>(as_operation_cl(std::forward<A>(a)));
}
FUSECL_REFUSE_OPERANDS(batched_tri_inverse)

/// X of L X = B for each matrix of two batches, with the lower triangle of L, of which nothing else is read;
/// of L' X = B where L is in transpose_each. With n x n matrices in `l` and n x c in `b` the result is that
/// of `b`. Throws std::invalid_argument where sizes do not fit, or n is more than 128.
template <class L, class B>
requires(detail::batch_pair<L, B>&& detail::any_matrix<B>) auto batched_mdivide_left_tri_low(L&& l, B&& b) {
  using matrices = detail::batch_of<L>;
  if constexpr (matrices::turned)
    matrices::check("batched_mdivide_left_tri_low", l, detail::count_of_squares({l.a.rows(), l.a.cols()}));
  return batched_solutions<matrices::turned, typename matrices::node, node_of<B>>(
      matrices::take(std::forward<L>(l)), as_operation_cl(std::forward<B>(b)));
}
FUSECL_REFUSE_OPERANDS(batched_mdivide_left_tri_low)

/// A batch of `count` n x n matrices with ones on their diagonals and zeros elsewhere. Throws
/// std::domain_error for a negative number, std::invalid_argument where its columns are too many to count.
template <element T = double>
auto batch_identity(std::int64_t n, std::int64_t count) {
  detail::check_not_negative("batch_identity", "the size", n);
  detail::check_not_negative("batch_identity", "the number of matrices", count);
  const std::int64_t cols = detail::columns_of_batch("batch_identity", n, count);
  return select(row_index(n, cols) == col_index(n, cols) % static_cast<int>(n), static_cast<T>(1),
                static_cast<T>(0));
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/batches.ipp>
#endif
