#pragma once
#include <stdexcept>
#include <string>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/formula.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/structure.hpp>
#include <fusion/passes/differentiate.hpp>

namespace fusecl::passes {
namespace detail {

using ir::extent, ir::graph, ir::node, ir::node_id, ir::node_map;

FUSECL_INLINE bool stands_for(const node& n, const variable& v) {
  return n.index == v.number && n.is(v.matrix ? ir::leaf_operations::matrix : ir::leaf_operations::scalar);
}

/// The partial derivative of the element-wise node `id` with respect to operand `k`, or no_node where it is
/// zero. Throws where the operation's record does not tell.
FUSECL_INLINE node_id partial_of(graph& g, node_id id, int k) {
  const node n = g[id];
  const ir::operation& op = *n.op;
  node_id partial = ir::no_node;
  if (op.partial)
    partial = op.partial(g, n.operands.ids().data(), id, k);
  else if (!op.partial_formula(k).empty())
    partial = ops::build_formula(g, op.partial_formula(k), n.operands.ids().data(), id);
  else
    throw std::invalid_argument("differentiate: operation " + std::string(op.name) +
                                " has no derivative with respect to operand " + std::to_string(k));
  const node value = g[partial];
  return value.is(ir::leaf_operations::constant) && is_zero(value.value) ? ir::no_node : partial;
}

/// `given`, which has the size of `n`: a scalar where that is one.
FUSECL_INLINE node_id like(graph& g, const node& n, node_id given) {
  const bool turns = n.is_scalar() && !g[given].is_scalar();
  return turns ? g.reduce(op::sum::record(), ir::axis::all, given) : given;
}

/// Accumulates adjoints from the root to the leaves. An adjoint may be a single element that stands for a
/// whole matrix of equal ones; `filled` makes it one.
class adjoint_builder {
 public:
  adjoint_builder(graph& g, node_id root, node_id seed)
      : g_(g), count_(g.size()), adjoints_(g, ir::no_node), holds_left_out_(g) {
    g_.resolve_new_nodes();
    if (!is_floating(g_[root].type)) return;
    if (seed == ir::no_node) {
      at(root) = g_.constant(g_[root].type, 1);
      return;
    }
    g_.unify(g_[seed].rows, g_[root].rows);
    g_.unify(g_[seed].cols, g_[root].cols);
    at(root) = g_.cast(g_[root].type, like(g_, g_[root], seed));
  }

  void run(const node_map<char>& active) {
    for (node_id id = 0; id < count_; ++id) depends_.push_back(active[id]);
    for (node_id id = count_; id-- > 0;)
      if (active[id] && at(id) != ir::no_node) pass_on(id, active);
  }

  /// The adjoint of a variable with its shape and view, or zero.
  node_id result(node_id id) {
    const node n = g_[id];
    node_id adjoint = at(id) == ir::no_node ? g_.constant(n.type, 0) : at(id);
    return ops::within_view(g_, n.view, ops::filled(g_, adjoint, n), n);
  }

 private:
  node_id& at(node_id id) { return adjoints_[id]; }
  bool is_zero(node_id id) const { return ops::is_constant(g_, id, 0); }

  /// Sum of two adjoints; one selection where both come from the same branch. Where both come from branches,
  /// the sum is a selection too, of what either reaches: a partial derivative by which it is multiplied may
  /// be infinite where neither does.
  node_id sum(node_id a, node_id b) {
    const node_id total = plain_sum(a, b);
    const node_id reached_a = reached(a), reached_b = reached(b);
    if (reached_a == ir::no_node || reached_b == ir::no_node) return total;
    if (is_selection(total)) return total;
    const node_id reached_by_one = either(reached_a, reached_b);
    if (reached_by_one == ir::no_node) return total;
    return select(reached_by_one, total, g_.zero(g_[total].type));
  }

  node_id plain_sum(node_id a, node_id b) {
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
    if (are_sums_of_one_size(a, b)) {
      const node_id each = plain_sum(x.operands[0], y.operands[0]);
      return g_.reduce(op::sum::record(), x.axis(), each);
    }
    return g_.apply(op::add::record(), a, b);
  }

  /// Whether one sum of what these are sums of takes their place: a variable that appears in several places
  /// has one reduction then. Not where one of them is there anyway, or follows from data alone, which an
  /// evaluation may know already.
  bool are_sums_of_one_size(node_id a, node_id b) {
    if (a < count_ || b < count_) return false;
    const node &x = g_[a], &y = g_[b];
    if (!x.is(op::sum::record()) || !y.is(op::sum::record()) || x.axis() != y.axis()) return false;
    const node &of_x = g_[x.operands[0]], &of_y = g_[y.operands[0]];
    return of_x.type == of_y.type && !of_x.is_scalar() && !of_y.is_scalar() &&
           g_.resolve(of_x.rows) == g_.resolve(of_y.rows) && g_.resolve(of_x.cols) == g_.resolve(of_y.cols) &&
           depends_on_variables(a) && depends_on_variables(b);
  }
  bool depends_on_variables(node_id id) {
    while (depends_.size() < static_cast<std::size_t>(g_.size())) {
      const node& n = g_[static_cast<node_id>(depends_.size())];
      char depends = 0;
      for (int k = 0; k < ir::arity(n); ++k) depends |= depends_[static_cast<std::size_t>(n.operands[k])];
      depends_.push_back(depends);
    }
    return depends_[static_cast<std::size_t>(id)] != 0;
  }

  /// Where an adjoint that a selection gave can be other than zero: a condition, or no_node for everywhere.
  node_id reached(node_id adjoint) {
    const node n = g_[adjoint];
    if (!n.is(op::select::record())) return ir::no_node;
    const node_id condition = n.operands[0], yes = n.operands[1], no = n.operands[2];
    const node_id within_yes = reached(yes), within_no = reached(no);
    if (!is_zero(yes) && !is_zero(no) && within_yes == ir::no_node && within_no == ir::no_node)
      return ir::no_node;
    const node_id in_yes = within_yes == ir::no_node ? condition : both(condition, within_yes);
    if (is_zero(no)) return in_yes;
    const node_id other = g_.apply(op::logical_not::record(), condition);
    const node_id in_no = within_no == ir::no_node ? other : both(other, within_no);
    return is_zero(yes) ? in_no : either(in_yes, in_no);
  }
  node_id both(node_id a, node_id b) { return a == b ? a : g_.apply(op::logical_and::record(), a, b); }
  /// Where a or b holds, or no_node for everywhere.
  node_id either(node_id a, node_id b) {
    if (negated(a) == b || negated(b) == a || exclude_each_other(negated(a), negated(b))) return ir::no_node;
    return a == b ? a : g_.apply(op::logical_or::record(), a, b);
  }
  node_id negated(node_id condition) const {
    return g_[condition].is(op::logical_not::record()) ? g_[condition].operands[0] : ir::no_node;
  }
  /// Whether these compare one value with two constants.
  bool exclude_each_other(node_id a, node_id b) const {
    if (a == ir::no_node || b == ir::no_node) return false;
    const node &x = g_[a], &y = g_[b];
    if (!x.is(op::equal::record()) || !y.is(op::equal::record()) || x.operands[0] != y.operands[0])
      return false;
    const node &k = g_[x.operands[1]], &l = g_[y.operands[1]];
    return k.is(ir::leaf_operations::constant) && l.is(ir::leaf_operations::constant) && k.value != l.value;
  }

  /// Whether the adjoint is a selection of a branch, with zero for the other one.
  bool is_selection(node_id adjoint) const {
    const node n = g_[adjoint];
    return n.is(op::select::record()) && (is_zero(n.operands[1]) || is_zero(n.operands[2]));
  }
  /// Whether a partial derivative may be infinite or NaN where the value is neither, as a matrix of data may
  /// be where it is left out.
  bool may_be_infinite(node_id partial, int depth = 4) const {
    const node n = g_[partial];
    if (n.op->kind == ir::op_class::leaf) return n.is(ir::leaf_operations::matrix);
    const bool is_plain = n.op->kind == ir::op_class::cast || n.op->kind == ir::op_class::broadcast ||
                          n.is(op::multiply::record()) || n.is(op::add::record()) ||
                          n.is(op::subtract::record()) || n.is(op::negate::record());
    if (!is_plain || depth == 0) return true;
    for (int k = 0; k < ir::arity(n); ++k)
      if (may_be_infinite(n.operands[k], depth - 1)) return true;
    return false;
  }
  /// Whether the elements are those of a matrix in memory.
  bool is_data(node_id id) const {
    while (g_[id].op->kind == ir::op_class::access || g_[id].op->kind == ir::op_class::cast)
      id = g_[id].operands[0];
    return g_[id].is(ir::leaf_operations::matrix);
  }
  /// A selection between what is repeated as the repetition of a selection. By the coefficients of a linear
  /// predictor there is one for each row then, not one for each element of the matrix of data, in which no
  /// number is missing as a rule (docs/gradients.md).
  node_id repeated_whole(node_id adjoint) {
    const node n = g_[adjoint];
    const node_id once = n.is(op::select::record()) ? before_repetition(adjoint) : ir::no_node;
    return once == ir::no_node ? adjoint : g_.broadcast(once, n.rows, n.cols);
  }
  /// What gives `id` where it is repeated, as far as it consists of selections; no_node where none does.
  node_id before_repetition(node_id id) {
    const node n = g_[id];
    if (n.is_scalar()) return id;
    if (n.op->kind == ir::op_class::broadcast) return n.operands[0];
    if (!n.is(op::select::record())) return ir::no_node;
    node_id parts[3];
    for (int k = 0; k < 3; ++k)
      if ((parts[k] = before_repetition(n.operands[k])) == ir::no_node) return ir::no_node;
    return select(parts[0], parts[1], parts[2]);
  }
  /// `amount`, a product with `adjoint`, and 0 where that is 0 and the product is not finite for it.
  node_id guarded(node_id amount, node_id factor, node_id adjoint) {
    const node_id zero = g_.zero(g_[adjoint].type);
    const node_id counts = g_.apply(op::logical_or::record(), g_.apply(op::isfinite::record(), factor),
                                    g_.apply(op::not_equal::record(), adjoint, zero));
    return select(counts, amount, g_.zero(g_[amount].type));
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
  node_id select(node_id condition, node_id a, node_id b) { return ops::choose(g_, condition, a, b); }
  /// Adds `amount`, which has the shape of `user` and is made of the adjoint of `from`, to that of `id`.
  void add(node_id id, node_id amount, const node& user, node_id from) {
    const node target = g_[id];
    if (!is_floating(target.type)) return;
    if (target.is_scalar() && !user.is_scalar())
      amount = g_.reduce(op::sum::record(), ir::axis::all, ops::filled(g_, amount, user));
    amount = g_.cast(target.type, amount);
    const ir::op_class kind = g_[from].op->kind;
    const bool stays =
        kind == ir::op_class::elementwise || kind == ir::op_class::cast || kind == ir::op_class::reduction;
    const bool selects = is_selection(amount);
    const bool holds = holds_left_out_[from] || (is_selection(at(from)) && !(stays && selects));
    if (at(id) == ir::no_node) {
      holds_left_out_[id] = holds;
      at(id) = amount;
      return;
    }
    const bool both_leave_out = (holds || selects) && (holds_left_out_[id] || is_selection(at(id)));
    holds_left_out_[id] = both_leave_out && (holds || holds_left_out_[id]);
    at(id) = sum(at(id), amount);
  }

  void pass_on(node_id id, const node_map<char>& active) {
    const node n = g_[id];
    const node_id adjoint = at(id);
    if (n.op->kind == ir::op_class::cast) return add(n.operands[0], adjoint, n, id);
    if (n.op->kind == ir::op_class::broadcast) return pass_through_broadcast(id, n, adjoint);
    for (int k = 0; k < ir::arity(n); ++k)
      if (active[n.operands[k]] && is_floating(g_[n.operands[k]].type)) pass_to_operand(id, n, k, adjoint);
  }

  void pass_to_operand(node_id id, const node& n, int k, node_id adjoint) {
    if (n.op->pullback) {
      node_id amount = n.op->pullback(g_, id, adjoint, k);
      const node user = n.op->kind == ir::op_class::elementwise ? n : g_[n.operands[k]];
      if (amount == ir::no_node) return;
      const bool is_left_out = holds_left_out_[id] || is_selection(adjoint);
      if (is_left_out && n.op->kind == ir::op_class::reduction && !n.is(op::sum::record()))
        amount = guarded(amount, amount, ops::spread(g_, adjoint, user));
      add(n.operands[k], amount, user, id);
      return;
    }
    if (!is_floating(n.type)) return;
    const node_id partial = partial_of(g_, id, k);
    if (partial == ir::no_node) return;
    if (ops::is_constant(g_, partial, 1))
      add(n.operands[k], adjoint, n, id);
    else if (ops::is_constant(g_, partial, -1))
      add(n.operands[k], negate(adjoint), n, id);
    else
      add(n.operands[k], product(id, n.operands[k], adjoint, partial), n, id);
  }

  /// The adjoint of `id` times a partial derivative by `operand`, which may be infinite where a selection has
  /// left out all that the adjoint is the sum of.
  node_id product(node_id id, node_id operand, node_id adjoint, node_id partial) {
    if (g_[operand].op->kind == ir::op_class::broadcast && is_data(partial))
      adjoint = repeated_whole(adjoint);
    const node_id amount = ops::scaled(g_, adjoint, partial);
    return holds_left_out_[id] && may_be_infinite(partial) ? guarded(amount, partial, adjoint) : amount;
  }

  void pass_through_broadcast(node_id id, const node& n, node_id adjoint) {
    const node operand = g_[n.operands[0]];
    const extent rows = g_.resolve(operand.rows), cols = g_.resolve(operand.cols);
    const bool repeats_rows = rows == ir::one && g_.resolve(n.rows) != ir::one;
    const bool repeats_cols = cols == ir::one && g_.resolve(n.cols) != ir::one;
    node_id amount = ops::filled(g_, adjoint, n);
    if (operand.is_scalar() || (repeats_rows && repeats_cols))
      amount = g_.reduce(op::sum::record(), ir::axis::all, amount);
    else if (repeats_rows)
      amount = g_.reduce(op::sum::record(), ir::axis::column, amount);
    else if (repeats_cols)
      amount = g_.reduce(op::sum::record(), ir::axis::row, amount);
    add(n.operands[0], amount, operand, id);
  }

  graph& g_;
  const node_id count_;
  node_map<node_id> adjoints_;
  /// Of adjoints that are no selections: made of one by what is not element-wise, zero where all that went
  /// into them was left out.
  node_map<char> holds_left_out_;
  list_of<char> depends_;  ///< of each node, whether on a variable
};

/// The sum of what two uses of a variable bring, which have its size.
FUSECL_INLINE node_id total(graph& g, node_id a, node_id b) {
  if (!g[a].is_scalar() && !g[b].is_scalar()) {
    g.unify(g[a].rows, g[b].rows);
    g.unify(g[a].cols, g[b].cols);
  }
  return g.apply(op::add::record(), a, b);
}

}  // namespace detail

FUSECL_INLINE ir::graph ready_for_derivatives(const ir::graph& g) { return merge_and_prune(simplify(g)); }

FUSECL_INLINE ir::graph differentiate(const ir::graph& g, const list_of<variable>& variables,
                                      ir::node_id seed) {
  ir::graph result = g;
  ir::node_map<char> active(g);
  list_of<ir::node_id> leaves(variables.size(), ir::no_node);
  for (ir::node_id id = 0; id < g.size(); ++id) {
    for (std::size_t k = 0; k < variables.size(); ++k)
      if (detail::stands_for(g[id], variables[k])) {
        leaves[k] = id;
        active[id] = 1;
      }
    for (int k = 0; k < ir::arity(g[id]); ++k)
      if (active[g[id].operands[k]] && g[id].op->partial_formula(k) != "0") active[id] = 1;
  }
  detail::adjoint_builder adjoints(result, g.roots[0], seed);
  adjoints.run(active);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (leaves[k] == ir::no_node && variables[k].again) continue;
    const ir::node_id own =
        leaves[k] == ir::no_node ? result.constant(scalar_type::float64, 0) : adjoints.result(leaves[k]);
    if (variables[k].again)
      result.roots.back() = detail::total(result, result.roots.back(), own);
    else
      result.roots.push_back(own);
  }
  return result;
}

}  // namespace fusecl::passes
