#pragma once
#include <fusion/autodiff/derivation.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/passes/forward_differentiate.hpp>

namespace fusecl::detail {

FUSECL_INLINE const derivation_rule& gradient_rule() {
  static constexpr derivation_rule rule{1, [](ir::graph g, const derivation& d) {
                                          return passes::differentiate(passes::ready_for_derivatives(g),
                                                                       d.variables);
                                        }};
  return rule;
}

FUSECL_INLINE const derivation_rule& reverse_rule() {
  static constexpr derivation_rule rule{2, [](ir::graph g, const derivation& d) {
                                          g = passes::ready_for_derivatives(g);
                                          const ir::node_id seed = d.root(g, root_name::seed);
                                          std::vector<ir::node_id> so_far;
                                          for (std::size_t k = 0; k < d.variables.size(); ++k)
                                            so_far.push_back(d.root(g, root_name::adjoint, k));
                                          g.roots.resize(1);
                                          ir::graph result = passes::differentiate(g, d.variables, seed);
                                          result.roots.erase(result.roots.begin());
                                          for (std::size_t k = 0; k < so_far.size(); ++k)
                                            if (so_far[k] != ir::no_node)
                                              result.roots[k] =
                                                  result.apply(op::add::record(), so_far[k], result.roots[k]);
                                          return result;
                                        }};
  return rule;
}

FUSECL_INLINE const derivation_rule& hessian_product_rule() {
  static constexpr derivation_rule rule{
      3, [](ir::graph g, const derivation& d) {
        g = passes::ready_for_derivatives(g);
        std::vector<ir::node_id> directions;
        for (std::size_t k = 0; k < d.variables.size(); ++k)
          directions.push_back(d.root(g, root_name::direction, k));
        g.roots.resize(1);
        const ir::graph gradient = passes::differentiate(g, d.variables);
        ir::graph result = passes::forward_differentiate(gradient, d.variables, directions);
        result.roots.erase(result.roots.begin() + std::ssize(gradient.roots));  // the tangent of the value
        return result;
      }};
  return rule;
}

}  // namespace fusecl::detail
