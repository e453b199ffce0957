#pragma once
#include <iterator>

#include <fusion/ir/needed_where.hpp>
#include <fusion/ir/operation.hpp>

namespace fusecl::ir {
namespace detail {

FUSECL_INLINE bool contains(const node_guards& guards, const node_guards::literal& wanted) {
  for (int k = 0; k < guards.count; ++k)
    if (guards.of[k].condition == wanted.condition && guards.of[k].holds == wanted.holds) return true;
  return false;
}

FUSECL_INLINE node_guards with(node_guards guards, const node_guards::literal& added) {
  if (guards.count < static_cast<int>(std::size(guards.of)) && !contains(guards, added))
    guards.of[guards.count++] = added;
  return guards;
}

FUSECL_INLINE node_guards in_both(const node_guards& a, const node_guards& b) {
  node_guards both;
  for (int k = 0; k < a.count; ++k)
    if (contains(b, a.of[k])) both.of[both.count++] = a.of[k];
  return both;
}

}  // namespace detail

FUSECL_INLINE sparse_node_map<node_guards> needed_where(const graph& g, const node_set& within,
                                                        std::span<const node_id> ids, node_test stop) {
  sparse_node_map<node_guards> guards;
  for (node_id id : ids) guards[id] = {};
  for (auto at = within.end(); at != within.begin();) {
    const node_id id = *--at;
    if (stop(id)) continue;
    const node& n = g[id];
    const node_guards own = n.op->kind == op_class::access ? node_guards() : guards[id];  // of other places
    for (int k = 0; k < arity(n); ++k) {
      const bool chosen = n.op->types == type_rule::selection && k > 0;
      const node_guards here = chosen ? detail::with(own, {n.operands[0], k == 1}) : own;
      const node_guards* there = guards.find(n.operands[k]);
      guards[n.operands[k]] = there ? detail::in_both(*there, here) : here;
    }
  }
  return guards;
}

}  // namespace fusecl::ir
