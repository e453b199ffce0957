#pragma once
#include <algorithm>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/schedule/row_products.hpp>
#include <fusion/schedule/tile_load.hpp>

namespace fusecl::schedule {
namespace detail {

/// What the sum `id` has as the other factor of the matrix, repeated for each of its rows or columns; no node
/// where it is no sum of products with the matrix, which the first one decides on.
FUSECL_INLINE ir::node_id factor_of(const plan& p, const step& s, ir::node_id id, ir::extent cols,
                                    bool of_rows, ir::node_id& matrix) {
  const ir::graph& g = p.graph;
  const ir::node& sum = g[id];
  if (!sum.is(op::sum::record()) || sum.type != scalar_type::float64) return ir::no_node;
  const ir::node& product = g[sum.operands[0]];
  if (!product.is(op::multiply::record())) return ir::no_node;
  for (int k = 0; k < 2; ++k) {
    const ir::node_id m = product.operands[k], repeated = product.operands[1 - k];
    const ir::node& read = g[m];
    const bool fits = read.is(ir::leaf_operations::matrix) && read.type == scalar_type::float64 &&
                      read.view == matrix_cl_view::Entire && g.resolve(read.rows) == s.rows &&
                      g.resolve(read.cols) == cols && (matrix == ir::no_node || m == matrix);
    if (!fits || !g[repeated].is(ir::leaf_operations::broadcast)) continue;
    const ir::node_id value = g[repeated].operands[0];
    const ir::extent value_rows = g.resolve(g[value].rows), value_cols = g.resolve(g[value].cols);
    if (g[value].type != scalar_type::float64 || value_rows != (of_rows ? s.rows : ir::one) ||
        value_cols != (of_rows ? ir::one : cols))
      continue;
    matrix = m;
    return value;
  }
  return ir::no_node;
}

}  // namespace detail

FUSECL_INLINE row_products products_of_rows(const plan& p, const step& s, const row_chain& joined) {
  const ir::graph& g = p.graph;
  const list_of<ir::extent> extents = tile_extents(s);
  if (extents.size() != 1 || extents[0] == ir::one || joined.along.empty() || joined.given.empty()) return {};
  const ir::node_set given(joined.given);
  row_products all;
  for (ir::node_id id : joined.along) {
    all.coefficients.push_back(detail::factor_of(p, s, id, extents[0], false, all.matrix));
    if (all.coefficients.back() == ir::no_node) return {};
  }
  for (const phase& each : s.phases) {
    if (each.cols == ir::one) continue;
    if (!each.stores.empty()) return {};
    for (ir::node_id id : each.across) {
      if (g[id].axis() != ir::axis::column) return {};
      const ir::node_id value = detail::factor_of(p, s, id, extents[0], true, all.matrix);
      if (value == ir::no_node || !given[value]) return {};
      all.sums.push_back(id);
      all.factors.push_back(value);
    }
  }
  const bool all_doubles = std::all_of(joined.given.begin(), joined.given.end(),
                                       [&](ir::node_id id) { return g[id].type == scalar_type::float64; });
  return !all.sums.empty() && all_doubles ? all : row_products{};
}

}  // namespace fusecl::schedule
