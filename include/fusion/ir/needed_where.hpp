#pragma once
// Under which conditions the values of a graph are looked at: those of the selections that they reach.

#include <fusion/ir/node_map.hpp>

namespace fusecl::ir {

/// Conditions of which all hold wherever a value is looked at, from outer selections to inner ones; of more
/// than there is room for the outer ones.
struct node_guards {
  struct literal {
    node_id condition;
    bool holds;  ///< or does not
  };
  int count = 0;
  literal of[4];
};

/// Those of the nodes `within`, which are reachable from `ids`, whose values are looked at everywhere. Does
/// not go on from nodes for which `stop` holds.
sparse_node_map<node_guards> needed_where(const graph& g, const node_set& within,
                                          std::span<const node_id> ids, node_test stop);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/needed_where.ipp>
#endif
