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

/// Accumulates adjoints from the root to the leaves. An adjoint may be a single element that stands for a whole
/// matrix of equal ones; `filled` makes it one.
class adjoint_builder {
 public:
  adjoint_builder(graph& g, node_id root, node_id seed)
      : g_(g), count_(g.size()), adjoints_(static_cast<std::size_t>(count_), ir::no_node) {
    if (is_floating(g_[root].type)) at(root) = seed == ir::no_node ? g_.constant(g_[root].type, 1) : seed;
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
    const node_id i = g_.row_index(n.rows, n.cols), j = g_.col_index(n.rows, n.cols);
    const ir::operation& inside = n.view == matrix_cl_view::Lower   ? op::greater_or_equal::record()
                                  : n.view == matrix_cl_view::Upper ? op::less_or_equal::record()
                                                                    : op::equal::record();
    return select(g_.apply(inside, i, j), adjoint, g_.constant(n.type, 0));
  }

 private:
  node_id& at(node_id id) { return adjoints_[static_cast<std::size_t>(id)]; }
  node_id multiply(node_id a, node_id b) { return g_.apply(op::multiply::record(), a, b); }
  node_id select(node_id condition, node_id a, node_id b) {
    const node_id operands[] = {condition, a, b};
    return g_.apply(op::select::record(), operands);
  }
  bool single(extent rows, extent cols) const {
    return g_.resolve(rows) == ir::one && g_.resolve(cols) == ir::one;
  }

  /// `adjoint` repeated to the shape of `n` if it is a single element and `n` is not.
  node_id filled(node_id adjoint, const node& n) {
    if (!g_[adjoint].is_scalar() || n.is_scalar()) return adjoint;
    return g_.broadcast(adjoint, n.rows, n.cols);
  }

  /// Adds `amount`, which has the shape of `user`, to the adjoint of `id`.
  void add(node_id id, node_id amount, const node& user) {
    const node target = g_[id];
    if (!is_floating(target.type)) return;
    if (target.is_scalar() && !user.is_scalar())
      amount = g_.reduce(op::sum::record(), ir::axis::all, filled(amount, user));
    amount = g_.cast(target.type, amount);
    at(id) = at(id) == ir::no_node ? amount : g_.apply(op::add::record(), at(id), amount);
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
      add(n.operands[k], k == 1 ? select(n.operands[0], adjoint, zero) : select(n.operands[0], zero, adjoint), n);
      return;
    }
    const std::string_view partial = n.op->partials[k];
    if (partial == "0" || !is_floating(n.type)) return;
    if (partial.empty())
      throw std::invalid_argument("differentiate: operation " + std::string(n.op->name) +
                                  " has no derivative with respect to operand " + std::to_string(k));
    if (partial == "1")
      add(n.operands[k], adjoint, n);
    else if (partial == "-1")
      add(n.operands[k], g_.apply(op::negate::record(), adjoint), n);
    else
      add(n.operands[k], multiply(adjoint, ops::build_formula(g_, partial, n.operands, id)), n);
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

  /// `reduced`, a value of the reduction's shape, repeated to the shape of its operand.
  node_id spread(node_id reduced, const node& operand) {
    return g_[reduced].is_scalar() ? reduced : g_.broadcast(reduced, operand.rows, operand.cols);
  }

  void pass_through_reduction(node_id id, const node& n, node_id adjoint) {
    const node_id x = n.operands[0];
    const node operand = g_[x];
    const node_id above = spread(adjoint, operand);
    if (n.op == &op::sum::record()) {
      add(x, above, operand);
      return;
    }
    const node_id value = spread(id, operand);
    const node_id zero = g_.constant(n.type, 0), one = g_.constant(n.type, 1);
    const auto total = [&](const ir::operation& op, node_id what) {
      return spread(g_.reduce(op, n.axis(), filled(what, operand)), operand);
    };
    if (n.op == &op::prod::record()) {
      // the product of the other elements: y / x, or where x is the only zero the product without it
      const node_id is_zero = g_.apply(op::equal::record(), x, zero);
      const node_id zeros = total(op::sum::record(), g_.cast(n.type, is_zero));
      const node_id others = total(op::prod::record(), select(is_zero, one, x));
      const node_id lone = select(g_.apply(op::equal::record(), zeros, one), others, zero);
      const node_id partial = select(is_zero, lone, g_.apply(op::divide::record(), value, select(is_zero, one, x)));
      add(x, multiply(above, partial), operand);
      return;
    }
    const node_id chosen = g_.apply(op::equal::record(), x, value);
    const node_id ties = total(op::sum::record(), g_.cast(n.type, chosen));
    add(x, select(chosen, g_.apply(op::divide::record(), above, ties), zero), operand);
  }

  graph& g_;
  const node_id count_;
  std::vector<node_id> adjoints_;
};

}  // namespace detail

FUSECL_INLINE ir::graph differentiate(const ir::graph& g, const std::vector<variable>& variables,
                                      ir::node_id seed) {
  ir::graph result = g;
  const auto stands_for = [&](const ir::node& n, const variable& v) {
    return n.index == v.number && n.is(v.matrix ? ir::leaf_operations::matrix : ir::leaf_operations::scalar);
  };
  std::vector<char> active(static_cast<std::size_t>(g.size()), 0);
  std::vector<ir::node_id> leaves(variables.size(), ir::no_node);
  for (ir::node_id id = 0; id < g.size(); ++id) {
    for (std::size_t k = 0; k < variables.size(); ++k)
      if (stands_for(g[id], variables[k])) {
        leaves[k] = id;
        active[static_cast<std::size_t>(id)] = 1;
      }
    for (int k = 0; k < ir::arity(g[id]); ++k)
      if (active[static_cast<std::size_t>(g[id].operands[k])]) active[static_cast<std::size_t>(id)] = 1;
  }
  detail::adjoint_builder adjoints(result, g.roots[0], seed);
  adjoints.run(active);
  for (std::size_t k = 0; k < variables.size(); ++k)
    result.roots.push_back(leaves[k] == ir::no_node ? result.constant(scalar_type::float64, 0)
                                                    : adjoints.result(leaves[k]));
  return result;
}

}  // namespace fusecl::passes
