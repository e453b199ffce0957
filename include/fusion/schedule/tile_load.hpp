#pragma once
// What a row tile keeps on chip: the column extents of its phases and the bytes of an element.

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

/// Column extents of the phases of a row tile, in order of appearance.
list_of<ir::extent> tile_extents(const step& s);
/// What a work-item of a GPU holds of an element of the tile, by column extent: bytes of operands, of values
/// that later phases read again, and of accumulators.
struct tile_load {
  int operands = 0;
  int kept = 0;
  int sums = 0;
  int widest = 0, narrowest = 0;  ///< bytes of an operand's element; 0 where there is none
  bool whole = true;              ///< no operand has zeros that are not read
};
list_of<tile_load> tile_loads(const plan& p, const step& s);

/// Local memory of a group of a GPU besides what its slots exchange: for values of the columns, with tables,
/// and for sums that are brought together.
inline constexpr std::int64_t shared_column_bytes = 16 * 1024, together_bytes = 8 * 1024;

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/tile_load.ipp>
#endif
