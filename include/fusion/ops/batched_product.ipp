#pragma once
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/batched_product.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/structure.hpp>

namespace fusecl::ops {

FUSECL_INLINE batch_sizes sizes_of_batch(transposed_operands turned, std::int64_t a_rows, std::int64_t a_cols,
                                         std::int64_t b_rows, std::int64_t rows, std::int64_t cols) {
  const auto in = [](std::int64_t size, std::int64_t all) { return size == 0 ? 0 : all / size; };
  if (!turned.first && !turned.second) {
    // products without terms are zeros, whatever their number
    const std::int64_t count = b_rows == 0 ? 1 : a_cols / b_rows;
    return {rows, b_rows, in(count, cols), count};
  }
  const std::int64_t count = turned.first ? in(rows, a_cols) : in(b_rows, cols);
  return {rows, turned.first ? a_rows : in(count, a_cols), turned.second ? b_rows : in(count, cols), count};
}

FUSECL_INLINE ir::node_id read_in_batches(ir::graph& g, scalar_type type, ir::node_id id) {
  id = g.cast(type, id);
  const bool listed = g[id].op->kind == ir::op_class::access && !ir::maps_places(g[id]);
  return listed ? read_in_place(g, id) : id;
}

FUSECL_INLINE ir::node_id batched_product(ir::graph& g, transposed_operands turned, ir::node_id a,
                                          ir::node_id b, ir::extent rows, ir::extent cols) {
  if (g.resolve(rows) == ir::one && g.resolve(cols) == ir::one) {  // of one pair, by a row and a column
    g.unify(turned.first ? g[a].cols : g[a].rows, ir::one);
    g.unify(turned.second ? g[b].rows : g[b].cols, ir::one);
    return product(g, turned.first ? transposed(g, a) : a, turned.second ? transposed(g, b) : b);
  }
  const scalar_type type = promoted(g[a].type, g[b].type);
  const ir::node_id operands[] = {read_in_batches(g, type, a), read_in_batches(g, type, b)};
  return g.indexed(op::batched_product::record(), operands, rows, cols, turned.index());
}

}  // namespace fusecl::ops

namespace fusecl::op {
namespace detail {

/// Of C = A B: G B' and A' G, where G is the adjoint; what is transposed in the product has a transposed
/// derivative.
FUSECL_INLINE ir::node_id pull_batched_product_back(ir::graph& g, ir::node_id self, ir::node_id adjoint,
                                                    int k) {
  const ir::node n = g[self], own = g[n.operands[k]];
  const auto [first, second] = ops::transposed_operands::of(n);
  const ir::node_id moved = ops::filled(g, adjoint, n), a = n.operands[0], b = n.operands[1];
  if (k == 0)
    return first ? ops::batched_product(g, {second, true}, b, moved, own.rows, own.cols)
                 : ops::batched_product(g, {false, !second}, moved, b, own.rows, own.cols);
  return second ? ops::batched_product(g, {true, first}, moved, a, own.rows, own.cols)
                : ops::batched_product(g, {!first, false}, a, moved, own.rows, own.cols);
}

FUSECL_INLINE ir::node_id push_batched_product_forward(ir::graph& g, ir::node_id self,
                                                       const ir::node_id* tangents) {
  const ir::node n = g[self];
  ir::node_id total = ir::no_node;
  for (int k = 0; k < 2; ++k) {
    if (tangents[k] == ir::no_node) continue;
    ir::node_id operands[] = {n.operands[0], n.operands[1]};
    operands[k] = ops::filled(g, tangents[k], g[n.operands[k]]);
    const ir::node_id amount =
        ops::batched_product(g, ops::transposed_operands::of(n), operands[0], operands[1], n.rows, n.cols);
    total = total == ir::no_node ? amount : g.apply(add::record(), total, amount);
  }
  return total;
}

}  // namespace detail

FUSECL_INLINE const ir::operation& batched_product::record() {
  static constexpr ir::operation record{.name = "batched_product",
                                        .kind = ir::op_class::opaque,
                                        .arity = 2,
                                        .types = ir::type_rule::arithmetic,
                                        .opencl = "",
                                        .precedence = 16,
                                        .pullback = detail::pull_batched_product_back,
                                        .pushforward = detail::push_batched_product_forward,
                                        .brings = &ir::supports::batched_products};
  return record;
}

}  // namespace fusecl::op
