#pragma once
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>

namespace fusecl::ops {

FUSECL_INLINE ir::node_id choose(ir::graph& g, ir::node_id condition, ir::node_id a, ir::node_id b) {
  const ir::node_id operands[] = {condition, a, b};
  return g.apply(op::select::record(), operands);
}

FUSECL_INLINE ir::node_id negated(ir::graph& g, ir::node_id a) { return g.apply(op::negate::record(), a); }

FUSECL_INLINE bool is_constant(const ir::graph& g, ir::node_id id, double value) {
  return g[id].is(ir::leaf_operations::constant) && g[id].value == value;
}

FUSECL_INLINE ir::node_id filled(ir::graph& g, ir::node_id value, const ir::node& n) {
  return !g[value].is_scalar() || n.is_scalar() ? value : g.broadcast(value, n.rows, n.cols);
}

FUSECL_INLINE const ir::operation& test_of(matrix_cl_view view) {
  return view == matrix_cl_view::Lower   ? op::greater_or_equal::record()
         : view == matrix_cl_view::Upper ? op::less_or_equal::record()
                                         : op::equal::record();
}

FUSECL_INLINE ir::node_id within_view(ir::graph& g, matrix_cl_view view, ir::node_id value,
                                      const ir::node& n) {
  if (is_within(g[value].view, view)) return value;
  const ir::node_id i = g.row_index(n.rows, n.cols), j = g.col_index(n.rows, n.cols);
  return choose(g, g.apply(test_of(view), i, j), value, g.zero(g[value].type));
}

FUSECL_INLINE ir::node_id in_full(ir::graph& g, ir::node_id value) {
  const ir::node n = g[value];
  return n.view == matrix_cl_view::Entire ? value : g.broadcast(value, n.rows, n.cols);
}

/// A selection between 0 and something else with `product` of that in its place; no node for all else.
template <class Product>
ir::node_id with_product_inside(ir::graph& g, ir::node_id id, Product product) {
  const ir::node n = g[id];
  if (!n.is(op::select::record())) return ir::no_node;
  const ir::node_id condition = n.operands[0], yes = n.operands[1], no = n.operands[2];
  if (is_constant(g, no, 0)) return choose(g, condition, product(yes), no);
  if (is_constant(g, yes, 0)) return choose(g, condition, yes, product(no));
  return ir::no_node;
}

FUSECL_INLINE ir::node_id spread(ir::graph& g, ir::node_id reduced, const ir::node& operand) {
  const ir::node n = g[reduced];
  if (n.is_scalar()) return reduced;
  if (n.is(op::select::record()) && (is_constant(g, n.operands[1], 0) || is_constant(g, n.operands[2], 0)))
    return choose(g, spread(g, n.operands[0], operand), spread(g, n.operands[1], operand),
                  spread(g, n.operands[2], operand));
  return g.broadcast(reduced, operand.rows, operand.cols);
}

FUSECL_INLINE ir::node_id scaled(ir::graph& g, ir::node_id adjoint, ir::node_id partial) {
  const ir::node_id inside =
      with_product_inside(g, adjoint, [&](ir::node_id taken) { return scaled(g, taken, partial); });
  if (inside != ir::no_node) return inside;
  const ir::node_id chosen =
      with_product_inside(g, partial, [&](ir::node_id taken) { return scaled(g, adjoint, taken); });
  if (chosen != ir::no_node) return chosen;
  return g.apply(op::multiply::record(), adjoint, partial);
}

}  // namespace fusecl::ops
