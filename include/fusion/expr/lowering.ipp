#pragma once
#include <algorithm>

#include <fusion/expr/lowering.hpp>

namespace fusecl {

FUSECL_INLINE ir::node_id lowering::apply(const ir::operation& op, ir::node_id a) {
  return graph_.apply(op, a);
}
FUSECL_INLINE ir::node_id lowering::apply(const ir::operation& op, const ir::node_id* operands,
                                          std::uint32_t matrices) {
  const auto is_matrix = [&](int k) { return (matrices >> k & 1u) != 0; };
  bool single = false;
  for (int k = 0; k < op.arity; ++k) single = single || (is_matrix(k) && graph_[operands[k]].is_scalar());
  for (int k = 0; single && k < op.arity; ++k) {
    if (!is_matrix(k)) continue;
    graph_.unify(ir::one, graph_[operands[k]].rows);
    graph_.unify(ir::one, graph_[operands[k]].cols);
  }
  return graph_.apply(op, operands);
}

FUSECL_INLINE const matrix_operand& lowering::next_matrix(std::size_t& slot) {
  slot = next_word() >> operand_slot_bit;
  const matrix_operand& operand = bound_.matrices()[slot];
  if (slot == slots_) {  // first use: its symbols were the next to be given out
    ++slots_;
    stated_ = operand.first_extent + 2;
  }
  return operand;
}

FUSECL_INLINE ir::node_id lowering::matrix() {
  std::size_t slot = 0;
  const matrix_operand& operand = next_matrix(slot);
  return graph_.matrix(operand.type, static_cast<std::int64_t>(slot), operand.first_extent,
                       operand.first_extent + 1, operand.view);
}

FUSECL_INLINE ir::node_id lowering::number_of_device() {
  std::size_t slot = 0;
  const matrix_operand& operand = next_matrix(slot);
  return graph_.matrix(operand.type, static_cast<std::int64_t>(slot), ir::one, ir::one, operand.view);
}

FUSECL_INLINE ir::node_id lowering::scalar(scalar_type type) {
  const scalar_word word = scalar_word::of(next_word());
  const bool variable = word.use == scalar_use::parameter || word.use == scalar_use::on_tape;
  const bool numbered = variable || word.use == scalar_use::repeated;
  const std::int64_t number = numbered ? word.number : scalars_;
  if (number == scalars_) ++scalars_;
  const scalar_operand& operand = bound_.scalars()[static_cast<std::size_t>(number)];
  if (is_formula_ && !variable) return graph_.constant(constants_, number_in(operand));
  if (operand.folded && folds_) return graph_.constant(type, number_in(operand));
  return graph_.scalar(type, number);
}

FUSECL_INLINE ir::extent lowering::extents() {
  next_word();
  const ir::extent first = stated_;
  stated_ += 2;
  return first;
}

}  // namespace fusecl
