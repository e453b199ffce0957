#pragma once
// Structural expressions: transposes, blocks, rows, columns, segments, diagonals and reversed vectors of any
// expression. They are read in place: nothing is copied before it is used.

#include <fusion/expr/assignable.hpp>
#include <fusion/expr/operators.hpp>
#include <fusion/expr/size_facts.hpp>
#include <fusion/ops/structure.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument unless both sizes are known.
void check_known_size(const char* function, std::int64_t rows, std::int64_t cols, const char* operand = "a");
/// Throws std::invalid_argument for a negative size and std::out_of_range unless `count` rows (or columns)
/// from the 0-based `first` on lie within `size`; `base` is what the user calls the first one. Where that is
/// 0 both are std::invalid_argument, as of Stan Math's block_zero_based.
void check_range(const char* function, const char* what, std::int64_t size, std::int64_t first,
                 std::int64_t count, std::int64_t base);
/// Throws std::out_of_range unless there is an element (i, j), counted from 0.
void check_place(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols);
/// Row and column of element `i` of a row or a column. Throws std::invalid_argument for what is neither.
std::pair<std::int64_t, std::int64_t> place_in_vector(std::int64_t i, std::int64_t rows, std::int64_t cols);
/// Throws std::invalid_argument unless there is a single row or a single column.
void check_vector(const char* function, std::int64_t rows, std::int64_t cols);

/// Type of the first operand of a node; void for a leaf.
template <class E, class Operands = typename E::operand_types>
struct first_operand {
  using type = void;
};
template <class E, class A, class... Others>
struct first_operand<E, types<A, Others...>> {
  using type = A;
};

/// The word of a block: of what it is made to have of its operand only what it has now.
std::uint32_t block_word(std::uint32_t facts, ir::diagonal_from start, bool all_rows, bool all_cols);
/// The node of a block whose next word is that, and then its offsets and sizes.
ir::node_id lower_block(lowering& low, ir::node_id operand);
/// States the facts about the node `id`.
void state_single_sizes(ir::graph& g, ir::node_id id, std::uint32_t singles);
/// The element of a matrix that has a single one: a scalar.
ir::node_id lower_single(lowering& low);
/// The transpose of the node `id`, of which the facts hold.
ir::node_id lower_transposed(ir::graph& g, ir::node_id id, std::uint32_t singles);

}  // namespace detail

template <class A>
struct transposed : expression<transposed<A>>, detail::number_conversion<transposed<A>, A::type, false, A> {
  using expression<transposed<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;

  explicit transposed(A operand) : a(std::move(operand)) {}
  std::int64_t rows() const { return a.cols(); }
  std::int64_t cols() const { return a.rows(); }
  void gather(binder& b) const {
    a.gather(b);
    b.choice(detail::single_sizes_of(a.rows(), a.cols()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    return detail::lower_transposed(low.graph(), operand, low.next_word());
  }
};

namespace detail {
template <class A>
inline constexpr bool is_reduced<transposed<A>> = is_reduced<A>;
template <class A>
inline constexpr bool may_be_number<transposed<A>> = may_be_number<A>;
}  // namespace detail

/// rows x cols elements from (row0, col0) on, counted from 0. The offsets and sizes are arguments of the
/// kernel.
template <class A>
struct block_of : expression<block_of<A>> {
  using expression<block_of<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  std::int64_t row0_, col0_;
  std::int64_t rows_, cols_;
  std::uint32_t singles_;  ///< what is known to be one row or column, in the low bits of the operand, and all
  int base_;               ///< number of the first row in messages
  const char* function_;

  block_of(const char* function, A operand, std::int64_t row0, std::int64_t col0, std::int64_t rows,
           std::int64_t cols, std::int64_t base, std::uint32_t singles = 0)
      : a(std::move(operand)),
        row0_(row0),
        col0_(col0),
        rows_(rows),
        cols_(cols),
        singles_(singles),
        base_(static_cast<int>(base)),
        function_(function) {
    detail::check_known_size(function, a.rows(), a.cols());
    check_place();
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  void gather(binder& b) const {
    check_place();  // the operand may have become smaller
    const std::size_t use = b.key().size();
    a.gather(b);
    const bool all_rows = row0_ == 0 && rows_ == a.rows(), all_cols = col0_ == 0 && cols_ == a.cols();
    const auto start =
        b.has_triangles() ? ir::diagonal_of_block(row0_, col0_, rows_, cols_) : ir::diagonal_from::anywhere;
    b.choice(detail::block_word(singles_, start, all_rows, all_cols));
    b.extents(row0_, col0_);
    b.extents(rows_, cols_);
    if constexpr (detail::variable_node<A>) {
      if (!(all_rows && all_cols)) b.block_of_variable(use);
    }
  }
  ir::node_id lower(lowering& low) const { return detail::lower_block(low, a.lower(low)); }

 private:
  void check_place() const {
    detail::check_range(function_, "rows", a.rows(), row0_, rows_, base_);
    detail::check_range(function_, "columns", a.cols(), col0_, cols_, base_);
  }
};

template <class A>
struct diagonal_of : expression<diagonal_of<A>> {
  using expression<diagonal_of<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;

  explicit diagonal_of(A operand) : a(std::move(operand)) {
    detail::check_known_size("diagonal", a.rows(), a.cols());
  }
  std::int64_t rows() const { return a.rows() < a.cols() ? a.rows() : a.cols(); }
  std::int64_t cols() const { return 1; }
  void gather(binder& b) const {
    a.gather(b);
    b.extents(rows(), 1);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    return low.graph().access(op::access::record(), ir::access_map::diagonal(), operand, low.extents(),
                              ir::one);
  }
};

template <class A>
struct reversed : expression<reversed<A>> {
  using expression<reversed<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;

  explicit reversed(A operand) : a(std::move(operand)) {
    detail::check_known_size("reverse", a.rows(), a.cols());
    detail::check_vector("reverse", a.rows(), a.cols());
  }
  std::int64_t rows() const { return a.rows(); }
  std::int64_t cols() const { return a.cols(); }
  void gather(binder& b) const {
    detail::check_vector("reverse", a.rows(), a.cols());
    a.gather(b);
    b.choice(detail::single_sizes_of(rows(), cols()));
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    const std::uint32_t singles = low.next_word();
    detail::state_single_sizes(low.graph(), operand, singles);
    const ir::node from = low.graph()[operand];
    const auto map = singles & detail::single_cols ? ir::access_map::reversed_rows(from.rows)
                                                   : ir::access_map::reversed_cols(from.cols);
    return low.graph().access(op::access::record(), map, operand, from.rows, from.cols);
  }
};

/// A vector as each column or each row of a matrix.
template <class A>
struct repeated_vector : expression<repeated_vector<A>> {
  using expression<repeated_vector<A>>::operator=;
  using operand_types = detail::types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  bool column_;
  std::int64_t count_;

  repeated_vector(A operand, bool column, std::int64_t count)
      : a(std::move(operand)), column_(column), count_(count) {}
  std::int64_t rows() const { return column_ ? a.rows() : count_; }
  std::int64_t cols() const { return column_ ? count_ : a.cols(); }
  void gather(binder& b) const {
    a.gather(b);
    b.choice(column_ ? detail::single_cols : detail::single_rows);
    b.extents(rows(), cols());
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id operand = a.lower(low);
    const std::uint32_t singles = low.next_word();
    const ir::extent rows = low.extents(), cols = rows + 1;
    detail::state_single_sizes(low.graph(), operand, singles);
    const ir::node from = low.graph()[operand];
    if (singles & detail::single_cols)
      low.graph().unify(rows, from.rows);
    else
      low.graph().unify(cols, from.cols);
    return low.graph().broadcast(operand, rows, cols);
  }
};

namespace detail {

/// A block of `a`, to which can be assigned where `a` is a matrix that is not const.
template <class A>
auto make_block(const char* function, A&& a, std::int64_t row0, std::int64_t col0, std::int64_t rows,
                std::int64_t cols, std::int64_t base, std::uint32_t singles = 0) {
  const auto elements = writable_elements_of<std::remove_reference_t<A>>(a);
  return part_of(elements,
                 block_of<node_of<A>>(function, as_operation_cl(std::forward<A>(a)), row0, col0, rows, cols,
                                      base, singles),
                 {row0, col0});
}

/// `count` elements of a vector from the 0-based `first` on.
template <class A>
auto make_segment(const char* function, A&& a, std::int64_t first, std::int64_t count, std::int64_t base) {
  const std::int64_t rows = a.rows(), cols = a.cols();
  check_known_size(function, rows, cols);
  check_vector(function, rows, cols);
  const bool column = cols == 1;
  check_range(function, "elements", column ? rows : cols, first, count, base);
  const std::uint32_t single = column ? single_cols : single_rows;
  return make_block(function, std::forward<A>(a), column ? first : 0, column ? 0 : first, column ? count : 1,
                    column ? 1 : count, base, single | (column ? block_single_cols : block_single_rows));
}

}  // namespace detail

/// The transpose. That of a scalar expression is the same. What follows can be assigned to, too, where `a` is
/// a matrix_cl that is not const or such a part of one.
template <expression_like A>
auto transpose(A&& a) {
  if constexpr (node_of<A>::is_scalar) {
    return as_operation_cl(std::forward<A>(a));
  } else {
    const auto elements = detail::writable_elements_of<std::remove_reference_t<A>>(a);
    return detail::part_of(elements, transposed<node_of<A>>(as_operation_cl(std::forward<A>(a))),
                           {0, 0, 0, 1, 1, 0});
  }
}

/// rows x cols elements of `a` from row `i` and column `j` on, counted from 0. Throws std::invalid_argument
/// where `a` has less and for negative sizes, as Stan Math does.
template <expression_like A>
auto block_zero_based(A&& a, std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) {
  return detail::make_block("block_zero_based", std::forward<A>(a), i, j, rows, cols, 0);
}
/// The same with rows and columns counted from 1. This and what follows throw std::out_of_range where `a` has
/// less, std::invalid_argument for negative sizes.
template <expression_like A>
auto block(A&& a, std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) {
  return detail::make_block("block", std::forward<A>(a), i - 1, j - 1, rows, cols, 1);
}
/// Row `i`, counted from 1, as a row vector.
template <expression_like A>
auto row(A&& a, std::int64_t i) {
  const std::int64_t cols = a.cols();
  return detail::make_block("row", std::forward<A>(a), i - 1, 0, 1, cols, 1,
                            detail::block_single_rows | detail::block_of_all_cols);
}
/// Column `j`, counted from 1, as a column vector.
template <expression_like A>
auto col(A&& a, std::int64_t j) {
  const std::int64_t rows = a.rows();
  return detail::make_block("col", std::forward<A>(a), 0, j - 1, rows, 1, 1,
                            detail::block_single_cols | detail::block_of_all_rows);
}
/// `cols` elements of row `i` from column `j` on, counted from 1.
template <expression_like A>
auto sub_row(A&& a, std::int64_t i, std::int64_t j, std::int64_t cols) {
  return detail::make_block("sub_row", std::forward<A>(a), i - 1, j - 1, 1, cols, 1,
                            detail::block_single_rows);
}
/// `rows` elements of column `j` from row `i` on, counted from 1.
template <expression_like A>
auto sub_col(A&& a, std::int64_t i, std::int64_t j, std::int64_t rows) {
  return detail::make_block("sub_col", std::forward<A>(a), i - 1, j - 1, rows, 1, 1,
                            detail::block_single_cols);
}

/// The first `n` elements of a vector. These throw std::out_of_range where there are fewer and
/// std::invalid_argument for matrices.
template <expression_like A>
auto head(A&& a, std::int64_t n) {
  return detail::make_segment("head", std::forward<A>(a), 0, n, 1);
}
/// The last `n` elements of a vector.
template <expression_like A>
auto tail(A&& a, std::int64_t n) {
  const std::int64_t size = a.cols() == 1 ? a.rows() : a.cols();  // other shapes are refused below
  return detail::make_segment("tail", std::forward<A>(a), size - n, n, 1);
}
/// `n` elements of a vector from element `i` on, counted from 1.
template <expression_like A>
auto segment(A&& a, std::int64_t i, std::int64_t n) {
  return detail::make_segment("segment", std::forward<A>(a), i - 1, n, 1);
}

/// The diagonal as a column vector.
template <expression_like A>
auto diagonal(A&& a) {
  const auto elements = detail::writable_elements_of<std::remove_reference_t<A>>(a);
  return detail::part_of(elements, diagonal_of<node_of<A>>(as_operation_cl(std::forward<A>(a))),
                         {0, 0, 1, 0, 1, 0});
}
/// A vector from its last element to its first, to be read only. Throws std::invalid_argument for matrices.
template <expression_like A>
auto reverse(A&& a) {
  return reversed<node_of<A>>(as_operation_cl(std::forward<A>(a)));
}

FUSECL_REFUSE_OPERANDS(transpose)
FUSECL_REFUSE_OPERANDS(block_zero_based)
FUSECL_REFUSE_OPERANDS(block)
FUSECL_REFUSE_OPERANDS(row)
FUSECL_REFUSE_OPERANDS(col)
FUSECL_REFUSE_OPERANDS(head)
FUSECL_REFUSE_OPERANDS(tail)
FUSECL_REFUSE_OPERANDS(segment)
FUSECL_REFUSE_OPERANDS(diagonal)
FUSECL_REFUSE_OPERANDS(reverse)

namespace detail {

/// What an expression with one element is by what it is made by: 1 a row, as a transposed column is, -1 a
/// column, 0 either.
template <class E>
inline constexpr int made_as = 0;
template <class Op, class A>
inline constexpr int made_as<reduction<Op, ir::axis::column, A>> = 1;
template <class Op, class A>
inline constexpr int made_as<reduction<Op, ir::axis::row, A>> = -1;
template <class A>
inline constexpr int made_as<diagonal_of<A>> = -1;

template <class E>
int direction_of(const E& e) {
  if constexpr (requires { e.as_node(); })
    return direction_of(e.as_node());
  else if constexpr (made_as<E> != 0)
    return made_as<E>;
  else if constexpr (std::is_same_v<E, shared_expression<typename first_operand<E>::type>>)
    return direction_of(*e.a);
  else if constexpr (std::is_same_v<E, block_of<typename first_operand<E>::type>>)
    return ((e.singles_ & block_single_rows) != 0) - ((e.singles_ & block_single_cols) != 0);
  else if constexpr (std::is_same_v<E, transposed<typename first_operand<E>::type>>)
    return -direction_of(e.a);
  else if constexpr (requires {
                       e.a.rows();
                       e.b.rows();
                     })
    return direction_of(e.a) != 0 ? direction_of(e.a) : direction_of(e.b);
  else if constexpr (requires { e.a.rows(); })
    return direction_of(e.a);
  else
    return 0;
}

}  // namespace detail

/// A column vector as each of `n` columns, or a row vector as each of `n` rows. One element is a row where
/// its expression can be nothing else (row(a, i), colwise_sum(a), a transposed column), else a column. Throws
/// std::domain_error for a negative number, std::invalid_argument for matrices.
template <expression_like A>
requires(!node_of<A>::is_scalar) auto rep_matrix(A&& a, std::int64_t n) {
  auto e = as_operation_cl(std::forward<A>(a));
  detail::check_not_negative("rep_matrix", "the number of rows or columns", n);
  detail::check_vector("rep_matrix", e.rows(), e.cols());
  const bool column = e.cols() == 1 && (e.rows() != 1 || detail::direction_of(e) != 1);
  return repeated_vector<node_of<A>>(std::move(e), column, n);
}

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/structure.ipp>
#endif
