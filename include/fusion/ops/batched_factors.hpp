#pragma once
// Cholesky factors, inverses and systems of many small matrices, which stand side by side in one batch.

#include <fusion/base/config.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::op {

/// Of each matrix the lower triangular L with L L' = A, of which only the lower triangle is read.
struct batched_cholesky {
  static const ir::operation& record();
};
/// Of each matrix X of L X = B, or of L' X = B, where of L only the lower triangle is read.
struct batched_solve {
  static const ir::operation& record();
};
/// Of each matrix the inverse of its lower triangle.
struct batched_inverse {
  static const ir::operation& record();
};

}  // namespace fusecl::op

namespace fusecl::ops {

/// Rows of a matrix of a batch that has factors, at most.
inline constexpr std::int64_t most_batched_rows = 128;

/// Whether a batched system is that of the transposed triangles.
inline bool solves_transposed(const ir::node& n) { return n.index != 0; }

/// For a reader of formulas: "transpose_each" of the triangles of such a one.
inline const char* transposed_in_system(const ir::node& n, int k) {
  return n.is(op::batched_solve::record()) && solves_transposed(n) && k == 0 ? "transpose_each" : nullptr;
}

// Matrices are square, and of as many rows as the batch: that says how many there are.
ir::node_id batched_cholesky(ir::graph& g, ir::node_id a);
ir::node_id batched_solve(ir::graph& g, bool transposed, ir::node_id a, ir::node_id b);
ir::node_id batched_inverse(ir::graph& g, ir::node_id a);

/// Row and column of each element in its matrix of a batch of the shape of `n`, row_index and this one.
ir::node_id col_in_matrix(ir::graph& g, const ir::node& n);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/batched_factors.ipp>
#endif
