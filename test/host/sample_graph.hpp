#pragma once
// A graph that tests build by hand, with square operands of 3 x 3 values.

#include <fusion/ir/interpret.hpp>
#include <fusion/ops/registry.hpp>

namespace fusecl::test {

struct sample_graph : ir::graph {
  static constexpr std::int64_t size = 3;

  /// Operand `slot` with extents of its own.
  ir::node_id x(std::int64_t slot, scalar_type type = scalar_type::float64,
                matrix_cl_view view = matrix_cl_view::Entire) {
    return matrix(type, slot, static_cast<ir::extent>(2 * slot), static_cast<ir::extent>(2 * slot + 1), view);
  }
  ir::node_id number(double value, scalar_type type = scalar_type::float64) { return constant(type, value); }

  template <class Op>
  ir::node_id make(ir::node_id a) {
    return apply(Op::record(), a);
  }
  template <class Op>
  ir::node_id make(ir::node_id a, ir::node_id b) {
    return apply(Op::record(), a, b);
  }
  template <class Op>
  ir::node_id make(ir::node_id a, ir::node_id b, ir::node_id c) {
    const ir::node_id operands[] = {a, b, c};
    return apply(Op::record(), operands);
  }
};

/// Operands that hold these values, column by column.
inline ir::host_bindings square_bindings(list_of<list_of<long double>> values) {
  ir::host_bindings bindings;
  for (auto& m : values) {
    bindings.matrices.push_back({sample_graph::size, sample_graph::size, std::move(m)});
    bindings.extents.resize(bindings.extents.size() + 2, sample_graph::size);
  }
  return bindings;
}

}  // namespace fusecl::test
