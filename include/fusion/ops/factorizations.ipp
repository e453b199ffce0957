#pragma once
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/factorizations.hpp>
#include <fusion/ops/gather.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/structure.hpp>

namespace fusecl::ops {

FUSECL_INLINE ir::node_id cholesky(ir::graph& g, ir::node_id a, factored by) {
  g.unify(g[a].rows, g[a].cols);
  const ir::node n = g[a];
  // what is computed for it only is computed where it is read
  if (!is_in_memory(g, a)) a = within_view(g, matrix_cl_view::Lower, a, n);
  const ir::node_id operand = read_in_place(g, g.cast(floating(n.type), a));
  return g.indexed(op::cholesky::record(), &operand, n.rows, n.rows, static_cast<std::int64_t>(by));
}

FUSECL_INLINE ir::node_id triangular_solve(ir::graph& g, triangle part, ir::node_id a, ir::node_id b) {
  g.unify(g[a].rows, g[a].cols);
  g.unify(g[a].cols, g[b].rows);
  const scalar_type type = floating(promoted(g[a].type, g[b].type));
  const ir::node_id operands[] = {read_in_place(g, g.cast(type, a)), read_in_place(g, g.cast(type, b))};
  return g.indexed(op::triangular_solve::record(), operands, g[a].rows, g[b].cols,
                   static_cast<std::int64_t>(part));
}

FUSECL_INLINE ir::node_id triangular_inverse(ir::graph& g, triangle part, ir::node_id a) {
  g.unify(g[a].rows, g[a].cols);
  const ir::node_id operand = read_in_place(g, g.cast(floating(g[a].type), a));
  return g.indexed(op::triangular_inverse::record(), &operand, g[a].rows, g[a].rows,
                   static_cast<std::int64_t>(part));
}

}  // namespace fusecl::ops

namespace fusecl::op {
namespace detail {

FUSECL_INLINE matrix_cl_view view_of_triangle(const ir::node& n) {
  return ops::is_upper(n) ? matrix_cl_view::Upper : matrix_cl_view::Lower;
}

FUSECL_INLINE ops::triangle other_triangle(const ir::node& n) {
  return ops::is_upper(n) ? ops::triangle::lower : ops::triangle::upper;
}

/// The symmetric matrix with the lower triangle of `a`, which has the shape of `n`. Nobody looks at what `a`
/// is above the diagonal, so a product need not have it.
FUSECL_INLINE ir::node_id symmetric(ir::graph& g, ir::node_id a, const ir::node& n) {
  const ir::node_id below =
      g.apply(greater_or_equal::record(), g.row_index(n.rows, n.cols), g.col_index(n.rows, n.cols));
  const ir::node_id lower = ops::within_view(g, matrix_cl_view::Lower, a, n);
  return ops::choose(g, below, lower, ops::transposed(g, lower));
}

/// The lower triangle of `a`, with half of its diagonal.
FUSECL_INLINE ir::node_id lower_with_half_diagonal(ir::graph& g, ir::node_id a, const ir::node& n) {
  const ir::node_id diagonal =
      g.apply(equal::record(), g.row_index(n.rows, n.cols), g.col_index(n.rows, n.cols));
  const ir::node_id half = g.apply(multiply::record(), a, g.constant(n.type, 0.5));
  return ops::within_view(g, matrix_cl_view::Lower, ops::choose(g, diagonal, half, a), n);
}

FUSECL_INLINE matrix_cl_view view_of_cholesky(const ir::graph&, const ir::node&) {
  return matrix_cl_view::Lower;
}

/// With S = inverse(L') (P + P') inverse(L) / 2, where P is the lower triangle of L' G with half of its
/// diagonal, the adjoint of a lower triangle is that of 2 S with half of its diagonal (Murray 2016, eq. 9).
/// By the inverse of L, as products with triangles skip their zeros. Of each product the lower triangle is
/// enough: P + P' has it twice, and rows of inverse(L') read of (P + P') inverse(L) what is not above them.
FUSECL_INLINE ir::node_id pull_cholesky_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int) {
  const ir::node n = g[self];
  if (g.is_single(n))
    return g.apply(multiply::record(), adjoint, g.apply(divide::record(), g.constant(n.type, 0.5), self));
  const ir::node_id turned = ops::transposed(g, self);
  const ir::node_id wanted = ops::within_view(g, matrix_cl_view::Lower, ops::filled(g, adjoint, n), n);
  const auto lower = [&](ir::node_id a) {
    return g.apply(stored::record(), ops::within_view(g, matrix_cl_view::Lower, a, n));
  };
  const ir::node_id both = symmetric(g, lower(ops::product(g, turned, wanted)), n);
  const ir::node_id inverse = ops::triangular_inverse(g, ops::triangle::lower, self),
                    right = lower(ops::product(g, both, inverse)),
                    twice = ops::product(g, ops::transposed(g, inverse), right);
  return lower_with_half_diagonal(g, twice, n);
}

/// L Phi(inverse(L) dA inverse(L')), where Phi takes the lower triangle with half of its diagonal.
FUSECL_INLINE ir::node_id push_cholesky_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  const ir::node n = g[self];
  if (tangents[0] == ir::no_node) return ir::no_node;
  if (g.is_single(n))
    return g.apply(multiply::record(), tangents[0], g.apply(divide::record(), g.constant(n.type, 0.5), self));
  const ir::node_id moved = symmetric(g, ops::filled(g, tangents[0], n), n);
  const ir::node_id left = ops::triangular_solve(g, ops::triangle::lower, self, moved);
  const ir::node_id both = ops::triangular_solve(g, ops::triangle::lower, self, ops::transposed(g, left));
  return ops::product(g, self, lower_with_half_diagonal(g, both, n));
}

/// Of B, inverse(A') G; of the triangle of A that is read, the same times -X'.
FUSECL_INLINE ir::node_id pull_solve_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
  const ir::node n = g[self], of_a = g[n.operands[0]];
  const ir::node_id sides = ops::triangular_solve(g, other_triangle(n), ops::transposed(g, n.operands[0]),
                                                  ops::filled(g, adjoint, n));
  if (k == 1) return sides;
  const ir::node_id all = ops::negated(g, ops::product(g, sides, ops::transposed(g, self)));
  return ops::within_view(g, view_of_triangle(n), all, of_a);
}

/// inverse(A) (dB - dA X).
FUSECL_INLINE ir::node_id push_solve_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  const ir::node n = g[self], of_a = g[n.operands[0]];
  ir::node_id moved = tangents[1] == ir::no_node ? ir::no_node : ops::filled(g, tangents[1], n);
  if (tangents[0] != ir::no_node) {
    const ir::node_id part =
        ops::within_view(g, view_of_triangle(n), ops::filled(g, tangents[0], of_a), of_a);
    const ir::node_id less = ops::product(g, part, self);
    moved = moved == ir::no_node ? ops::negated(g, less) : g.apply(subtract::record(), moved, less);
  }
  if (moved == ir::no_node) return moved;
  const auto part = ops::is_upper(n) ? ops::triangle::upper : ops::triangle::lower;
  return ops::triangular_solve(g, part, n.operands[0], moved);
}

FUSECL_INLINE matrix_cl_view view_of_inverse_factor(const ir::graph&, const ir::node&) {
  return matrix_cl_view::Upper;
}

FUSECL_INLINE matrix_cl_view view_of_inverse(const ir::graph&, const ir::node& n) {
  return view_of_triangle(n);
}

/// -X' G X' in the triangle that is read.
FUSECL_INLINE ir::node_id pull_inverse_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int) {
  const ir::node n = g[self];
  const ir::node_id turned = ops::transposed(g, self),
                    wanted = ops::within_view(g, n.view, ops::filled(g, adjoint, n), n),
                    all = ops::product(g, ops::product(g, turned, wanted), turned);
  return ops::within_view(g, n.view, ops::negated(g, all), n);
}

/// -X dA X.
FUSECL_INLINE ir::node_id push_inverse_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  const ir::node n = g[self];
  if (tangents[0] == ir::no_node) return ir::no_node;
  const ir::node_id moved = ops::within_view(g, n.view, ops::filled(g, tangents[0], n), n);
  return ops::negated(g, ops::product(g, ops::product(g, self, moved), self));
}

}  // namespace detail

FUSECL_INLINE const ir::operation& cholesky::record() {
  static constexpr ir::operation record{.name = "cholesky",
                                        .kind = ir::op_class::opaque,
                                        .arity = 1,
                                        .types = ir::type_rule::floating,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_cholesky_back,
                                        .pushforward = detail::push_cholesky_forward,
                                        .view = detail::view_of_cholesky,
                                        .brings = &ir::supports::factorizations};
  return record;
}

FUSECL_INLINE const ir::operation& triangular_solve::record() {
  static constexpr ir::operation record{.name = "triangular_solve",
                                        .kind = ir::op_class::opaque,
                                        .arity = 2,
                                        .types = ir::type_rule::floating,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_solve_back,
                                        .pushforward = detail::push_solve_forward,
                                        .brings = &ir::supports::factorizations};
  return record;
}

FUSECL_INLINE const ir::operation& triangular_inverse::record() {
  static constexpr ir::operation record{.name = "triangular_inverse",
                                        .kind = ir::op_class::opaque,
                                        .arity = 1,
                                        .types = ir::type_rule::floating,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_inverse_back,
                                        .pushforward = detail::push_inverse_forward,
                                        .view = detail::view_of_inverse,
                                        .brings = &ir::supports::factorizations};
  return record;
}

FUSECL_INLINE const ir::operation& inverse_factor::record() {
  static constexpr ir::operation record{.name = "inverse_factor",
                                        .kind = ir::op_class::opaque,
                                        .arity = 1,
                                        .types = ir::type_rule::floating,
                                        .opencl = "",
                                        .precedence = 16,
                                        .view = detail::view_of_inverse_factor,
                                        .brings = &ir::supports::factorizations};
  return record;
}

}  // namespace fusecl::op
