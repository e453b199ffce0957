#pragma once

#include <fusion/base/list_of.hpp>
#include <fusion/ir/compared.hpp>

namespace fusecl::ir {
namespace detail {

/// The value whose elements `id` has, at other places, several times or of another type.
FUSECL_INLINE node_id taken_from(const graph& g, node_id id) {
  while (g[id].op->kind == op_class::access || g[id].op->kind == op_class::broadcast ||
         g[id].op->kind == op_class::cast || g[id].op->is_stored)
    id = g[id].operands[0];
  return id;
}

}  // namespace detail

FUSECL_INLINE node_set compared_with_reductions(const graph& g) {
  list_of<node_id> found;
  for (const node_id id : reachable(g, g.roots)) {
    if (g[id].op->types != type_rule::comparison) continue;
    for (int k = 0; k < 2; ++k) {
      const node_id value = detail::taken_from(g, g[id].operands[k]),
                    other = detail::taken_from(g, g[id].operands[1 - k]);
      const bool of_value =
          g[other].op->kind == op_class::reduction && detail::taken_from(g, g[other].operands[0]) == value;
      const bool computed = g[value].op->kind != op_class::leaf;
      if (of_value && computed && is_floating(g[value].type)) found.push_back(value);
    }
  }
  return node_set(std::move(found));
}

FUSECL_INLINE node_set elements_compared_with_reductions(const graph& g) {
  list_of<node_id> found;
  for (const node_id id : compared_with_reductions(g))
    if (g[id].op->kind == op_class::elementwise && !g[id].is_scalar()) found.push_back(id);
  return node_set(std::move(found));
}

}  // namespace fusecl::ir
