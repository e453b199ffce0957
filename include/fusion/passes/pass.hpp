#pragma once
// A pass takes a graph and returns one that computes the same results. The pipeline is the ordered list.

#include <span>

#include <fusion/ir/graph.hpp>

namespace fusecl::passes {

struct pass {
  const char* name;
  const char* purpose;  ///< one sentence
  ir::graph (*run)(const ir::graph&);
};

/// The passes every statement goes through, in order.
std::span<const pass> pipeline();

/// Runs the pipeline; the result is verified.
ir::graph run_pipeline(const ir::graph& g);

/// Drops the marks that only differentiation reads.
ir::graph drop_stops(const ir::graph& g);
/// Rewrites sub-expressions to ones that cost less or lose fewer digits: log(1 + x) becomes log1p(x).
ir::graph simplify(const ir::graph& g);
/// Merges nodes that became equal and drops nodes no result needs.
ir::graph merge_and_prune(const ir::graph& g);
/// Marks the part of each node that is zero because of its operands' views.
ir::graph propagate_views(const ir::graph& g);

/// Copies what the roots need, in order; `rule` may replace a node by another of the new graph.
template <class Rule>
ir::graph rebuild(const ir::graph& g, Rule&& rule) {
  std::vector<char> needed(static_cast<std::size_t>(g.size()), 0);
  for (ir::node_id root : g.roots) needed[static_cast<std::size_t>(root)] = 1;
  for (ir::node_id id = g.size(); id-- > 0;)
    if (needed[static_cast<std::size_t>(id)])
      for (int k = 0; k < ir::arity(g[id]); ++k) needed[static_cast<std::size_t>(g[id].operands[k])] = 1;
  ir::graph result;
  result.adopt_extents(g);
  std::vector<ir::node_id> twin(static_cast<std::size_t>(g.size()), ir::no_node);
  for (ir::node_id id = 0; id < g.size(); ++id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    ir::node_id operands[3] = {ir::no_node, ir::no_node, ir::no_node};
    for (int k = 0; k < ir::arity(g[id]); ++k)
      operands[k] = twin[static_cast<std::size_t>(g[id].operands[k])];
    twin[static_cast<std::size_t>(id)] = rule(result, g[id], operands);
  }
  for (ir::node_id root : g.roots) result.roots.push_back(twin[static_cast<std::size_t>(root)]);
  return result;
}

}  // namespace fusecl::passes

#ifndef FUSECL_SPLIT
#include <fusion/passes/merge_and_prune.ipp>
#include <fusion/passes/pipeline.ipp>
#include <fusion/passes/propagate_views.ipp>
#include <fusion/passes/simplify.ipp>
#endif
