#pragma once
// Reductions along the rows of a tile that have nothing to do with each other, as the linear predictors of
// several columns of coefficients: on a GPU a slot of the group computes what follows from each of them for
// its rows, instead of all slots computing the values of rows of all of them.

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/geometry.hpp>
#include <fusion/schedule/plan.hpp>

namespace fusecl::schedule {

/// Reductions along the rows and the values of rows that follow from them, and from no other reduction of the
/// tile.
struct row_chain {
  list_of<ir::node_id> along;
  list_of<ir::node_id> given;  ///< values that the columns need afterwards

  friend bool operator==(const row_chain&, const row_chain&) = default;
};

/// The chains of a tile of two levels, in order of their first reductions; none where there are fewer than
/// two of them, or the columns need nothing of theirs.
list_of<row_chain> row_chains(const plan& p, const step& s);

/// The chain that `value`, one of a row, follows from: the first one where it follows from none.
std::size_t chain_of(const plan& p, const step& s, const list_of<row_chain>& chains, ir::node_id value);

/// All reductions along the rows of a tile of two levels and the values of rows that its columns need
/// afterwards, as one chain; without reductions where the tile is of another shape.
row_chain joined_rows(const plan& p, const step& s);

/// What a row has in local memory of each reduction along it: one part a slot, or a warp where those
/// exchange.
inline int exchanged_parts(const tile_variant& t) {
  return t.shuffles && t.lanes < 32 ? t.lanes * t.slots / 32 : t.slots;
}

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/row_chains.ipp>
#endif
