#pragma once
// Which part of a node's matrix may be non-zero. A view follows from the operation and the views of its
// operands, and is part of what a node means: outside of it the value is exactly zero, whatever the operands
// hold there (docs/decisions/0019).

#include <fusion/ir/graph.hpp>

namespace fusecl::ir {

/// View of what an access map makes of a matrix with this view.
matrix_cl_view view_of_access(const access_map& m, matrix_cl_view operand);

/// Whether the operation gives zero outside of the node's view by itself. A product with what may be infinite
/// or NaN there, and a quotient, do not.
bool gives_own_zeros(const graph& g, const node& n);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/views.ipp>
#endif
