#pragma once
// The structural operation: a matrix of elements from other places of its operand, as an access map says.

#include <fusion/base/config.hpp>
#include <fusion/ir/graph.hpp>

namespace fusecl::op {

/// Transposes, blocks, diagonals and the like.
struct access {
  static const ir::operation& record();
};

}  // namespace fusecl::op

namespace fusecl::ops {

/// The transpose of the value `id`.
ir::node_id transposed(ir::graph& g, ir::node_id id);
/// Element `number` of a column, counted from 0, where it is known to the kernel.
ir::node_id element_of(ir::graph& g, ir::node_id column, std::int32_t number);
/// The map of what the operand `from` gets back from the access `n`: zeros where nothing came from. Throws
/// std::invalid_argument where an element of the operand was read more than once.
ir::access_map inverse(const ir::graph& g, const ir::node& n, const ir::node& from);

}  // namespace fusecl::ops

#ifndef FUSECL_SPLIT
#include <fusion/ops/structure.ipp>
#endif
