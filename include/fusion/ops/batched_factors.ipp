#pragma once
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/batched_factors.hpp>
#include <fusion/ops/batched_product.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/factorizations.hpp>
#include <fusion/ops/structure.hpp>

namespace fusecl::ops {

FUSECL_INLINE ir::node_id batched_cholesky(ir::graph& g, ir::node_id a) {
  const ir::node n = g[a];
  if (g.is_single(n)) return cholesky(g, a);
  const ir::node_id operand = read_in_batches(g, floating(n.type), a);
  return g.indexed(op::batched_cholesky::record(), &operand, n.rows, n.cols);
}

FUSECL_INLINE ir::node_id batched_solve(ir::graph& g, bool transposed, ir::node_id a, ir::node_id b) {
  g.unify(g[a].rows, g[b].rows);
  const ir::node n = g[b];
  const scalar_type type = floating(promoted(g[a].type, n.type));
  if (g.is_single(n)) return g.apply(op::divide::record(), g.cast(type, b), g.cast(type, a));
  const ir::node_id operands[] = {read_in_batches(g, type, a), read_in_batches(g, type, b)};
  return g.indexed(op::batched_solve::record(), operands, n.rows, n.cols, transposed ? 1 : 0);
}

FUSECL_INLINE ir::node_id batched_inverse(ir::graph& g, ir::node_id a) {
  const ir::node n = g[a];
  const scalar_type type = floating(n.type);
  if (g.is_single(n)) return g.apply(op::divide::record(), g.constant(type, 1), g.cast(type, a));
  const ir::node_id operand = read_in_batches(g, type, a);
  return g.indexed(op::batched_inverse::record(), &operand, n.rows, n.cols);
}

FUSECL_INLINE ir::node_id col_in_matrix(ir::graph& g, const ir::node& n) {
  return g.apply(op::modulo::record(), g.col_index(n.rows, n.cols), g.size_of(scalar_type::int32, n.rows));
}

}  // namespace fusecl::ops

namespace fusecl::op {
namespace detail {

/// `value`, which has the shape of `n`, with zeros above the diagonal of each matrix.
FUSECL_INLINE ir::node_id lower_of_each(ir::graph& g, ir::node_id value, const ir::node& n) {
  const ir::node_id below =
      g.apply(greater_or_equal::record(), g.row_index(n.rows, n.cols), ops::col_in_matrix(g, n));
  return ops::choose(g, below, value, g.constant(g[value].type, 0));
}

/// The same with half of the diagonals.
FUSECL_INLINE ir::node_id lower_with_half_diagonals(ir::graph& g, ir::node_id value, const ir::node& n) {
  const ir::node_id on_diagonal =
      g.apply(equal::record(), g.row_index(n.rows, n.cols), ops::col_in_matrix(g, n));
  const ir::node_id half = g.apply(multiply::record(), value, g.constant(n.type, 0.5));
  return lower_of_each(g, ops::choose(g, on_diagonal, half, value), n);
}

/// The product of two batches of square matrices of the shape of `n`.
FUSECL_INLINE ir::node_id square_product(ir::graph& g, ops::transposed_operands turned, ir::node_id a,
                                         ir::node_id b, const ir::node& n) {
  return ops::batched_product(g, turned, a, b, n.rows, n.cols);
}

/// As that of one factor (Murray 2016, eq. 9), with V the inverse of L and P the lower triangle of L' G with
/// half of its diagonal: the lower triangle of V' P V and its transpose, with half of the diagonal. With
/// U = P V these are V' U and U' V.
FUSECL_INLINE ir::node_id pull_batched_cholesky_back(ir::graph& g, ir::node_id self, ir::node_id adjoint,
                                                     int) {
  const ir::node n = g[self];
  const ir::node_id wanted = lower_of_each(g, ops::filled(g, adjoint, n), n),
                    p = lower_with_half_diagonals(g, square_product(g, {true, false}, self, wanted, n), n),
                    v = ops::batched_inverse(g, self), u = square_product(g, {}, p, v, n),
                    both = g.apply(add::record(), square_product(g, {true, false}, v, u, n),
                                   square_product(g, {true, false}, u, v, n));
  return lower_with_half_diagonals(g, both, n);
}

/// L Phi(V dA V'), where Phi takes the lower triangle with half of its diagonal. With M that of dA and
/// U = V M, V dA V' is U V' + V U'.
FUSECL_INLINE ir::node_id push_batched_cholesky_forward(ir::graph& g, ir::node_id self,
                                                        const ir::node_id* tangents) {
  const ir::node n = g[self];
  if (tangents[0] == ir::no_node) return ir::no_node;
  const ir::node_id moved = lower_with_half_diagonals(g, ops::filled(g, tangents[0], n), n),
                    v = ops::batched_inverse(g, self), u = square_product(g, {}, v, moved, n),
                    both = g.apply(add::record(), square_product(g, {false, true}, u, v, n),
                                   square_product(g, {false, true}, v, u, n));
  return square_product(g, {}, self, lower_with_half_diagonals(g, both, n), n);
}

/// Of B, the adjoint of X by the transposed system, S; of L, the lower triangle of -S X', or for transposed
/// systems of -X S'.
FUSECL_INLINE ir::node_id pull_batched_solve_back(ir::graph& g, ir::node_id self, ir::node_id adjoint,
                                                  int k) {
  const ir::node n = g[self], of_a = g[n.operands[0]];
  const bool transposed = ops::solves_transposed(n);
  const ir::node_id sides = ops::batched_solve(g, !transposed, n.operands[0], ops::filled(g, adjoint, n));
  if (k == 1) return sides;
  const ir::node_id all =
      square_product(g, {false, true}, transposed ? self : sides, transposed ? sides : self, of_a);
  return lower_of_each(g, ops::negated(g, all), of_a);
}

/// inverse(L) (dB - dL X), or with both transposed.
FUSECL_INLINE ir::node_id push_batched_solve_forward(ir::graph& g, ir::node_id self,
                                                     const ir::node_id* tangents) {
  const ir::node n = g[self], of_a = g[n.operands[0]];
  const bool transposed = ops::solves_transposed(n);
  ir::node_id moved = tangents[1] == ir::no_node ? ir::no_node : ops::filled(g, tangents[1], n);
  if (tangents[0] != ir::no_node) {
    const ir::node_id part = lower_of_each(g, ops::filled(g, tangents[0], of_a), of_a),
                      less = ops::batched_product(g, {transposed, false}, part, self, n.rows, n.cols);
    moved = moved == ir::no_node ? ops::negated(g, less) : g.apply(subtract::record(), moved, less);
  }
  return moved == ir::no_node ? moved : ops::batched_solve(g, transposed, n.operands[0], moved);
}

/// The lower triangle of -X' G X'.
FUSECL_INLINE ir::node_id pull_batched_inverse_back(ir::graph& g, ir::node_id self, ir::node_id adjoint,
                                                    int) {
  const ir::node n = g[self];
  const ir::node_id wanted = lower_of_each(g, ops::filled(g, adjoint, n), n),
                    left = square_product(g, {true, false}, self, wanted, n);
  return lower_of_each(g, ops::negated(g, square_product(g, {false, true}, left, self, n)), n);
}

/// -X dL X.
FUSECL_INLINE ir::node_id push_batched_inverse_forward(ir::graph& g, ir::node_id self,
                                                       const ir::node_id* tangents) {
  const ir::node n = g[self];
  if (tangents[0] == ir::no_node) return ir::no_node;
  const ir::node_id moved = lower_of_each(g, ops::filled(g, tangents[0], n), n),
                    left = square_product(g, {}, self, moved, n);
  return ops::negated(g, square_product(g, {}, left, self, n));
}

}  // namespace detail

FUSECL_INLINE const ir::operation& batched_cholesky::record() {
  static constexpr ir::operation record{.name = "batched_cholesky",
                                        .kind = ir::op_class::opaque,
                                        .arity = 1,
                                        .types = ir::type_rule::floating,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_batched_cholesky_back,
                                        .pushforward = detail::push_batched_cholesky_forward,
                                        .brings = &ir::supports::batched_factors};
  return record;
}

FUSECL_INLINE const ir::operation& batched_solve::record() {
  static constexpr ir::operation record{.name = "batched_solve",
                                        .kind = ir::op_class::opaque,
                                        .arity = 2,
                                        .types = ir::type_rule::floating,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_batched_solve_back,
                                        .pushforward = detail::push_batched_solve_forward,
                                        .brings = &ir::supports::batched_factors};
  return record;
}

FUSECL_INLINE const ir::operation& batched_inverse::record() {
  static constexpr ir::operation record{.name = "batched_inverse",
                                        .kind = ir::op_class::opaque,
                                        .arity = 1,
                                        .types = ir::type_rule::floating,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_batched_inverse_back,
                                        .pushforward = detail::push_batched_inverse_forward,
                                        .brings = &ir::supports::batched_factors};
  return record;
}

}  // namespace fusecl::op
