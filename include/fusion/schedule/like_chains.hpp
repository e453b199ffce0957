#pragma once
// Row chains of one formula, as the columns of coefficients of one model: one text serves them all, with
// numbers of their own where they differ. Texts of each would not fit the instruction cache of a GPU (H200,
// logistic regression of 1e6 x 100 for 8 columns of coefficients: 1.23 ms with a text for each of them).

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/row_chains.hpp>

namespace fusecl::schedule {

struct like_chains {
  bool alike = false;
  /// Single elements in which the chains differ: each by chain. That of the first stands for all in its text.
  list_of<list_of<ir::node_id>> numbers;
  /// Reductions across the tiles of values of the chains' rows: each by chain.
  list_of<list_of<ir::node_id>> across;
  /// A value of the first chain and what it stands for in another one.
  struct pair {
    ir::node_id first, other;
  };
  list_of<pair> pairs;
};

/// How these chains of a tile are alike.
like_chains likeness(const plan& p, const step& s, const list_of<row_chain>& chains);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/like_chains.ipp>
#endif
