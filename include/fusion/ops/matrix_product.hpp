#pragma once
// The product of two matrices, which a kernel of its own computes from operands in memory.

#include <fusion/base/config.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::op {

/// Element (i, j) is the sum over k of a(i, k) b(k, j).
struct matrix_product {
  static const ir::operation& record();
};

}  // namespace fusecl::op

namespace fusecl::ops {

/// What the accesses of `id` read from, through maps of places only.
ir::node_id mapped(const ir::graph& g, ir::node_id id);
/// Whether the elements of a value are in memory when its user begins: those of a matrix, of what an earlier
/// step completes, and transposes, blocks and the like of these.
bool is_in_memory(const ir::graph& g, ir::node_id id);
/// The value as an opaque step reads it: as it is where its elements are in memory, else stored before.
ir::node_id read_in_place(ir::graph& g, ir::node_id id);
/// Whether `b` is the transpose of `a`, as the graph knows: one is read of the other, or both of the same
/// value.
bool is_transpose_of(const ir::graph& g, ir::node_id a, ir::node_id b);
/// The product of `a` (n x k) and `b` (k x m), of which neither is a vector, in their common type. With a
/// diagonal matrix it is an element-wise product.
ir::node_id matrix_product(ir::graph& g, ir::node_id a, ir::node_id b);
/// The product of `a` and `b`, which may be vectors that the graph knows as such: with a vector it is row or
/// column sums, of a column and a row an element-wise product.
ir::node_id product(ir::graph& g, ir::node_id a, ir::node_id b);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/matrix_product.ipp>
#endif
