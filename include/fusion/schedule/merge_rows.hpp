#pragma once
// Merges steps that walk the same rows into one that walks tiles of rows: between its phases a tile stays on
// the chip, so that what it reads of memory is read once.

#include <fusion/schedule/step_reads.hpp>

namespace fusecl::schedule {

/// Merges where that saves reading an operand again or a launch. Returns whether it did.
bool merge_rows(const cut_steps& cut);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/merge_rows.ipp>
#endif
