#pragma once
#include <algorithm>

#include <fusion/expr/lowering.hpp>

namespace fusecl {

FUSECL_INLINE ir::node_id lowering::matrix() {
  const std::uint32_t word = next_word();
  const std::size_t slot = word >> 4;
  const matrix_operand& operand = bound_.matrices()[slot];
  if (slot == slots_) {  // first use: its symbols were the next to be given out
    ++slots_;
    stated_ = operand.first_extent + 2;
  }
  return graph_.matrix(operand.type, static_cast<std::int64_t>(slot), operand.first_extent,
                       operand.first_extent + 1, operand.view);
}

FUSECL_INLINE ir::node_id lowering::scalar(scalar_type type) {
  const std::uint32_t word = next_word();
  if (word >= first_scalar_variable) {
    const std::int64_t number = word - first_scalar_variable;
    if (number == scalars_) ++scalars_;
    return graph_.scalar(type, number);
  }
  if (is_formula_)
    return graph_.constant(constants_,
                           word != ordinary_scalar
                               ? special_scalars[word]
                               : number_in(bound_.scalars()[static_cast<std::size_t>(scalars_++)]));
  if (word != ordinary_scalar) return graph_.constant(type, special_scalars[word]);
  return graph_.scalar(type, scalars_++);
}

FUSECL_INLINE ir::extent lowering::extents() {
  next_word();
  const ir::extent first = stated_;
  stated_ += 2;
  return first;
}

}  // namespace fusecl
