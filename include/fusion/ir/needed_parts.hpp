#pragma once
// Where the values of a graph are looked at: views of what is stored and reduced, carried to their operands.

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>

namespace fusecl::ir {

/// Where the values of the nodes `within`, those reachable from `ids`, are looked at, if those of `ids` are
/// in their `parts` (everywhere, where there are fewer of these). Does not go on from nodes for which `stop`
/// holds.
sparse_node_map<matrix_cl_view> needed_parts(const graph& g, const node_set& within,
                                             std::span<const node_id> ids,
                                             const list_of<matrix_cl_view>& parts, node_test stop);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/needed_parts.ipp>
#endif
