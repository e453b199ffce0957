#pragma once
#include <utility>

#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/gather.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/structure.hpp>

namespace fusecl::ops {

FUSECL_INLINE ir::node_id mapped(const ir::graph& g, ir::node_id id) {
  while (ir::maps_places(g[id])) id = g[id].operands[0];
  return id;
}

FUSECL_INLINE bool is_in_memory(const ir::graph& g, ir::node_id id) {
  const ir::node& n = g[mapped(g, id)];
  return !n.is_scalar() && (n.is(ir::leaf_operations::matrix) || n.op->is_stored || ir::is_collective(n));
}

FUSECL_INLINE ir::node_id read_in_place(ir::graph& g, ir::node_id id) {
  if (is_in_memory(g, id)) return id;
  const ir::node n = g[id];
  // a transpose is read of the same memory as what it is the transpose of
  if (ir::maps_places(n) && n.map.is_transpose() && !g[n.operands[0]].is_scalar())
    return transposed(g, read_in_place(g, n.operands[0]));
  return g.apply(op::stored::record(), id);
}

FUSECL_INLINE bool is_transpose_of(const ir::graph& g, ir::node_id a, ir::node_id b) {
  const ir::node &x = g[a], &y = g[b];
  const auto turns = [](const ir::node& n, ir::node_id from) {
    return ir::maps_places(n) && n.map.is_transpose() && n.operands[0] == from;
  };
  if (g.resolve(x.rows) != g.resolve(y.cols) || g.resolve(x.cols) != g.resolve(y.rows)) return false;
  if (turns(x, b) || turns(y, a)) return true;
  if (!ir::maps_places(x) || !ir::maps_places(y) || x.operands[0] != y.operands[0]) return false;
  ir::access_map turned = y.map;
  std::swap(turned.row_by_i, turned.row_by_j);
  std::swap(turned.col_by_i, turned.col_by_j);
  return turned == x.map && x.view == transpose(y.view);
}

namespace detail {

/// Whether `id` is a square matrix with nothing beside its diagonal.
FUSECL_INLINE bool is_diagonal(const ir::graph& g, ir::node_id id) {
  const ir::node& n = g[id];
  return !n.is_scalar() && n.view == matrix_cl_view::Diagonal && g.resolve(n.rows) == g.resolve(n.cols);
}

/// The diagonal of a square matrix: a column, or the number that it repeats.
FUSECL_INLINE ir::node_id diagonal_of(ir::graph& g, ir::node_id id) {
  const ir::node n = g[id];
  if (n.op->is_stored) return diagonal_of(g, n.operands[0]);  // it need not be in memory
  if (n.op->kind == ir::op_class::cast) return g.cast(n.type, diagonal_of(g, n.operands[0]));
  if (ir::maps_places(n) && n.map.is_transpose()) return diagonal_of(g, n.operands[0]);
  const bool spreads = ir::maps_places(n) && n.map.is_guarded() && !n.map.has_offsets() &&
                       n.map.row_by_i == 1 && n.map.row_by_j == 0 && n.map.col_by_i == 1 &&
                       n.map.col_by_j == -1 && g.resolve(g[n.operands[0]].cols) == ir::one;
  if (!spreads) return g.access(op::access::record(), ir::access_map::diagonal(), id, n.rows, ir::one);
  const ir::node& column = g[n.operands[0]];
  const bool repeats = column.is(ir::leaf_operations::broadcast) && g[column.operands[0]].is_scalar();
  return repeats ? column.operands[0] : n.operands[0];
}

/// The element-wise product that a product with a diagonal matrix is, or no_node where neither operand is
/// one.
FUSECL_INLINE ir::node_id diagonal_product(ir::graph& g, ir::node_id a, ir::node_id b) {
  const bool first = is_diagonal(g, a);
  if (!first && !is_diagonal(g, b)) return ir::no_node;
  const ir::extent rows = g[a].rows, cols = g[b].cols;
  ir::node_id factors = diagonal_of(g, first ? a : b), other = first ? b : a;
  if (!g[factors].is_scalar()) {
    g.unify(g[factors].rows, first ? rows : cols);
    factors = g.broadcast(first ? factors : transposed(g, factors), rows, cols);
  }
  if (g[other].is_scalar()) other = g.broadcast(other, rows, cols);
  return first ? g.apply(op::multiply::record(), factors, other)
               : g.apply(op::multiply::record(), other, factors);
}

}  // namespace detail

FUSECL_INLINE ir::node_id matrix_product(ir::graph& g, ir::node_id a, ir::node_id b) {
  g.unify(g[a].cols, g[b].rows);
  if (const ir::node_id simpler = detail::diagonal_product(g, a, b); simpler != ir::no_node) return simpler;
  const scalar_type type = promoted(g[a].type, g[b].type);
  const ir::node_id operands[] = {read_in_place(g, g.cast(type, a)), read_in_place(g, g.cast(type, b))};
  return g.indexed(op::matrix_product::record(), operands, g[a].rows, g[b].cols);
}

FUSECL_INLINE ir::node_id product(ir::graph& g, ir::node_id a, ir::node_id b) {
  g.unify(g[a].cols, g[b].rows);
  if (const ir::node_id simpler = detail::diagonal_product(g, a, b); simpler != ir::no_node) return simpler;
  const ir::extent rows = g[a].rows, inner = g[a].cols, cols = g[b].cols;
  const auto is_one = [&](ir::extent e) { return g.resolve(e) == ir::one; };
  const auto times = [&](ir::node_id x, ir::node_id y) { return g.apply(op::multiply::record(), x, y); };
  if (is_one(cols))
    return g.reduce(op::sum::record(), ir::axis::row, times(a, g.broadcast(transposed(g, b), rows, inner)));
  if (is_one(rows))
    return g.reduce(op::sum::record(), ir::axis::column,
                    times(g.broadcast(transposed(g, a), inner, cols), b));
  if (is_one(inner)) {
    const ir::node_id column = g.broadcast(a, rows, cols);
    return times(column, g.broadcast(b, rows, cols));
  }
  return matrix_product(g, a, b);
}

}  // namespace fusecl::ops

namespace fusecl::op {
namespace detail {

/// `row` (or column) times a number, repeated to the shape of `n`.
FUSECL_INLINE ir::node_id repeated(ir::graph& g, ir::node_id line, ir::node_id factor, const ir::node& n) {
  return g.broadcast(g.apply(multiply::record(), line, factor), n.rows, n.cols);
}

/// G b' for the first operand and a' G for the second, where G is the adjoint. Of an adjoint with equal
/// elements only sums of the other operand are needed.
FUSECL_INLINE ir::node_id pull_product_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
  const ir::node n = g[self];
  const ir::node_id a = n.operands[0], b = n.operands[1];
  const ir::node own = g[n.operands[k]];
  if (g[adjoint].is_scalar()) {
    const ir::node_id sums =
        k == 0 ? g.reduce(sum::record(), ir::axis::row, b) : g.reduce(sum::record(), ir::axis::column, a);
    return repeated(g, ops::transposed(g, sums), adjoint, own);
  }
  return k == 0 ? ops::matrix_product(g, adjoint, ops::transposed(g, b))
                : ops::matrix_product(g, ops::transposed(g, a), adjoint);
}

FUSECL_INLINE ir::node_id push_product_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  const ir::node n = g[self];
  ir::node_id total = ir::no_node;
  for (int k = 0; k < 2; ++k) {
    if (tangents[k] == ir::no_node) continue;
    const ir::node_id moved = ops::filled(g, tangents[k], g[n.operands[k]]);
    const ir::node_id amount =
        k == 0 ? ops::matrix_product(g, moved, n.operands[1]) : ops::matrix_product(g, n.operands[0], moved);
    total = total == ir::no_node ? amount : g.apply(add::record(), total, amount);
  }
  return total;
}

/// A product of two lower triangles is one, and so of upper ones.
FUSECL_INLINE matrix_cl_view view_of_product(const ir::graph& g, const ir::node& n) {
  return either(g[n.operands[0]].view, g[n.operands[1]].view);
}

}  // namespace detail

FUSECL_INLINE const ir::operation& matrix_product::record() {
  static constexpr ir::operation record{.name = "matrix_product",
                                        .kind = ir::op_class::opaque,
                                        .arity = 2,
                                        .types = ir::type_rule::arithmetic,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_product_back,
                                        .pushforward = detail::push_product_forward,
                                        .view = detail::view_of_product,
                                        .brings = &ir::supports::products};
  return record;
}

}  // namespace fusecl::op
