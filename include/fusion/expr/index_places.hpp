#pragma once
// What is asked of index expressions: the range of their integers, and the lists of what goes to each place,
// which name whole rows or columns where an index has one number for each of them.

#include <fusion/expr/structure.hpp>

namespace fusecl::detail {

/// The least and the largest of some integers; none where the least is larger.
struct index_range {
  std::int64_t low = 0;
  std::int64_t high = -1;
};

/// Says that places outside are known and of no use.
struct unchecked_places {};

/// In the place of a column index: the other index is that of the elements of a vector.
struct no_index {
  static constexpr bool is_scalar = true;
  std::int64_t rows() const { return free_size; }
  std::int64_t cols() const { return free_size; }
  void gather(binder&) const {}
};

/// The lists of what goes to each place, as operands: the order, where the pieces of each level end and,
/// where there are parts, their order (ops::place_lists).
struct index_lists {
  const matrix_operand* operands;
  std::size_t count;
  bool in_parts;
  std::shared_ptr<const contents_witness> memory;
};

/// What an index is in a message, and of what it has to be a place.
struct index_role {
  const char* function;
  const char* what;     ///< "row index"
  const char* of_what;  ///< "rows of m"
};

/// Range of the integers in an expression; rows x cols of them where it states no size (eval/).
template <class E>
index_range range_of_contents(const E& e, std::int64_t rows, std::int64_t cols);
/// Throws std::out_of_range, which names the first integer in rows x cols of them outside of [0, size).
template <class E>
[[noreturn]] void refuse_index(const index_role& role, const E& e, std::int64_t size, std::int64_t rows,
                               std::int64_t cols);
/// The lists for elements of rows x cols indices in a matrix of m_rows x m_cols (eval/).
template <class I, class J>
index_lists lists_of_contents(const I& i, const J& j, std::int64_t rows, std::int64_t cols,
                              std::int64_t m_rows, std::int64_t m_cols, bool by_row);

template <class E>
inline constexpr bool is_row_numbers = false;
template <>
inline constexpr bool is_row_numbers<index_leaf<true>> = true;
template <class E>
inline constexpr bool is_col_numbers = false;
template <>
inline constexpr bool is_col_numbers<index_leaf<false>> = true;
template <class E>
inline constexpr bool is_repeated = false;
template <bool Colwise, bool Rowwise, bool Optional, class A>
inline constexpr bool is_repeated<broadcasted<Colwise, Rowwise, Optional, A>> = true;
template <class E>
inline constexpr bool is_shared_handle = false;
template <class A>
inline constexpr bool is_shared_handle<shared_expression<A>> = true;

template <class E>
index_range index_range_of(const E& e, std::int64_t rows, std::int64_t cols) {
  if constexpr (std::is_same_v<E, scalar_leaf<cpp_type<E::type>>>)
    return {e.value, e.value};
  else if constexpr (is_row_numbers<E>)
    return {0, rows - 1};
  else if constexpr (is_col_numbers<E>)
    return {0, cols - 1};
  else if constexpr (is_repeated<E>)
    return index_range_of(e.a, e.a.rows(), e.a.cols());
  else if constexpr (is_shared_handle<E>)
    return index_range_of(*e.a, rows, cols);
  else
    return range_of_contents(e, rows, cols);
}

template <class E>
void check_index(const index_role& role, const E& e, std::int64_t size, std::int64_t rows,
                 std::int64_t cols) {
  if (rows == 0 || cols == 0) return;
  if constexpr (E::is_scalar) rows = cols = 1;  // the same everywhere
  const index_range range = index_range_of(e, rows, cols);
  if (range.low <= range.high && (range.low < 0 || range.high >= size))
    refuse_index(role, e, size, rows, cols);
}

/// Facts about the sizes of an indexing, as bits of a word of the key.
enum index_facts : std::uint32_t {
  // 1, 2: `single_sizes` of m
  one_of_each_row = 4,  ///< the row index counts the rows of m
  one_of_each_col = 8,
  all_rows = 16,  ///< of m, as nothing else says how many
  all_cols = 32,
  of_column = 64,  ///< a vector, by one index
  lists_of_rows = 128,
  lists_of_cols = 256,
  lists_in_parts = 512,
  levels_bit = 1024
};
/// The facts about lists.
inline std::uint32_t word_of(const index_lists& lists) {
  const auto levels = static_cast<std::uint32_t>(lists.count - (lists.in_parts ? 2 : 1));
  return levels * levels_bit | (lists.in_parts ? lists_in_parts : 0u);
}

/// Whether an index has one number for each row (`by_row`) or column, and which: an expression that is known
/// to repeat a column (a row) of them.
template <bool ByRow, class E>
inline constexpr bool is_repeated_line = false;
template <class A>
inline constexpr bool is_repeated_line<true, broadcasted<false, true, false, A>> = !A::is_scalar;
template <class A>
inline constexpr bool is_repeated_line<false, broadcasted<true, false, false, A>> = !A::is_scalar;

/// What the lists of what goes to each place of `Places`, a `gathered`, name: whole rows or columns where it
/// reads such, so that there is one number for each of them.
template <class Places>
std::uint32_t lists_named(const Places& p) {
  if (p.rows() <= 0 || p.cols() <= 0) return 0;
  if constexpr (is_repeated_line<true, decltype(p.i)> && is_col_numbers<decltype(p.j)>)
    if (p.cols() == p.a.cols()) return lists_of_rows;
  if constexpr (is_row_numbers<decltype(p.i)> && is_repeated_line<false, decltype(p.j)>)
    if (p.rows() == p.a.rows()) return lists_of_cols;
  return 0;
}
template <class Places>
index_lists lists_for(const Places& p, std::uint32_t named) {
  if constexpr (is_repeated_line<true, decltype(p.i)>)
    if (named & lists_of_rows) return lists_of_contents(p.i.a, no_index(), p.rows(), 1, p.a.rows(), 1, true);
  if constexpr (is_repeated_line<false, decltype(p.j)>)
    if (named & lists_of_cols) return lists_of_contents(p.j.a, no_index(), 1, p.cols(), 1, p.a.cols(), false);
  return lists_of_contents(p.i, p.j, p.rows(), p.cols(), p.a.rows(), p.a.cols(), p.is_by_row());
}

}  // namespace fusecl::detail
