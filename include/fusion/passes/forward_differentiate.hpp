#pragma once
// Forward accumulation: from a graph to one that also computes how its roots change along a direction.
// Applied to the graph of a gradient it gives the product of the Hessian with the direction.

#include <fusion/base/list_of.hpp>
#include <fusion/passes/differentiate.hpp>

namespace fusecl::passes {

/// A graph with the roots of `g` followed by the derivative of each when variable k moves along
/// `directions[k]`, a node of `g` with the variable's shape (1 x 1 for a scalar); directions of one variable
/// add up. The rules are those of `differentiate`, written in the other order. Throws std::invalid_argument
/// naming the operation where one has no derivative.
ir::graph forward_differentiate(const ir::graph& g, const list_of<variable>& variables,
                                const list_of<ir::node_id>& directions);

}  // namespace fusecl::passes

#ifndef FUSECL_SPLIT
#include <fusion/passes/forward_differentiate.ipp>
#endif
