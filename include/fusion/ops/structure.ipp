#pragma once
#include <stdexcept>

#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/structure.hpp>

namespace fusecl::ops {
namespace detail {

/// Whether `by` times a number from 0 to `count`, from `start` on, meets every place of `size`.
FUSECL_INLINE bool meets_all(const ir::graph& g, const ir::offset& start, int by, ir::extent count,
                             ir::extent size) {
  const bool whole = g.resolve(count) == g.resolve(size);
  if (by > 0) return start.is_zero() && whole;
  return whole && start.size != ir::no_extent && g.resolve(start.size) == g.resolve(size) && start.sign > 0 &&
         start.plus == -1;
}

/// -by * start.
FUSECL_INLINE ir::offset undone(ir::offset start, int by) {
  if (start.size != ir::no_extent) start.sign *= -by;
  start.plus *= -by;
  return start;
}

}  // namespace detail

FUSECL_INLINE ir::node_id element_of(ir::graph& g, ir::node_id column, std::int32_t number) {
  ir::access_map map;
  map.row0.plus = number;
  map.from_diagonal = ir::diagonal_from::anywhere;
  return g.access(op::access::record(), map, column, ir::one, ir::one);
}

FUSECL_INLINE ir::node_id transposed(ir::graph& g, ir::node_id id) {
  const ir::node from = g[id];
  return g.access(op::access::record(), ir::access_map::transpose(), id, from.cols, from.rows);
}

FUSECL_INLINE ir::access_map inverse(const ir::graph& g, const ir::node& n, const ir::node& from) {
  const ir::access_map& m = n.map;
  ir::access_map back;
  if (m.from_diagonal != ir::diagonal_from::itself) back.from_diagonal = ir::diagonal_from::anywhere;
  const bool guards = !m.is_guarded();  // what was put among zeros has all its elements there
  if (m.row_by_i != 0 && m.row_by_j == 0 && m.col_by_i == 0 && m.col_by_j != 0) {
    back.row0 = detail::undone(m.row0, m.row_by_i);
    back.col0 = detail::undone(m.col0, m.col_by_j);
    back.row_by_i = m.row_by_i;
    back.col_by_j = m.col_by_j;
    if (guards && !detail::meets_all(g, m.row0, m.row_by_i, n.rows, from.rows)) back.row_limit = n.rows;
    if (guards && !detail::meets_all(g, m.col0, m.col_by_j, n.cols, from.cols)) back.col_limit = n.cols;
    return back;
  }
  if (m.row_by_i == 0 && m.row_by_j != 0 && m.col_by_i != 0 && m.col_by_j == 0) {
    back.row0 = detail::undone(m.col0, m.col_by_i);
    back.col0 = detail::undone(m.row0, m.row_by_j);
    back.row_by_i = 0;
    back.row_by_j = m.col_by_i;
    back.col_by_i = m.row_by_j;
    back.col_by_j = 0;
    if (guards && !detail::meets_all(g, m.col0, m.col_by_i, n.rows, from.cols)) back.row_limit = n.rows;
    if (guards && !detail::meets_all(g, m.row0, m.row_by_j, n.cols, from.rows)) back.col_limit = n.cols;
    return back;
  }
  const bool along_diagonal = !m.has_offsets() && m.row_by_i == 1 && m.row_by_j == 0 && m.col_by_i == 1;
  if (along_diagonal && m.col_by_j == 0) {  // to the diagonal of zeros: column 0 is met on the diagonal only
    back.col_by_i = 1;
    back.col_by_j = -1;
    back.row_limit = n.rows;
    back.col_limit = n.cols;
    back.from_diagonal = ir::diagonal_from::anywhere;
    return back;
  }
  if (along_diagonal && m.col_by_j == -1) return ir::access_map::diagonal();
  throw std::invalid_argument("differentiate: an access that reads elements more than once");
}

}  // namespace fusecl::ops

namespace fusecl::op {
namespace detail {

FUSECL_INLINE ir::node_id pull_access_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int) {
  const ir::node n = g[self], from = g[n.operands[0]];
  return g.access(access::record(), ops::inverse(g, n, from), ops::filled(g, adjoint, n), from.rows,
                  from.cols);
}

FUSECL_INLINE ir::node_id push_access_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  const ir::node n = g[self], from = g[n.operands[0]];
  if (tangents[0] == ir::no_node || (g[tangents[0]].is_scalar() && !n.map.is_guarded())) return tangents[0];
  return g.access(access::record(), n.map, ops::filled(g, tangents[0], from), n.rows, n.cols);
}

}  // namespace detail

FUSECL_INLINE const ir::operation& access::record() {
  static constexpr ir::operation record{.name = "access",
                                        .kind = ir::op_class::access,
                                        .arity = 1,
                                        .types = ir::type_rule::arithmetic,
                                        .opencl = "",
                                        .precedence = 16,
                                        .ulp = 0,
                                        .cost = 0,
                                        .pullback = detail::pull_access_back,
                                        .pushforward = detail::push_access_forward,
                                        .brings = &ir::supports::accesses};
  return record;
}

}  // namespace fusecl::op
