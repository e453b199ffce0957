#pragma once
// Factors, inverses and systems of square matrices, which kernels of their own compute tile by tile from
// operands in memory.

#include <fusion/base/config.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::op {

/// The lower triangular L with positive diagonal and L L' = A, of which only the lower triangle is read.
struct cholesky {
  static const ir::operation& record();
};
/// X of A X = B, where of A only the lower, or only the upper, triangle is read.
struct triangular_solve {
  static const ir::operation& record();
};
/// The inverse of the lower, or the upper, triangle of A.
struct triangular_inverse {
  static const ir::operation& record();
};
/// inverse(L') of the Cholesky factor L of A, upper triangular. Only plans have it (`passes::join_factors`).
struct inverse_factor {
  static const ir::operation& record();
};

}  // namespace fusecl::op

namespace fusecl::ops {

/// Which triangle of its first operand an operation reads.
enum class triangle : std::uint8_t { lower, upper };
/// Whether a node reads an upper triangle.
inline bool is_upper(const ir::node& n) { return n.index == static_cast<std::int64_t>(triangle::upper); }

/// For a reader of formulas: "upper" of the operand of which that triangle is read.
inline const char* triangle_read(const ir::node& n, int k) {
  const bool has_triangle = n.is(op::triangular_solve::record()) || n.is(op::triangular_inverse::record());
  return has_triangle && is_upper(n) && k == 0 ? "upper" : nullptr;
}

/// Who factors, whose function and operand are named where a pivot is not positive. Functions whose factors
/// others of the same statement may share have the name of the first.
enum class factored : std::uint8_t { cholesky_decompose, multi_normal, multi_normal_prec };
inline const char* name_of(factored by) {
  static constexpr const char* names[] = {"cholesky_decompose: A", "multi_normal_lpdf: Covariance parameter",
                                          "multi_normal_prec_lpdf: Precision parameter"};
  return names[static_cast<std::size_t>(by)];
}
/// That of the node of a factor.
inline factored factored_by(const ir::node& n) { return static_cast<factored>(n.index); }

/// These state that `a` is square, and that the rows of `b` are as many. `a` has more than one row, but in
/// the first.
ir::node_id cholesky(ir::graph& g, ir::node_id a, factored by = factored::cholesky_decompose);
ir::node_id triangular_solve(ir::graph& g, triangle part, ir::node_id a, ir::node_id b);
ir::node_id triangular_inverse(ir::graph& g, triangle part, ir::node_id a);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/factorizations.ipp>
#endif
