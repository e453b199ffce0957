#pragma once
// Merges steps that walk the same rows into one that walks tiles of rows: between its phases a tile stays on
// the chip, so that what it reads of memory is read once.

#include <fusion/base/list_of.hpp>
#include <fusion/ir/node_map.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

/// What the cut knows of its steps when they are merged.
struct cut_steps {
  const ir::graph& g;
  list_of<step>& steps;       ///< in an order that satisfies their dependencies
  const list_of<char>& kept;  ///< by node: values besides reductions that other steps may load
};

/// Merges where that saves reading an operand again or a launch. Returns whether it did.
bool merge_rows(const cut_steps& cut);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/merge_rows.ipp>
#endif
