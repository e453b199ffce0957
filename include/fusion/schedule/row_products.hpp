#pragma once
// Rows whose reductions and column sums are products with one matrix, as the linear predictors of classes and
// their derivatives: what tensor cores multiply.

#include <fusion/base/list_of.hpp>
#include <fusion/schedule/plan.hpp>
#include <fusion/schedule/row_chains.hpp>

namespace fusecl::schedule {

/// Of a row tile that has nothing else over rows and columns.
struct row_products {
  ir::node_id matrix = ir::no_node;   ///< that all of them read; none where the tile is of another shape
  list_of<ir::node_id> coefficients;  ///< of the columns, of each reduction along the rows (`joined_rows`)
  list_of<ir::node_id> sums;          ///< reductions of columns
  list_of<ir::node_id> factors;       ///< of the rows, of each of these
};

/// `joined`: the rows of the step (`joined_rows`).
row_products products_of_rows(const plan& p, const step& s, const row_chain& joined);

}  // namespace fusecl::schedule

#ifndef FUSECL_SPLIT
#include <fusion/schedule/row_products.ipp>
#endif
