#pragma once
#include <stdexcept>
#include <string>

#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/formula.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/passes/differentiate.hpp>

namespace fusecl::passes {
namespace detail {

using ir::extent, ir::graph, ir::node, ir::node_id;

inline node_id select(graph& g, node_id condition, node_id a, node_id b) {
  const node_id operands[] = {condition, a, b};
  return g.apply(op::select::record(), operands);
}

/// `value` repeated to the shape of `n` if it is a single element and `n` is not.
inline node_id filled(graph& g, node_id value, const node& n) {
  return !g[value].is_scalar() || n.is_scalar() ? value : g.broadcast(value, n.rows, n.cols);
}

/// `reduced`, a value of a reduction's shape, repeated to the shape of the reduction's operand.
inline node_id spread(graph& g, node_id reduced, const node& operand) {
  return g[reduced].is_scalar() ? reduced : g.broadcast(reduced, operand.rows, operand.cols);
}

/// Where an element may be non-zero under `view`; the shape is that of `n`.
inline node_id inside_of(graph& g, matrix_cl_view view, const node& n) {
  const node_id i = g.row_index(n.rows, n.cols), j = g.col_index(n.rows, n.cols);
  const ir::operation& inside = view == matrix_cl_view::Lower   ? op::greater_or_equal::record()
                                : view == matrix_cl_view::Upper ? op::less_or_equal::record()
                                                                : op::equal::record();
  return g.apply(inside, i, j);
}

/// Derivative of the reduction `id` with respect to each element of its operand; the sum has 1.
inline node_id reduction_partial(graph& g, node_id id) {
  const node n = g[id];
  const node_id x = n.operands[0];
  const node operand = g[x];
  const node_id zero = g.constant(n.type, 0), one = g.constant(n.type, 1);
  const auto total = [&](const ir::operation& op, node_id what) {
    return spread(g, g.reduce(op, n.axis(), filled(g, what, operand)), operand);
  };
  const node_id value = spread(g, id, operand);
  if (n.op == &op::prod::record()) {
    // the product of the other elements: y / x, or where x is the only zero the product without it
    const node_id is_zero = g.apply(op::equal::record(), x, zero);
    const node_id zeros = total(op::sum::record(), g.cast(n.type, is_zero));
    const node_id divisor = select(g, is_zero, one, x);
    const node_id others = total(op::prod::record(), divisor);
    const node_id lone = select(g, g.apply(op::equal::record(), zeros, one), others, zero);
    return select(g, is_zero, lone, g.apply(op::divide::record(), value, divisor));
  }
  const node_id chosen = g.apply(op::equal::record(), x, value);
  const node_id ties = total(op::sum::record(), g.cast(n.type, chosen));
  return select(g, chosen, g.apply(op::divide::record(), one, ties), zero);
}

inline bool stands_for(const node& n, const variable& v) {
  return n.index == v.number && n.is(v.matrix ? ir::leaf_operations::matrix : ir::leaf_operations::scalar);
}

/// The partial derivative of the element-wise node `id` with respect to operand `k`, or no_node where it is
/// zero. Throws where the operation's record does not tell.
inline node_id partial_of(graph& g, node_id id, int k) {
  const node n = g[id];
  const ir::operation& op = *n.op;
  node_id partial = ir::no_node;
  if (op.partial)
    partial = op.partial(g, n.operands, id, k);
  else if (!op.partials[k].empty())
    partial = ops::build_formula(g, op.partials[k], n.operands, id);
  else
    throw std::invalid_argument("differentiate: operation " + std::string(op.name) +
                                " has no derivative with respect to operand " + std::to_string(k));
  const node value = g[partial];
  return value.is(ir::leaf_operations::constant) && value.value == 0 ? ir::no_node : partial;
}

/// Accumulates adjoints from the root to the leaves. An adjoint may be a single element that stands for a
/// whole matrix of equal ones; `filled` makes it one.
class adjoint_builder {
 public:
  adjoint_builder(graph& g, node_id root, node_id seed)
      : g_(g), count_(g.size()), adjoints_(static_cast<std::size_t>(count_), ir::no_node) {
    if (!is_floating(g_[root].type)) return;
    if (seed == ir::no_node) {
      at(root) = g_.constant(g_[root].type, 1);
      return;
    }
    g_.unify(g_[seed].rows, g_[root].rows);
    g_.unify(g_[seed].cols, g_[root].cols);
    at(root) = g_.cast(g_[root].type, seed);
  }

  void run(const std::vector<char>& active) {
    for (node_id id = count_; id-- > 0;)
      if (active[static_cast<std::size_t>(id)] && at(id) != ir::no_node) pass_on(id, active);
  }

  /// The adjoint of a variable with its shape and view, or zero.
  node_id result(node_id id) {
    const node n = g_[id];
    node_id adjoint = at(id) == ir::no_node ? g_.constant(n.type, 0) : at(id);
    adjoint = filled(adjoint, n);
    if (n.view == matrix_cl_view::Entire) return adjoint;
    return select(inside_of(g_, n.view, n), adjoint, g_.constant(n.type, 0));
  }

 private:
  node_id& at(node_id id) { return adjoints_[static_cast<std::size_t>(id)]; }
  bool is_constant(node_id id, double value) const {
    return g_[id].is(ir::leaf_operations::constant) && g_[id].value == value;
  }
  bool is_zero(node_id id) const { return is_constant(id, 0); }

  /// Adjoint times partial. Where a branch was not taken the product is zero whatever the partial is: the
  /// multiplication goes inside of the selection.
  node_id multiply(node_id adjoint, node_id partial) {
    const node from = g_[adjoint];
    if (from.is(op::select::record())) {
      const node_id condition = from.operands[0], yes = from.operands[1], no = from.operands[2];
      if (is_zero(no)) return select(condition, multiply(yes, partial), no);
      if (is_zero(yes)) return select(condition, yes, multiply(no, partial));
    }
    return g_.apply(op::multiply::record(), adjoint, partial);
  }

  /// Sum of two adjoints; one selection where both come from the same branch.
  node_id sum(node_id a, node_id b) {
    const node x = g_[a], y = g_[b];
    if (x.is(op::select::record()) && y.is(op::select::record()) && x.operands[0] == y.operands[0]) {
      if (is_zero(x.operands[2]) && is_zero(y.operands[2]))
        return select(x.operands[0], sum(x.operands[1], y.operands[1]), x.operands[2]);
      if (is_zero(x.operands[1]) && is_zero(y.operands[1]))
        return select(x.operands[0], x.operands[1], sum(x.operands[2], y.operands[2]));
      if (is_zero(x.operands[2]) && is_zero(y.operands[1]))
        return select(x.operands[0], x.operands[1], y.operands[2]);
      if (is_zero(x.operands[1]) && is_zero(y.operands[2]))
        return select(x.operands[0], y.operands[1], x.operands[2]);
    }
    return g_.apply(op::add::record(), a, b);
  }

  /// Minus the adjoint, inside of a selection of a branch.
  node_id negate(node_id adjoint) {
    const node from = g_[adjoint];
    if (from.is(ir::leaf_operations::constant)) return g_.constant(from.type, -from.value);
    if (from.is(op::select::record())) {
      if (is_zero(from.operands[2]))
        return select(from.operands[0], negate(from.operands[1]), from.operands[2]);
      if (is_zero(from.operands[1]))
        return select(from.operands[0], from.operands[1], negate(from.operands[2]));
    }
    return g_.apply(op::negate::record(), adjoint);
  }
  node_id select(node_id condition, node_id a, node_id b) { return detail::select(g_, condition, a, b); }
  bool single(extent rows, extent cols) const {
    return g_.resolve(rows) == ir::one && g_.resolve(cols) == ir::one;
  }

  node_id filled(node_id adjoint, const node& n) { return detail::filled(g_, adjoint, n); }

  /// Adds `amount`, which has the shape of `user`, to the adjoint of `id`.
  void add(node_id id, node_id amount, const node& user) {
    const node target = g_[id];
    if (!is_floating(target.type)) return;
    if (target.is_scalar() && !user.is_scalar())
      amount = g_.reduce(op::sum::record(), ir::axis::all, filled(amount, user));
    amount = g_.cast(target.type, amount);
    at(id) = at(id) == ir::no_node ? amount : sum(at(id), amount);
  }

  void pass_on(node_id id, const std::vector<char>& active) {
    const node n = g_[id];
    const node_id adjoint = at(id);
    const auto wanted = [&](int k) { return active[static_cast<std::size_t>(n.operands[k])] != 0; };
    switch (n.op->kind) {
      case ir::op_class::leaf:
        return;
      case ir::op_class::cast:
        add(n.operands[0], adjoint, n);
        return;
      case ir::op_class::broadcast:
        pass_through_broadcast(n, adjoint);
        return;
      case ir::op_class::reduction:
        pass_through_reduction(id, n, adjoint);
        return;
      case ir::op_class::elementwise:
        for (int k = 0; k < n.op->arity; ++k)
          if (wanted(k)) pass_through_operation(id, n, k, adjoint);
    }
  }

  void pass_through_operation(node_id id, const node& n, int k, node_id adjoint) {
    if (!is_floating(g_[n.operands[k]].type)) return;
    if (n.op == &op::select::record()) {
      const node_id zero = g_.constant(n.type, 0);
      add(n.operands[k], k == 1 ? select(n.operands[0], adjoint, zero) : select(n.operands[0], zero, adjoint),
          n);
      return;
    }
    if (!is_floating(n.type)) return;
    const node_id partial = partial_of(g_, id, k);
    if (partial == ir::no_node) return;
    if (is_constant(partial, 1))
      add(n.operands[k], adjoint, n);
    else if (is_constant(partial, -1))
      add(n.operands[k], negate(adjoint), n);
    else
      add(n.operands[k], multiply(adjoint, partial), n);
  }

  void pass_through_broadcast(const node& n, node_id adjoint) {
    const node operand = g_[n.operands[0]];
    const extent rows = g_.resolve(operand.rows), cols = g_.resolve(operand.cols);
    const bool repeats_rows = rows == ir::one && g_.resolve(n.rows) != ir::one;
    const bool repeats_cols = cols == ir::one && g_.resolve(n.cols) != ir::one;
    node_id amount = filled(adjoint, n);
    if (operand.is_scalar() || (repeats_rows && repeats_cols))
      amount = g_.reduce(op::sum::record(), ir::axis::all, amount);
    else if (repeats_rows)
      amount = g_.reduce(op::sum::record(), ir::axis::column, amount);
    else if (repeats_cols)
      amount = g_.reduce(op::sum::record(), ir::axis::row, amount);
    add(n.operands[0], amount, operand);
  }

  void pass_through_reduction(node_id id, const node& n, node_id adjoint) {
    const node operand = g_[n.operands[0]];
    const node_id above = spread(g_, adjoint, operand);
    const bool is_sum = n.op == &op::sum::record();
    add(n.operands[0], is_sum ? above : multiply(above, reduction_partial(g_, id)), operand);
  }

  graph& g_;
  const node_id count_;
  std::vector<node_id> adjoints_;
};

}  // namespace detail

FUSECL_INLINE ir::graph ready_for_derivatives(const ir::graph& g) { return merge_and_prune(simplify(g)); }

FUSECL_INLINE ir::graph differentiate(const ir::graph& g, const std::vector<variable>& variables,
                                      ir::node_id seed) {
  ir::graph result = g;
  std::vector<char> active(static_cast<std::size_t>(g.size()), 0);
  std::vector<ir::node_id> leaves(variables.size(), ir::no_node);
  for (ir::node_id id = 0; id < g.size(); ++id) {
    for (std::size_t k = 0; k < variables.size(); ++k)
      if (detail::stands_for(g[id], variables[k])) {
        leaves[k] = id;
        active[static_cast<std::size_t>(id)] = 1;
      }
    for (int k = 0; k < ir::arity(g[id]); ++k)
      if (active[static_cast<std::size_t>(g[id].operands[k])] && g[id].op->partials[k] != "0")
        active[static_cast<std::size_t>(id)] = 1;
  }
  detail::adjoint_builder adjoints(result, g.roots[0], seed);
  adjoints.run(active);
  for (std::size_t k = 0; k < variables.size(); ++k)
    result.roots.push_back(leaves[k] == ir::no_node ? result.constant(scalar_type::float64, 0)
                                                    : adjoints.result(leaves[k]));
  return result;
}

}  // namespace fusecl::passes
