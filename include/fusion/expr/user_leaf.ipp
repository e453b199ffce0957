#pragma once
#include <fusion/base/fill.hpp>
#include <fusion/expr/user_leaf.hpp>

namespace fusecl::detail {

FUSECL_INLINE void lacks_derivative(std::string_view leaf, const char* what) {
  throw std::logic_error(
      text::fill("{}: the leaf has no static function `{}`, which this derivative needs; stop_gradient(...) "
                 "marks what is data",
                 {leaf, what}));
}

FUSECL_INLINE ir::node_id sized_derivative(ir::graph& g, ir::node_id made, ir::node_id of) {
  if (g[made].is_scalar()) return made;
  g.unify(g[made].rows, g[of].rows);
  g.unify(g[made].cols, g[of].cols);
  return made;
}

/// A leaf states its size as operands of statements do; in a formula it has that of the operand `sized_as`.
FUSECL_INLINE ir::node_id lower_leaf(lowering& low, const ops::user_leaf_operation& record,
                                     list_of<ir::node_id> operands, int sized_as) {
  ir::graph& g = low.graph();
  if (low.is_formula()) {
    if (sized_as < 0)
      throw std::logic_error(text::fill(
          "{}: a leaf that derivatives use says by `sized_as` which operand has the size of its result",
          {record.name}));
    const ir::node& like = g[operands[static_cast<std::size_t>(sized_as)]];
    return ops::user_leaf(g, record, operands, like.rows, like.cols);
  }
  const std::uint32_t singles = low.next_word();
  const ir::extent rows = low.extents(), cols = rows + 1;
  if (sized_as >= 0) {
    const ir::node& like = g[operands[static_cast<std::size_t>(sized_as)]];
    g.unify(like.rows, rows);
    g.unify(like.cols, cols);
  }
  if (singles & single_rows) g.unify(rows, ir::one);
  if (singles & single_cols) g.unify(cols, ir::one);
  return ops::user_leaf(g, record, operands, rows, cols);
}

}  // namespace fusecl::detail
