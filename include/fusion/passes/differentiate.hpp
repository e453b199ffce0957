#pragma once
// Reverse accumulation: from a graph to one that also computes the derivatives of its first root.

#include <fusion/base/list_of.hpp>
#include <fusion/passes/pass.hpp>
#include <fusion/passes/variable.hpp>

namespace fusecl::passes {

/// What to differentiate instead of `g`, with the same roots: equal nodes are one, so that their adjoints add
/// up before they go on, and derivatives are those of the safer forms (log(1 + exp(x)) has inv_logit(x), not
/// NaN).
ir::graph ready_for_derivatives(const ir::graph& g);

/// A graph with the roots of `g` followed by one root per variable: the sum over all elements of the first
/// root of seed times its derivative. `seed` is a node of `g` (no_node for 1). A variable the root does not
/// depend on gets a constant 0; the uses of one variable add up. Shares nodes between value and derivatives;
/// the result can be differentiated again. Throws std::invalid_argument naming the operation where one has no
/// derivative.
///
/// Conventions: comparisons, rounding and integer values have derivative 0; at a tie, max and min share the
/// adjoint equally among the equal elements; an operand's adjoint is zero outside of its view.
ir::graph differentiate(const ir::graph& g, const list_of<variable>& variables,
                        ir::node_id seed = ir::no_node);

}  // namespace fusecl::passes

#ifndef FUSECL_SPLIT
#include <fusion/passes/differentiate.ipp>
#endif
