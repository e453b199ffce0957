#pragma once
// Host evaluation of a graph: the reference that device results are compared with. Values are kept as
// long double, which holds every element type exactly, and are rounded to the node's type at each node;
// outside of a node's view they are zero.

#include <fusion/base/list_of.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::ir {

/// A matrix of values, column-major.
struct host_matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  list_of<long double> values;
};

/// What the leaves of a graph stand for.
struct host_bindings {
  list_of<host_matrix> matrices;  ///< by operand slot
  list_of<long double> scalars;   ///< by scalar number
  list_of<std::int64_t> extents;  ///< by extent symbol; negative where a size is free
};

/// `value` as an element of `type`: rounded, wrapped or turned into 0 or 1.
long double rounded(scalar_type type, long double value);

/// How many values `interpret` computes.
long double interpreted_elements(const graph& g, const host_bindings& bindings);
/// The value of every node, in the order of the nodes.
list_of<host_matrix> interpret(const graph& g, const host_bindings& bindings);

/// The element of `from` that element (i, j) of the access `n` comes from.
long double accessed_element(const graph& g, const host_bindings& bindings, const node& n,
                             const host_matrix& from, std::int64_t i, std::int64_t j);

/// The values of a node that is no element-wise operation, from those of all before it.
host_matrix interpret_reduction(const graph& g, const host_bindings& bindings, const node& n,
                                const list_of<host_matrix>& values);
host_matrix interpret_scan(const graph& g, const host_bindings& bindings, const node& n,
                           const list_of<host_matrix>& values);
host_matrix interpret_access(const graph& g, const host_bindings& bindings, const node& n,
                             const list_of<host_matrix>& values);
host_matrix interpret_indexed(const graph& g, const host_bindings& bindings, const node& n,
                              const list_of<host_matrix>& values);
host_matrix interpret_product(const graph& g, const host_bindings& bindings, const node& n,
                              const list_of<host_matrix>& values);
/// The number, column by column, of each element of `n` in its operand 0, or of each element of operand 0 in
/// `n` where it adds them to places. What is outside counts as the nearest row and column, as on the device.
list_of<std::size_t> indexed_places(const node& n, const host_matrix& own,
                                    const list_of<host_matrix>& values);

/// One element-wise operation on scalars, with the rounding of its result type.
long double interpret_element(const operation& op, scalar_type operand_type, scalar_type result_type,
                              const long double* operands);
/// What a conversion, a broadcast or an element-wise node makes of its operands at one place.
long double interpret_at_place(const graph& g, const node& n, const long double* operands);

}  // namespace fusecl::ir

#ifndef FUSECL_SPLIT
#include <fusion/ir/interpret.ipp>
#include <fusion/ir/interpret_collectives.ipp>
#include <fusion/ir/interpret_product.ipp>
#endif
