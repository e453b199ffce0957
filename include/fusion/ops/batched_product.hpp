#pragma once
// Products of many small matrices, which stand side by side in one: a batch of r x c matrices is r x (c n),
// and the columns of each follow those of the one before.

#include <fusion/base/config.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::op {

/// Matrix b of the result is the product of the matrices b of both operands, each of which may be transposed
/// before. Its batches have as many matrices as the sizes of operands and result say.
struct batched_product {
  static const ir::operation& record();
};

}  // namespace fusecl::op

namespace fusecl::ops {

/// Which matrices of a batched product are transposed before they are multiplied.
struct transposed_operands {
  bool first = false, second = false;

  std::int64_t index() const { return (first ? 1 : 0) + (second ? 2 : 0); }
  static transposed_operands of(const ir::node& n) { return {(n.index & 1) != 0, (n.index & 2) != 0}; }
};

/// For a reader of formulas: "transpose_each" of an operand that is.
inline const char* transposed_in_product(const ir::node& n, int k) {
  const transposed_operands turned = transposed_operands::of(n);
  return (k == 0 ? turned.first : turned.second) ? "transpose_each" : nullptr;
}

/// Sizes of a batched product: the matrices of the result are rows x cols, and each element is the sum of
/// `inner` terms.
struct batch_sizes {
  std::int64_t rows, inner, cols, count;

  /// Columns of a matrix of operand `k` as it is stored.
  std::int64_t cols_of_operand(int k, transposed_operands turned) const {
    return k == 0 ? (turned.first ? rows : inner) : (turned.second ? inner : cols);
  }
};

/// From those of the batches: rows of the second operand, and sizes of the first one and of the result.
batch_sizes sizes_of_batch(transposed_operands turned, std::int64_t a_rows, std::int64_t a_cols,
                           std::int64_t b_rows, std::int64_t rows, std::int64_t cols);

/// The batched product of this size.
ir::node_id batched_product(ir::graph& g, transposed_operands turned, ir::node_id a, ir::node_id b,
                            ir::extent rows, ir::extent cols);
/// `id` as an operation on batches reads it, in `type`: what is computed element by element is computed as it
/// is read, as each element is read once or a few times; what gathers elements by indices is stored before.
ir::node_id read_in_batches(ir::graph& g, scalar_type type, ir::node_id id);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/batched_product.ipp>
#endif
