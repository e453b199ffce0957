#pragma once
#include <fusion/autodiff/derivation.hpp>
#include <fusion/base/append.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ir/compared.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/passes/forward_differentiate.hpp>

namespace fusecl::detail {

/// Blocks of variables by which derivatives are taken, as matrices of their own while they are taken.
class blocks_apart {
 public:
  blocks_apart(ir::graph& g, const list_of<passes::variable>& variables) : variables_(variables) {
    bool any = false;
    for (const passes::variable& v : variables) any = any || v.is_part();
    if (!any) return;
    blocks_.resize(variables.size());
    g = passes::rebuild(g, [&](ir::graph& to, const ir::node& n, const ir::node_id* operands) {
      const std::size_t k = number_of(g, n);
      if (k == variables_.size()) return to.copy(n, operands);
      blocks_[k] = {n, g[n.operands[0]]};
      variables_[k].number = first_number + static_cast<std::int64_t>(k);
      return to.matrix(n.type, variables_[k].number, n.rows, n.cols, n.view);
    });
  }
  const list_of<passes::variable>& variables() const { return variables_; }
  ir::graph put_back(ir::graph g) const {
    if (blocks_.empty()) return g;
    return passes::rebuild(g, [&](ir::graph& to, const ir::node& n, const ir::node_id* operands) {
      if (!n.is(ir::leaf_operations::matrix) || n.index < first_number) return to.copy(n, operands);
      const block& b = blocks_[static_cast<std::size_t>(n.index - first_number)];
      return to.access(*b.place.op, b.place.map, to.copy(b.of, nullptr), n.rows, n.cols);
    });
  }

 private:
  static constexpr std::int64_t first_number = std::int64_t{1} << 32;  // no operand has so high a number
  struct block {
    ir::node place;
    ir::node of;
  };

  /// Which of the variables `n` is a block for, which has the symbols of that one; their number for none.
  std::size_t number_of(const ir::graph& g, const ir::node& n) const {
    std::size_t k = 0;
    if (n.op->kind != ir::op_class::access || !g[n.operands[0]].is(ir::leaf_operations::matrix))
      k = variables_.size();
    for (; k < variables_.size(); ++k) {
      const passes::variable& v = variables_[k];
      if (v.is_part() && (n.map.row0.size == v.part || n.map.col0.size == v.part + 1)) break;
    }
    return k;
  }

  list_of<passes::variable> variables_;
  list_of<block> blocks_;
};

FUSECL_INLINE const derivation_rule& gradient_rule() {
  static constexpr derivation_rule rule{1, [](ir::graph g, const derivation& d) {
                                          const blocks_apart blocks(g, d.variables);
                                          g = passes::ready_for_derivatives(g);
                                          const list_of<ir::node_id> further(g.roots.begin() + 1,
                                                                             g.roots.end());
                                          g.roots.resize(1);
                                          ir::graph result = passes::differentiate(g, blocks.variables());
                                          append(result.roots, further);
                                          return blocks.put_back(std::move(result));
                                        }};
  return rule;
}

/// What a graph costs that computes its roots once.
struct graph_cost {
  int reductions = 0;
  int matrices = 0;
  double flops = 0;

  explicit graph_cost(const ir::graph& g) {
    for (ir::node_id id = 0; id < g.size(); ++id) {
      reductions += ir::is_collective(g[id]);
      matrices += g[id].is(ir::leaf_operations::matrix);
      if (g[id].op->kind == ir::op_class::elementwise) flops += static_cast<double>(g[id].op->cost);
    }
  }
  bool below(const graph_cost& other) const {
    if (reductions != other.reductions) return reductions < other.reductions;
    return matrices <= other.matrices && flops < other.flops;
  }
};

/// `g` with `kept` in the place of `value`, where that costs less; not where values computed anew would be
/// compared with what an earlier statement reduced them to, as in the derivative of a maximum: see
/// ir/compared.hpp.
inline ir::graph with_kept_value(ir::graph g, ir::node_id value, ir::node_id kept) {
  if (kept == ir::no_node || g[kept].type != g[value].type) return g;
  g.unify(g[kept].rows, g[value].rows);
  g.unify(g[kept].cols, g[value].cols);
  const ir::graph loading =
      passes::rebuild(g, [&](ir::graph& to, const ir::node& n, const ir::node_id* operands) {
        return &n == &g[value] ? to.copy(g[kept], nullptr) : to.copy(n, operands);
      });
  ir::graph pruned = passes::merge_and_prune(loading);
  const ir::graph anew = passes::merge_and_prune(g);
  if (ir::compared_with_reductions(pruned).size() < ir::compared_with_reductions(anew).size()) return g;
  return graph_cost(pruned).below(graph_cost(anew)) ? pruned : g;
}

FUSECL_INLINE const derivation_rule& reverse_rule() {
  static constexpr derivation_rule rule{
      2, [](ir::graph g, const derivation& d) {
        const blocks_apart blocks(g, d.variables);
        g = passes::ready_for_derivatives(g);
        const ir::node_id value = g.roots[0], seed = d.root(g, root_name::seed),
                          kept = d.root(g, root_name::kept);
        list_of<ir::node_id> so_far;
        for (const passes::variable& v : d.variables)
          if (!v.again) so_far.push_back(d.root(g, root_name::adjoint, so_far.size()));
        g.roots.resize(1);
        ir::graph result = passes::differentiate(g, blocks.variables(), seed);
        result.roots.erase(result.roots.begin());
        for (std::size_t k = 0; k < so_far.size(); ++k)
          if (so_far[k] != ir::no_node)
            result.roots[k] = result.apply(op::add::record(), so_far[k], result.roots[k]);
        return blocks.put_back(with_kept_value(std::move(result), value, kept));
      }};
  return rule;
}

FUSECL_INLINE const derivation_rule& hessian_product_rule() {
  static constexpr derivation_rule rule{
      3, [](ir::graph g, const derivation& d) {
        g = passes::ready_for_derivatives(g);
        list_of<ir::node_id> directions;
        std::size_t number = 0;
        for (const passes::variable& v : d.variables)
          directions.push_back(v.again ? directions.back() : d.root(g, root_name::direction, number++));
        g.roots.resize(1);
        const ir::graph gradient = passes::differentiate(g, d.variables);
        ir::graph result = passes::forward_differentiate(gradient, d.variables, directions);
        result.roots.erase(result.roots.begin() + std::ssize(gradient.roots));  // the tangent of the value
        return result;
      }};
  return rule;
}

}  // namespace fusecl::detail
