#pragma once
// How far a correct device may be from the host interpreter: errors are carried through the graph, each node
// adding what its record allows. Nothing here is a chosen tolerance.

#include <limits>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/interpret.hpp>

namespace fusecl::detail {

/// Distance of two results: 0 where both are NaN, infinite where one is.
long double distance(long double a, long double b);

/// Spacing of numbers of this type at 1.
inline long double unit_of(scalar_type type) {
  if (type == scalar_type::float64) return std::numeric_limits<double>::epsilon();
  return type == scalar_type::float32 ? std::numeric_limits<float>::epsilon() : 0;
}

/// What rounding may do to each element of each node, given the values of all. Infinite or NaN where the
/// operands leave nothing certain.
list_of<list_of<long double>> carried_errors(const ir::graph& g, const list_of<ir::host_matrix>& values,
                                             const ir::host_bindings& bindings);

/// What the bounds of one node follow from: `errors` are those of the nodes before it.
struct carried {
  const ir::graph& g;
  const ir::host_bindings& bindings;
  const list_of<ir::host_matrix>& values;
  const list_of<list_of<long double>>& errors;
};

/// Of a reduction, or of a comparison of values with their own extreme.
list_of<long double> errors_of_reduction(const carried& before, ir::node_id id);
list_of<long double> errors_of_scan(const carried& before, ir::node_id id);
list_of<long double> errors_of_access(const carried& before, ir::node_id id);
list_of<long double> errors_of_indexed(const carried& before, ir::node_id id);
list_of<long double> errors_of_product(const carried& before, ir::node_id id);
list_of<long double> errors_of_factorization(const carried& before, ir::node_id id);
list_of<long double> errors_of_batched_product(const carried& before, ir::node_id id);
list_of<long double> errors_of_batched_factor(const carried& before, ir::node_id id);
list_of<long double> errors_of_user_leaf(const carried& before, ir::node_id id);

}  // namespace fusecl::detail

#ifndef FUSECL_SPLIT
#include <fusion/ops/error_bounds.ipp>
#include <fusion/ops/errors_of_batches.ipp>
#include <fusion/ops/errors_of_collectives.ipp>
#include <fusion/ops/errors_of_factorization.ipp>
#include <fusion/ops/errors_of_product.ipp>
#include <fusion/ops/errors_of_user_leaf.ipp>
#endif
