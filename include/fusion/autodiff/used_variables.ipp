#pragma once
// The variables of a tape that a statement uses. Read by the bodies of records only.

#include <algorithm>

#include <fusion/autodiff/record.hpp>
#include <fusion/base/list_of.hpp>

namespace fusecl::detail {

/// The variables a statement uses, as the differentiation pass and as the tape name them.
class used_variables {
 public:
  explicit used_variables(const binder& bound) : bound_(bound) {
    const auto& operands = bound.matrices();
    for (std::size_t slot = 0; slot < operands.size(); ++slot)
      if (operands[slot].variable && slot == first_slot_of(operands[slot].variable)) add_matrix(slot);
    for (std::size_t k = 0; k < bound.scalars().size(); ++k)
      if (bound.scalars()[k].on_tape) {
        list.push_back({false, static_cast<std::int64_t>(k)});
        scalars.push_back(own(static_cast<scalar_entry*>(bound.scalars()[k].identity)));
      }
  }

  list_of<passes::variable> list;  ///< every use; matrices first
  list_of<used_matrix> matrices;   ///< whole ones once, and each block that stands for one
  list_of<scalar_entry*> scalars;

 private:
  template <class Entry>
  static Entry* own(Entry* entry) {
    check_owner(entry);
    return entry;
  }

  std::size_t first_slot_of(const void* variable) const {
    std::size_t slot = 0;
    while (bound_.matrices()[slot].variable != variable) ++slot;
    return slot;
  }

  void add_matrix(std::size_t slot) {
    const auto& operands = bound_.matrices();
    auto* entry = own(static_cast<matrix_entry_base*>(operands[slot].variable));
    if (add_blocks(entry, slot)) return;
    const matrix_base& value = entry->value_base();
    matrices.push_back({entry, value.rows(), value.cols()});
    for (std::size_t use = slot; use < operands.size(); ++use)
      if (operands[use].variable == operands[slot].variable)
        list.push_back({true, static_cast<std::int64_t>(use), use != slot});
  }

  /// A part of a variable as a block of it.
  used_matrix block_of(matrix_entry_base* entry, const part_of_variable& part) const {
    const std::int64_t* const numbers = bound_.extents().data() + part.extents;
    return {entry, numbers[2], numbers[3], true, numbers[0], numbers[1]};
  }
  static bool are_same(const used_matrix& a, const used_matrix& b) {
    return a.row0 == b.row0 && a.col0 == b.col0 && a.rows == b.rows && a.cols == b.cols;
  }

  /// Adds the blocks that are read of a variable, unless derivatives by all of it cost less: a block more is
  /// a launch more when adjoints are added.
  bool add_blocks(matrix_entry_base* entry, std::size_t slot) {
    constexpr std::int64_t least = 1024, elements_per_launch = 16384;
    const matrix_operand& whole = bound_.matrices()[slot];
    const std::int64_t size = whole.rows * whole.cols;
    if (whole.uses_in_whole != 0 || whole.view != matrix_cl_view::Entire || size < least) return false;
    for (std::size_t other = slot + 1; other < bound_.matrices().size(); ++other)
      if (bound_.matrices()[other].variable == whole.variable) return false;
    list_of<used_matrix> blocks;
    std::int64_t read = 0;
    for (const part_of_variable& part : bound_.parts_of_variables()) {
      if (part.slot != static_cast<std::int32_t>(slot)) continue;
      const used_matrix block = block_of(entry, part);
      if (std::any_of(blocks.begin(), blocks.end(), [&](const auto& b) { return are_same(b, block); }))
        continue;
      blocks.push_back(block);
      read += block.rows * block.cols;
      if (2 * read > size || static_cast<std::int64_t>(blocks.size() - 1) * elements_per_launch > size)
        return false;
    }
    for (const used_matrix& block : blocks) {
      bool again = false;
      for (const part_of_variable& part : bound_.parts_of_variables())
        if (part.slot == static_cast<std::int32_t>(slot) && are_same(block_of(entry, part), block))
          list.push_back({true, static_cast<std::int64_t>(slot), std::exchange(again, true), part.extents});
      matrices.push_back(block);
    }
    return !blocks.empty();
  }

  const binder& bound_;
};

}  // namespace fusecl::detail
