#pragma once
#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/expr/indexing.hpp>

namespace fusecl::detail {

FUSECL_INLINE void check_index_sizes(const char* function, std::int64_t rows_i, std::int64_t cols_i,
                                     std::int64_t rows_j, std::int64_t cols_j) {
  check_same_shape(function, "i", rows_i, cols_i, "j", rows_j, cols_j);
}

FUSECL_INLINE void check_taken(const char* function, bool takes_rows, std::int64_t rows, std::int64_t cols) {
  if ((takes_rows ? cols : rows) == 1) return;
  const char* line = takes_rows ? "column" : "row";
  std::string hint;
  if (rows == 0 && cols == 0)
    hint = text::fill("; a matrix_cl that was given no size is 0 x 0, an empty {} {}",
                      {line, takes_rows ? "0 x 1" : "1 x 0"});
  else if ((takes_rows ? rows : cols) == 1)
    hint = text::fill("; transpose(index) is a {}", {line});
  throw std::invalid_argument(
      text::fill("{}: index is {}, but must be a {}{}", {function, shape_text(rows, cols), line, hint}));
}

/// What the lists of a word name.
inline ir::listed_lines lines_of(std::uint32_t word) {
  return word & lists_of_rows   ? ir::listed_lines::rows
         : word & lists_of_cols ? ir::listed_lines::cols
                                : ir::listed_lines::elements;
}

/// The lists for places of a matrix of these extents: the order, the ends of each level and, if they are in
/// parts, the order of these.
inline list_of<ir::node_id> lower_lists(lowering& low, std::uint32_t word, ir::extent rows, ir::extent cols) {
  const std::uint32_t levels = word / levels_bit;
  if (word & lists_of_rows) cols = ir::one;
  if (word & lists_of_cols) rows = ir::one;
  list_of<ir::node_id> lists{low.matrix()};
  ir::graph& g = low.graph();
  while (lists.size() <= levels) {
    const ir::node ends = g[lists.emplace_back(low.matrix())];
    const bool last = lists.size() == levels + 1;
    if (last) g.unify(ends.rows, rows);
    g.unify(ends.cols, last ? cols : ir::one);
  }
  if (word & lists_in_parts) lists.push_back(low.matrix());
  return lists;
}
inline ops::listed_nodes as_nodes(const list_of<ir::node_id>& lists, std::uint32_t word) {
  return {lines_of(word),
          lists[0],
          {lists.data() + 1, word / levels_bit},
          word & lists_in_parts ? lists.back() : ir::no_node};
}

/// Row and column of the elements of a vector, which one index numbers.
inline void complete_place(ir::graph& g, std::uint32_t word, ir::node_id& i, ir::node_id& j) {
  if (j != ir::no_node) return;
  j = g.constant(scalar_type::int32, 0);
  if (!(word & of_column)) std::swap(i, j);
}

FUSECL_INLINE ir::node_id lower_sums(lowering& low, ir::node_id amount, ir::node_id i, ir::node_id j) {
  ir::graph& g = low.graph();
  const std::uint32_t word = low.next_word();
  const ir::extent rows = low.extents(), cols = rows + 1;
  complete_place(g, word, i, j);
  for (const ir::node_id index : {i, j}) {
    if (g[index].is_scalar()) continue;
    g.unify(g[amount].rows, g[index].rows);
    g.unify(g[amount].cols, g[index].cols);
  }
  const list_of<ir::node_id> lists = lower_lists(low, word, rows, cols);
  return ops::summed(g, amount, i, j, rows, cols, as_nodes(lists, word));
}

FUSECL_INLINE ir::node_id lower_indexing(lowering& low, ir::node_id m, ir::node_id i, ir::node_id j) {
  ir::graph& g = low.graph();
  const std::uint32_t word = low.next_word(), singles = low.next_word();
  const ir::extent rows = low.extents(), cols = rows + 1;
  state_single_sizes(g, m, word & both_single);
  complete_place(g, word, i, j);
  for (const ir::node_id index : {i, j}) {
    if (g[index].is_scalar()) continue;
    g.unify(rows, g[index].rows);
    g.unify(cols, g[index].cols);
  }
  if (singles & single_rows) g.unify(ir::one, rows);
  if (singles & single_cols) g.unify(ir::one, cols);
  if (word & (one_of_each_row | all_rows)) g.unify(rows, g[m].rows);
  if (word & (one_of_each_col | all_cols)) g.unify(cols, g[m].cols);
  if (word / levels_bit == 0) return ops::indexed(g, m, i, j, rows, cols);
  const ir::node from = g[m];
  const list_of<ir::node_id> lists = lower_lists(low, word, from.rows, from.cols);
  return ops::indexed(g, m, i, j, rows, cols, as_nodes(lists, word));
}

FUSECL_INLINE ir::node_id lower_element(lowering& low, ir::node_id m, ir::node_id i, ir::node_id j) {
  ir::graph& g = low.graph();
  const std::uint32_t word = low.next_word();
  state_single_sizes(g, m, word & both_single);
  complete_place(g, word, i, j);
  return ops::indexed(g, m, i, j, ir::one, ir::one);
}

}  // namespace fusecl::detail
