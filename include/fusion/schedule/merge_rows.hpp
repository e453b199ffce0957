#pragma once
// Merges steps that walk the same rows into one that walks tiles of rows: between its phases a tile stays on
// the chip, so that what it reads of memory is read once.

#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

/// What the cut knows of its steps when they are merged.
struct cut_steps {
  const ir::graph& g;
  std::vector<step>& steps;              ///< in an order that satisfies their dependencies
  const std::vector<ir::node_id>& kept;  ///< values besides reductions that other steps may load
};

/// Merges where that saves reading an operand again or a launch. Returns whether it did.
bool merge_rows(cut_steps cut);

/// The nodes that `ids` are computed from, marked, without entering those for which `stop` holds.
template <class Stop>
std::vector<char> reachable(const ir::graph& g, const std::vector<ir::node_id>& ids, Stop&& stop) {
  std::vector<char> within(static_cast<std::size_t>(g.size()), 0);
  for (ir::node_id id : ids) within[static_cast<std::size_t>(id)] = 1;
  for (ir::node_id id = g.size(); id-- > 0;)
    if (within[static_cast<std::size_t>(id)] && !stop(id))
      for (int k = 0; k < ir::arity(g[id]); ++k) within[static_cast<std::size_t>(g[id].operands[k])] = 1;
  return within;
}

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/merge_rows.ipp>
#endif
