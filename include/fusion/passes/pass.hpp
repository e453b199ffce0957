#pragma once
// A pass takes a graph and returns one that computes the same results. The pipeline is the ordered list.

#include <span>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>

namespace fusecl::passes {

struct pass {
  const char* name;
  ir::graph (*run)(const ir::graph&);
  std::size_t place;  ///< in the order of all passes
};

/// All passes in order.
std::span<const pass* const> pipeline();

/// Runs those that every graph goes through and those that the graph's nodes brought; the result is verified.
ir::graph run_pipeline(const ir::graph& g);

/// Drops the marks that only differentiation reads.
ir::graph drop_stops(const ir::graph& g);
/// Drops the lists of places that only differentiation reads.
ir::graph drop_lists(const ir::graph& g);
/// Rewrites sub-expressions to ones that cost less or lose fewer digits: log(1 + x) becomes log1p(x).
ir::graph simplify(const ir::graph& g);
/// Moves accesses to the leaves: what is computed of a transpose or of a block is the same of its operands'
/// elements. Reductions and roots of transposed values are turned where that leaves fewer of them.
ir::graph sink_structure(const ir::graph& g);
/// Takes sums of what is repeated once, times the number of its repeats.
ir::graph count_repeats(const ir::graph& g);
/// Merges nodes that became equal and drops nodes no result needs.
ir::graph merge_and_prune(const ir::graph& g);

inline constexpr pass dropping_stops{"drop_stops", drop_stops, 0};
inline constexpr pass dropping_lists{"drop_lists", drop_lists, 1};
inline constexpr pass simplifying{"simplify", simplify, 2};
inline constexpr pass counting{"count_repeats", count_repeats, 3};
inline constexpr pass sinking{"sink_structure", sink_structure, 4};
inline constexpr pass merging{"merge_and_prune", merge_and_prune, 5};

/// Accumulates some reductions that follow from others of the same elements beside them, in one pass over
/// these elements. Not of the pipeline: an alternative for schedules to those that keep elements on chip.
ir::graph accumulate_together(const ir::graph& g);
/// The graph with inverses of Cholesky factors that nothing else needs computed in the rounds of the factor;
/// without nodes where there are none.
ir::graph join_factors(const ir::graph& g);

/// Copies what the roots need, in order; `rule` may replace a node by another of the new graph.
template <class Rule>
FUSECL_INLINE ir::graph rebuild(const ir::graph& g, Rule&& rule) {
  const ir::node_set needed = ir::reachable(g, g.roots);
  ir::graph result;
  result.adopt_extents(g);
  ir::node_map<ir::node_id> twin(g, ir::no_node);
  list_of<ir::node_id> operands;
  for (ir::node_id id : needed) {
    operands.clear();
    for (int k = 0; k < ir::arity(g[id]); ++k) operands.push_back(twin[g[id].operands[k]]);
    twin[id] = rule(result, g[id], operands.data());
  }
  for (ir::node_id root : g.roots) result.roots.push_back(twin[root]);
  result.places = g.places;
  return result;
}

}  // namespace fusecl::passes

#ifndef FUSECL_SPLIT
#include <fusion/passes/accumulate_together.ipp>
#include <fusion/passes/count_repeats.ipp>
#include <fusion/passes/drop_lists.ipp>
#include <fusion/passes/join_factors.ipp>
#include <fusion/passes/merge_and_prune.ipp>
#include <fusion/passes/pipeline.ipp>
#include <fusion/passes/simplify.ipp>
#include <fusion/passes/sink_structure.ipp>
#endif
