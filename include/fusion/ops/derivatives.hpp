#pragma once
// Pieces that derivative rules are built of. An adjoint or tangent may be a single element that stands for a
// whole matrix of equal ones.

#include <fusion/ir/graph.hpp>

namespace fusecl::ops {

/// condition ? a : b.
ir::node_id choose(ir::graph& g, ir::node_id condition, ir::node_id a, ir::node_id b);
ir::node_id negated(ir::graph& g, ir::node_id a);
/// Whether the node is this constant.
bool is_constant(const ir::graph& g, ir::node_id id, double value);
/// `value` repeated to the shape of `n` if it is a single element and `n` is not.
ir::node_id filled(ir::graph& g, ir::node_id value, const ir::node& n);
/// The test of row against column numbers that elements within the view pass.
const ir::operation& test_of(matrix_cl_view view);
/// `value`, which has the shape of `n`, with zeros outside of the view.
ir::node_id within_view(ir::graph& g, matrix_cl_view view, ir::node_id value, const ir::node& n);
/// `value` as one without a view: what its zeros are multiplied with counts.
ir::node_id in_full(ir::graph& g, ir::node_id value);
/// `reduced`, a value of a reduction's shape, repeated to the shape of the reduction's operand. Where a
/// branch was not taken it says so for each element: what is repeated there may be multiplied with NaN.
ir::node_id spread(ir::graph& g, ir::node_id reduced, const ir::node& operand);
/// Adjoint times partial, or tangent times partial. Where a branch was not taken, or the operand was not the
/// one chosen, the product is zero whatever else is infinite: the multiplication goes inside of the
/// selection.
ir::node_id scaled(ir::graph& g, ir::node_id adjoint, ir::node_id partial);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/derivatives.ipp>
#endif
