#pragma once
// Elements of a matrix at places that integers name: indexing(m, row_index, col_index), v[index], rows and
// columns by number. What places there are is looked at once for the contents of the index matrices
// (eval/index_contents.hpp), before anything of a statement is enqueued.

#include <vector>

#include <fusion/expr/index_places.hpp>
#include <fusion/ops/gather.hpp>

namespace fusecl {
namespace detail {

/// Throws std::invalid_argument where only one of the sizes is that of a vector.
void check_index_sizes(const char* function, std::int64_t rows_i, std::int64_t cols_i, std::int64_t rows_j,
                       std::int64_t cols_j);
/// The node of sums at places whose next words are those of `summed_at_places`.
ir::node_id lower_sums(lowering& low, ir::node_id amount, ir::node_id i, ir::node_id j);
/// The node of an indexing whose next words are those of `gathered`.
ir::node_id lower_indexing(lowering& low, ir::node_id m, ir::node_id i, ir::node_id j);
/// The same where all indices are scalars.
ir::node_id lower_element(lowering& low, ir::node_id m, ir::node_id i, ir::node_id j);

template <class E>
concept index_expression = operand<E> && !is_floating(node_of<E>::type) &&
                           (node_of<E>::type == scalar_type::int32 || node_of<E>::type == scalar_type::int64);

/// Whether what stands for an index is a condition, which is none.
template <class I>
constexpr bool is_condition() {
  if constexpr (operand<I>)
    return node_of<I>::type == scalar_type::boolean;
  else
    return std::is_same_v<std::remove_cvref_t<I>, std::vector<bool>>;
}
/// Of what is no index; instantiated where a call finds nothing better.
template <class... Index>
refused refuse_index_type() {
  if constexpr ((is_condition<Index>() || ...))
    static_assert(sizeof...(Index) == 0,
                  "a condition is no index: select(condition, x, y) chooses elements by it");
  else
    static_assert(sizeof...(Index) == 0,
                  "an index is an expression or a number of type int or long: convert an expression by "
                  "cast<int>(x), a list of the host by to_matrix_cl(x)");
  return {};
}

}  // namespace detail

/// Elements (i(r, c), j(r, c)) of `a`; element i(r, c) of a vector where J is detail::no_index. One element,
/// a scalar expression, where all indices are scalars.
template <class A, class I, class J>
struct gathered : expression<gathered<A, I, J>>,
                  detail::number_conversion<gathered<A, I, J>, A::type, I::is_scalar && J::is_scalar> {
  using expression<gathered<A, I, J>>::operator=;
  using operand_types =
      std::conditional_t<std::is_same_v<J, detail::no_index>, detail::types<A, I>, detail::types<A, I, J>>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = I::is_scalar && J::is_scalar;
  static constexpr bool of_vector = std::is_same_v<J, detail::no_index>;
  A a;
  I i;
  J j;
  const char* function = of_vector ? "operator[]" : "indexing";  ///< that errors name

  gathered(A operand, I row_index, J col_index, detail::unchecked_places)
      : gathered(std::move(operand), std::move(row_index), std::move(col_index)) {
    checks_ = false;
  }
  gathered(A operand, I row_index, J col_index)
      : a(std::move(operand)), i(std::move(row_index)), j(std::move(col_index)) {
    check_sizes();
  }
  std::int64_t rows() const {
    if constexpr (is_scalar) return 1;
    const std::int64_t own = stated(rows_of(i), rows_of(j));
    return own < 0 && takes_all_rows() ? a.rows() : own;
  }
  std::int64_t cols() const {
    if constexpr (is_scalar) return 1;
    const std::int64_t own = stated(cols_of(i), cols_of(j));
    return own < 0 && takes_all_cols() ? a.cols() : own;
  }
  void gather(binder& b) const {
    check_sizes();  // the operands may have other sizes now
    const bool sized = rows() >= 0 && cols() >= 0;
    if (checks_ && sized) b.check({run_check, this});
    a.gather(b);
    i.gather(b);
    j.gather(b);
    if constexpr (is_scalar) {
      b.choice(detail::single_sizes_of(a.rows(), a.cols()) |
               (of_vector && is_by_row() ? detail::of_column : 0u));
      return;
    }
    const bool each_row = detail::is_row_numbers<I> && cols() == 1 && rows() == a.rows();
    const bool each_col = detail::is_col_numbers<J> && rows() == 1 && cols() == a.cols();
    std::uint32_t word =
        detail::single_sizes_of(a.rows(), a.cols()) | (each_row ? detail::one_of_each_row : 0u) |
        (each_col ? detail::one_of_each_col : 0u) | (of_vector && is_by_row() ? detail::of_column : 0u);
    if (stated(rows_of(i), rows_of(j)) < 0 && takes_all_rows()) word |= detail::all_rows;
    if (stated(cols_of(i), cols_of(j)) < 0 && takes_all_cols()) word |= detail::all_cols;
    detail::index_lists lists{};
    if (!each_row && !each_col && has_derivative(b)) {
      if (rows() * cols() > 0) check_places();
      const std::uint32_t named = detail::lists_named(*this);
      lists = detail::lists_for(*this, named);
      word |= named | detail::word_of(lists);
    }
    b.choice(word);
    b.choice(detail::single_sizes_of(rows(), cols()));
    if (checks_ && !sized) b.check({run_check, this, static_cast<std::int32_t>(b.extents().size())});
    b.extents(rows(), cols());
    if (lists.count > 0) b.keep_witness(lists.memory);
    for (std::size_t k = 0; k < lists.count; ++k) b.matrix(lists.operands[k]);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id m = a.lower(low), row = i.lower(low);
    ir::node_id col = ir::no_node;
    if constexpr (!of_vector) col = j.lower(low);
    return (is_scalar ? detail::lower_element : detail::lower_indexing)(low, m, row, col);
  }

  /// Throws std::out_of_range for an index that is no place of `a` now.
  void check_places() const { check_places(rows(), cols()); }
  /// The same of as many elements.
  void check_places(std::int64_t rows, std::int64_t cols) const {
    if constexpr (of_vector) {
      detail::check_index({function, "index", "elements of the vector"}, i, a.rows() * a.cols(), rows, cols);
    } else {
      detail::check_index({function, "row index", "rows of the matrix"}, i, a.rows(), rows, cols);
      detail::check_index({function, "column index", "columns of the matrix"}, j, a.cols(), rows, cols);
    }
  }
  /// Whether `i` numbers rows.
  bool is_by_row() const { return !of_vector || a.cols() == 1; }

 private:
  bool checks_ = true;

  static void run_check(const void* self, std::int64_t rows, std::int64_t cols) {
    const auto& own = *static_cast<const gathered*>(self);
    own.check_places(rows < 0 ? own.rows() : rows, cols < 0 ? own.cols() : cols);
  }
  /// Sizes that an index states: a scalar one, also a computed one, states none.
  template <class Index>
  static std::int64_t rows_of(const Index& index) {
    return Index::is_scalar ? free_size : index.rows();
  }
  template <class Index>
  static std::int64_t cols_of(const Index& index) {
    return Index::is_scalar ? free_size : index.cols();
  }
  static std::int64_t stated(std::int64_t of_i, std::int64_t of_j) { return of_i >= 0 ? of_i : of_j; }
  static constexpr bool takes_all_rows() { return detail::is_row_numbers<I>; }
  static constexpr bool takes_all_cols() { return detail::is_col_numbers<J>; }
  void check_sizes() const {
    detail::check_known_size(function, a.rows(), a.cols());
    if constexpr (of_vector) detail::check_vector(function, a.rows(), a.cols());
    if constexpr (!I::is_scalar && !J::is_scalar)
      detail::check_index_sizes(function, i.rows(), i.cols(), j.rows(), j.cols());
  }
  bool has_derivative(const binder& b) const {
    if (!is_floating(type) || b.derivatives().empty()) return false;
    binder own = b.for_part();
    a.gather(own);
    return own.has_derivatives();
  }
};

namespace detail {

/// Sums of the elements of `a` that go to each place of a matrix of which `Places`, a `gathered`, reads
/// elements of this size.
template <class A, class Places>
struct summed_at_places : expression<summed_at_places<A, Places>> {
  using expression<summed_at_places<A, Places>>::operator=;
  using operand_types = types<A>;
  static constexpr scalar_type type = A::type;
  static constexpr bool is_scalar = false;
  A a;
  Places places;

  summed_at_places(A operand, Places p) : a(std::move(operand)), places(std::move(p)) {}
  std::int64_t rows() const { return places.a.rows(); }
  std::int64_t cols() const { return places.a.cols(); }
  void gather(binder& b) const {
    a.gather(b);
    places.i.gather(b);
    places.j.gather(b);
    const std::uint32_t named = lists_named(places);
    const index_lists lists = lists_for(places, named);
    b.choice(word_of(lists) | named | (Places::of_vector && places.is_by_row() ? of_column : 0u));
    b.extents(rows(), cols());
    b.keep_witness(lists.memory);
    for (std::size_t k = 0; k < lists.count; ++k) b.matrix(lists.operands[k]);
  }
  ir::node_id lower(lowering& low) const {
    const ir::node_id amount = a.lower(low), i = places.i.lower(low);
    if constexpr (Places::of_vector)
      return lower_sums(low, amount, i, ir::no_node);
    else
      return lower_sums(low, amount, i, places.j.lower(low));
  }
};

template <class M>
concept writable_matrix = requires(M& m) {
  { m.leaf() } -> node;
  m.writable_elements();
}
&&!node<M> && !std::is_const_v<M>;

/// A part of such a matrix, which may itself be const.
template <class M>
concept writable_part = node<M> && requires(const M& m) {
  m.writable_elements();
};

/// Elements at indices of a matrix that is not const, or of a part of one, can be assigned to
/// (eval/indexed_elements.hpp).
template <class M, class Node>
class indexed_elements;

/// `elements`, which reads elements of `m`, as something to assign to where `m` allows that.
template <class M, class Node>
auto elements_of(M& m, Node elements) {
  if constexpr (writable_matrix<M> || writable_part<M>)
    return indexed_elements<std::remove_const_t<M>, Node>(m, std::move(elements));
  else
    return elements;
}

}  // namespace detail

/// Elements (row_index(r, c), col_index(r, c)) of `m`, counted from 0; of the size of the indices, which are
/// numbers or expressions of int or long that combine as the operands of other functions do. What has no size
/// of its own takes that of the other, `row_index()` and `col_index()` in their places all rows and columns
/// of `m`, and what is left that of the expression around it, by which no derivative is taken then. Throws
/// std::invalid_argument where the sizes differ. Evaluating throws std::out_of_range for a place outside of
/// `m`, before anything is enqueued. Of a matrix_cl that is not const, or of a part of one, they can be
/// assigned to: of several values for one element the last, column by column, stays, and
/// `+=` adds them all.
template <expression_like M, operand I, operand J>
requires(!node_of<M>::is_scalar) auto indexing(M&& m, I&& row_index, J&& col_index) {
  if constexpr (detail::index_expression<I> && detail::index_expression<J>)
    return detail::elements_of(m, gathered<node_of<M>, node_of<I>, node_of<J>>(
                                      as_operation_cl(m), as_operation_cl(std::forward<I>(row_index)),
                                      as_operation_cl(std::forward<J>(col_index))));
  else
    return detail::refuse_index_type<I, J>();
}
FUSECL_REFUSE_OPERANDS(indexing)

namespace detail {

/// Throws std::invalid_argument where the index of rows is no column, or that of columns no row.
void check_taken(const char* function, bool takes_rows, std::int64_t rows, std::int64_t cols);
template <class I>
I checked_taken(const char* function, bool takes_rows, I index) {
  if constexpr (!I::is_scalar) check_taken(function, takes_rows, index.rows(), index.cols());
  return index;
}

/// `elements`, in whose errors `function` is named.
template <class Elements>
Elements taken_by(const char* function, Elements elements) {
  if constexpr (!std::is_same_v<Elements, refused>) elements.function = function;
  return elements;
}

/// Elements of a vector by one index each.
template <class V, class I>
auto elements_of_vector(V&& v, I&& index) {
  if constexpr (index_expression<I>)
    return elements_of(v, gathered<node_of<V>, node_of<I>, no_index>(
                              as_operation_cl(v), as_operation_cl(std::forward<I>(index)), no_index()));
  else if constexpr (std::is_same_v<std::remove_cvref_t<I>, unsigned>)
    return elements_of_vector(std::forward<V>(v), std::int64_t{index});
  else
    return refuse_index_type<I>();
}

}  // namespace detail

/// The rows of `m` that the elements of the column `index` number from 0, in their order: a minibatch, or the
/// coefficients of each observation's group. Throws as `indexing`, and std::invalid_argument where `index` is
/// no column.
template <expression_like M, operand I>
requires(!node_of<M>::is_scalar) auto take_rows(M&& m, I&& index) {
  auto rows = detail::checked_taken("take_rows", true, as_operation_cl(std::forward<I>(index)));
  return detail::taken_by("take_rows",
                          indexing(std::forward<M>(m), rowwise_broadcast(std::move(rows)), col_index()));
}
/// The columns of `m` that the elements of the row `index` number; throws likewise.
template <expression_like M, operand I>
requires(!node_of<M>::is_scalar) auto take_cols(M&& m, I&& index) {
  auto cols = detail::checked_taken("take_cols", false, as_operation_cl(std::forward<I>(index)));
  return detail::taken_by("take_cols",
                          indexing(std::forward<M>(m), row_index(), colwise_broadcast(std::move(cols))));
}
FUSECL_REFUSE_OPERANDS(take_rows)
FUSECL_REFUSE_OPERANDS(take_cols)

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/expr/indexing.ipp>
#endif
