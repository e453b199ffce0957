#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/ir/interpret.ipp>
#include <fusion/ops/batched_product.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/user_leaf.hpp>

namespace fusecl::ops {

FUSECL_INLINE ir::node_id user_leaf(ir::graph& g, const user_leaf_operation& record,
                                    list_of<ir::node_id> operands, ir::extent rows, ir::extent cols) {
  scalar_type highest = scalar_type::boolean;
  for (ir::node_id id : operands) highest = std::max(highest, g[id].type);
  for (ir::node_id& id : operands) {
    id = read_in_batches(g, floating(highest), id);
    if (record.stores_operands && !g[id].is_scalar()) id = read_in_place(g, id);
  }
  return g.indexed(record, operands.data(), rows, cols, 0);
}

FUSECL_INLINE ir::host_matrix interpret_user_leaf(const ir::graph& g, const ir::host_bindings& bindings,
                                                  const ir::node& n, const list_of<ir::host_matrix>& values) {
  const user_leaf_operation& leaf = user_leaf_of(n);
  if (!leaf.evaluate)
    throw std::logic_error(
        text::fill("{}: the leaf has no function `host`, which its reference needs", {leaf.name}));
  list_of<ir::host_matrix> operands;
  for (int k = 0; k < ir::arity(n); ++k) operands.push_back(values[static_cast<std::size_t>(n.operands[k])]);
  ir::host_matrix result{
      ir::detail::size_of_extent(g, bindings, n.rows), ir::detail::size_of_extent(g, bindings, n.cols), {}};
  result.values.resize(static_cast<std::size_t>(result.rows * result.cols));
  leaf.evaluate(result, operands.data());
  for (long double& value : result.values) value = ir::rounded(n.type, value);
  return result;
}

}  // namespace fusecl::ops
