#pragma once
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/scan.hpp>

namespace fusecl::op {
namespace detail {

/// An element adds to all results from its own on: it gets the sum of their adjoints, from the other end.
FUSECL_INLINE ir::node_id pull_cumulative_sum_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int) {
  const ir::node n = g[self], operand = g[n.operands[0]];
  return g.scan(*n.op, n.axis(), !n.from_end(), ops::filled(g, adjoint, operand));
}

FUSECL_INLINE ir::node_id push_cumulative_sum_forward(ir::graph& g, ir::node_id self,
                                                      const ir::node_id* tangents) {
  if (tangents[0] == ir::no_node) return tangents[0];
  const ir::node n = g[self], operand = g[n.operands[0]];
  return g.scan(*n.op, n.axis(), n.from_end(), ops::filled(g, tangents[0], operand));
}

}  // namespace detail

FUSECL_INLINE const ir::operation& cumulative_sum::record() {
  static const ir::operation record{.name = "cumulative_sum",
                                    .kind = ir::op_class::scan,
                                    .arity = 1,
                                    .types = types,
                                    .opencl = sum::record().opencl,
                                    .precedence = sum::record().precedence,
                                    .host = sum::record().host,
                                    .host_integer = sum::record().host_integer,
                                    .commutative = true,
                                    .pullback = detail::pull_cumulative_sum_back,
                                    .pushforward = detail::push_cumulative_sum_forward,
                                    .brings = &ir::supports::scans};
  return record;
}

}  // namespace fusecl::op
