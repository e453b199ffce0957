#pragma once
#include <fusion/ir/interpret.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/error_bounds.hpp>
#include <fusion/ops/factorizations.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/structure.hpp>
#include <primitives/likelihoods/normal_density.hpp>

namespace fusecl::detail {

FUSECL_INLINE ir::host_matrix interpret_mark(const ir::graph&, const ir::host_bindings&, const ir::node& n,
                                             const list_of<ir::host_matrix>& values) {
  return values[static_cast<std::size_t>(n.operands[0])];
}
FUSECL_INLINE list_of<long double> errors_of_mark(const carried& before, ir::node_id id) {
  return before.errors[static_cast<std::size_t>(before.g[id].operands[0])];
}

/// Its node is gone when a graph is evaluated on a device.
#ifdef FUSECL_SPLIT
extern const ir::support normal_densities;
const ir::support normal_densities{.interpret = interpret_mark, .errors = errors_of_mark};
#else
inline const ir::support normal_densities{.interpret = interpret_mark, .errors = errors_of_mark};
#endif

FUSECL_INLINE ir::node_id lower_normal_density(ir::graph& g, ir::node_id distances, ir::node_id covariance,
                                               bool single) {
  const auto apply = [&](const ir::operation& op, ir::node_id a, ir::node_id b) { return g.apply(op, a, b); };
  if (single) g.unify(ir::one, g[distances].cols);
  g.unify(g[covariance].rows, g[covariance].cols);
  g.unify(g[covariance].rows, g[distances].rows);
  const ir::extent n = g[covariance].rows;
  const ir::node_id factor = ops::cholesky(g, covariance, ops::factored::multi_normal);
  const ir::node_id inverse = ops::triangular_inverse(g, ops::triangle::lower, factor);
  const ir::node_id standard = ops::product(g, inverse, distances);
  // nothing but the inverse needs the factor, so that kernels may compute both at once
  const ir::node_id along = g.access(op::access::record(), ir::access_map::diagonal(), inverse, n, ir::one);
  const auto sum = [&](ir::node_id of) { return g.reduce(op::sum::record(), ir::axis::all, of); };
  const scalar_type type = g[standard].type;
  const ir::node_id square =
      apply(op::multiply::record(), sum(g.apply(op::square::record(), standard)), g.constant(type, -0.5));
  const ir::node_id scale = apply(op::multiply::record(), sum(g.apply(op::log::record(), along)),
                                  g.size_of(type, g[distances].cols));
  const ir::node_id operands[] = {apply(op::add::record(), square, scale), covariance, distances, inverse,
                                  standard};
  return g.indexed(op::normal_density::record(), operands, ir::one, ir::one);
}

}  // namespace fusecl::detail

namespace fusecl::op {
namespace detail {

/// With a = inverse(S) d, by d it is -a and by the lower triangle of S that of a a' - n inverse(S), with half
/// of its diagonal.
FUSECL_INLINE ir::node_id pull_density_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
  const ir::node n = g[self];
  if (k != 1 && k != 2) return ir::no_node;
  const ir::node of = g[n.operands[k]];
  const auto times = [&](ir::node_id a, ir::node_id b) { return g.apply(multiply::record(), a, b); };
  const ir::node_id turned = ops::transposed(g, n.operands[3]);
  const ir::node_id a = ops::product(g, turned, n.operands[4]);
  if (k == 2) return times(a, g.apply(negate::record(), adjoint));
  const ir::node_id inverse = ops::product(g, turned, n.operands[3]);
  const ir::node_id outcomes = g.size_of(n.type, g[n.operands[2]].cols);
  const ir::node_id all =
      g.apply(subtract::record(), ops::product(g, a, ops::transposed(g, a)), times(inverse, outcomes));
  const ir::node_id on_diagonal =
      g.apply(equal::record(), g.row_index(of.rows, of.cols), g.col_index(of.rows, of.cols));
  const ir::node_id weight =
      times(adjoint, ops::choose(g, on_diagonal, g.constant(n.type, 0.5), g.constant(n.type, 1)));
  return ops::within_view(g, matrix_cl_view::Lower, times(all, weight), of);
}

FUSECL_INLINE ir::node_id push_density_forward(ir::graph&, ir::node_id, const ir::node_id* tangents) {
  return tangents[0];
}

}  // namespace detail

FUSECL_INLINE const ir::operation& normal_density::record() {
  static const ir::operation record{.name = "normal_density",
                                    .kind = ir::op_class::opaque,
                                    .arity = 5,
                                    .types = ir::type_rule::floating,
                                    .opencl = "",
                                    .precedence = 16,
                                    .pullback = detail::pull_density_back,
                                    .pushforward = detail::push_density_forward,
                                    .is_mark = true,
                                    .brings = &fusecl::detail::normal_densities};
  return record;
}

}  // namespace fusecl::op
