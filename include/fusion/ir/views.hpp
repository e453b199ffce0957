#pragma once
// Which part of a node's matrix may be non-zero. A view follows from the operation and the views of its
// operands, and is part of what a node means: outside of it the value is exactly zero, whatever the operands
// hold there (docs/decisions/0019).

#include <fusion/ir/node_map.hpp>

namespace fusecl::ir {

/// View of a node that is no leaf, from those of its operands.
matrix_cl_view view_of(const graph& g, const node& n);

/// View of what an access map makes of a matrix with this view.
matrix_cl_view view_of_access(const access_map& m, matrix_cl_view operand);

/// Whether the operation gives zero outside of the node's view by itself. A product with what may be infinite
/// or NaN there, and a quotient, do not.
bool gives_own_zeros(const graph& g, const node& n);

/// Where the values of the nodes `within`, those reachable from `ids`, are looked at, if those of `ids` are
/// in their `parts` (everywhere, where there are fewer of these). Does not go on from nodes for which `stop`
/// holds.
sparse_node_map<matrix_cl_view> needed_parts(const graph& g, const node_set& within,
                                             std::span<const node_id> ids,
                                             const std::vector<matrix_cl_view>& parts, node_test stop);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/views.ipp>
#endif
