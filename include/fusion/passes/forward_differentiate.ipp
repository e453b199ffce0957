#pragma once
#include <fusion/base/list_of.hpp>
#include <fusion/passes/differentiate.ipp>
#include <fusion/passes/forward_differentiate.hpp>

namespace fusecl::passes {
namespace detail {

/// Builds the tangent of each node from those of its operands. A tangent may be a single element that stands
/// for a whole matrix of equal ones; no_node stands for zero.
class tangent_builder {
 public:
  explicit tangent_builder(graph& g) : g_(g), tangents_(g, ir::no_node) { g_.resolve_new_nodes(); }

  void start(node_id leaf, node_id direction) {
    const node n = g_[leaf];
    if (!g_[direction].is_scalar()) {
      g_.unify(g_[direction].rows, n.rows);
      g_.unify(g_[direction].cols, n.cols);
    }
    direction = g_.cast(n.type, like(g_, n, direction));
    direction = ops::within_view(g_, n.view, direction, n);
    at(leaf) = at(leaf) == ir::no_node ? direction : total(g_, at(leaf), direction);
  }

  void run() {
    const auto count = tangents_.size();
    for (node_id id = 0; id < count; ++id)
      if (is_floating(g_[id].type) && g_[id].op->kind != ir::op_class::leaf) at(id) = tangent_of(id);
  }

  node_id result(node_id id) {
    const node_id value = at(id) == ir::no_node ? g_.constant(g_[id].type, 0) : at(id);
    return ops::filled(g_, value, g_[id]);
  }

 private:
  node_id& at(node_id id) { return tangents_[id]; }

  node_id tangent_of(node_id id) {
    const node n = g_[id];
    if (n.op->pushforward) {
      list_of<node_id> tangents;
      for (int k = 0; k < ir::arity(n); ++k) tangents.push_back(at(n.operands[k]));
      return n.op->pushforward(g_, id, tangents.data());
    }
    if (n.op->kind == ir::op_class::elementwise) return of_elementwise(id, n);
    const node_id moved = at(n.operands[0]);
    if (moved == ir::no_node) return moved;
    if (n.op->kind == ir::op_class::cast) return g_.cast(n.type, moved);
    return g_[moved].is_scalar() ? moved : g_.broadcast(moved, n.rows, n.cols);
  }

  node_id of_elementwise(node_id id, const node& n) {
    node_id total = ir::no_node;
    for (int k = 0; k < n.op->arity; ++k) {
      const node_id moved = at(n.operands[k]);
      if (moved == ir::no_node) continue;
      const node_id partial = partial_of(g_, id, k);
      if (partial == ir::no_node) continue;
      const node_id amount = ops::scaled(g_, moved, partial);
      total = total == ir::no_node ? amount : g_.apply(op::add::record(), total, amount);
    }
    return total;
  }

  graph& g_;
  node_map<node_id> tangents_;
};

}  // namespace detail

FUSECL_INLINE ir::graph forward_differentiate(const ir::graph& g, const list_of<variable>& variables,
                                              const list_of<ir::node_id>& directions) {
  ir::graph result = g;
  detail::tangent_builder tangents(result);
  for (ir::node_id id = 0; id < g.size(); ++id)
    for (std::size_t k = 0; k < variables.size(); ++k)
      if (detail::stands_for(g[id], variables[k])) tangents.start(id, directions[k]);
  tangents.run();
  for (ir::node_id root : g.roots) result.roots.push_back(tangents.result(root));
  return result;
}

}  // namespace fusecl::passes
