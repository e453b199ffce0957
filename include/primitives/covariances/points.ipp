#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/matrix_product.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/structure.hpp>
#include <primitives/covariances/points.hpp>

namespace fusecl::detail {

FUSECL_INLINE std::uint32_t points_layout::word() const {
  const std::int64_t counted = std::min(dimensions, most_direct_dimensions + 1);
  return static_cast<std::uint32_t>(counted) << 4 | (first_elements ? 1u : 0u) | (second_elements ? 2u : 0u) |
         (single_first ? 4u : 0u) | (single_second ? 8u : 0u);
}

FUSECL_INLINE points_layout points_layout::of(std::uint32_t word) {
  return {static_cast<std::int64_t>(word >> 4), (word & 1u) != 0, (word & 2u) != 0, (word & 4u) != 0,
          (word & 8u) != 0};
}

FUSECL_INLINE points_layout layout_of_points(const char* function, const points_size& first,
                                             const points_size& second, std::int64_t lengths) {
  check_known_size(function, first.rows, first.cols);
  check_known_size(function, second.rows, second.cols);
  std::int64_t dimensions = lengths;
  for (const points_size* points : {&first, &second})
    if (dimensions < 0 && points->cols != 1) dimensions = points->rows;
  if (dimensions < 0) dimensions = 1;
  points_layout layout{dimensions, false, false, false, false};
  for (const points_size* points : {&first, &second}) {
    bool& elements = points == &first ? layout.first_elements : layout.second_elements;
    elements = points->rows != dimensions && points->cols == 1 && dimensions == 1;
    (points == &first ? layout.single_first : layout.single_second) =
        (elements ? points->rows : points->cols) == 1;
    if (elements || points->rows == dimensions || points->cols == 0) continue;
    if (lengths >= 0)
      throw std::invalid_argument(text::fill(
          "{}: x dimension ({}) and number of length scales ({}) must match in size; {} is {} x {}",
          {function, points->rows, lengths, points->name, points->rows, points->cols}));
    throw std::invalid_argument(
        text::fill("{}: points in the columns of {} ({} x {}) and {} ({} x {}) must have as many dimensions",
                   {function, first.name, first.rows, first.cols, second.name, second.rows, second.cols}));
  }
  return layout;
}

/// Points in a graph.
struct lowered_points {
  ir::node_id id;
  bool elements;

  ir::extent count(const ir::graph& g) const { return elements ? g[id].rows : g[id].cols; }
  /// States what is known of their number and dimension.
  void state(ir::graph& g, std::int64_t dimensions, bool single) const {
    if (elements) g.unify(ir::one, g[id].cols);
    if (!elements && dimensions == 1) g.unify(ir::one, g[id].rows);
    if (single) g.unify(ir::one, count(g));
  }
  /// Coordinate `k` of each of them as a column, or as a row.
  ir::node_id coordinate(ir::graph& g, std::int64_t k, bool as_row) const {
    if (elements) return as_row ? ops::transposed(g, id) : id;
    ir::access_map map = as_row ? ir::access_map{} : ir::access_map::transpose();
    map.row0.plus = static_cast<std::int8_t>(k);
    map.from_diagonal = ir::diagonal_from::anywhere;
    return as_row ? g.access(op::access::record(), map, id, ir::one, g[id].cols)
                  : g.access(op::access::record(), map, id, g[id].cols, ir::one);
  }
};

/// 1 / lengths[k].
FUSECL_INLINE ir::node_id inverse_length(ir::graph& g, ir::node_id lengths, std::int64_t k) {
  return g.apply(op::inv::record(), ops::element_of(g, lengths, static_cast<std::int32_t>(k)));
}

/// The sum over the dimensions, written out: for equal points a distance is exactly 0, and nothing cancels.
FUSECL_INLINE ir::node_id direct_pairs(ir::graph& g, pair_measure measure, std::int64_t dimensions,
                                       const lowered_points& first, const lowered_points& second,
                                       ir::node_id lengths) {
  const ir::extent rows = first.count(g), cols = second.count(g);
  ir::node_id total = ir::no_node;
  for (std::int64_t k = 0; k < dimensions; ++k) {
    const ir::node_id a = g.broadcast(first.coordinate(g, k, false), rows, cols),
                      b = g.broadcast(second.coordinate(g, k, true), rows, cols);
    ir::node_id term = g.apply(
        measure == pair_measure::inner_product ? op::multiply::record() : op::subtract::record(), a, b);
    if (lengths != ir::no_node) term = g.apply(op::multiply::record(), term, inverse_length(g, lengths, k));
    if (measure == pair_measure::distance && dimensions == 1) return term;
    if (measure != pair_measure::inner_product) term = g.apply(op::square::record(), term);
    total = total == ir::no_node ? term : g.apply(op::add::record(), total, term);
  }
  return total;
}

/// Points less a place that no distance depends on.
FUSECL_INLINE ir::node_id centred(ir::graph& g, ir::node_id points, ir::node_id place) {
  return g.apply(op::subtract::record(), points, g.broadcast(place, g[points].rows, g[points].cols));
}

/// A place among points: of each coordinate the middle one of the first two and the last point. One point far
/// from the others, or with NaN, does not take the place away from them, as it would a mean.
FUSECL_INLINE ir::node_id place_among(ir::graph& g, ir::node_id points) {
  const ir::extent rows = g[points].rows, cols = g[points].cols;
  const auto point = [&](ir::offset number) {
    ir::access_map map;
    map.col0 = number;
    map.col_limit = cols;
    map.from_diagonal = ir::diagonal_from::anywhere;
    return g.access(op::access::record(), map, points, rows, ir::one);
  };
  const ir::node_id a = point({}), b = point({ir::no_extent, 1, 1}), c = point({cols, 1, -1});
  const auto smaller = [&](ir::node_id x, ir::node_id y) { return g.apply(op::fmin::record(), x, y); };
  const auto larger = [&](ir::node_id x, ir::node_id y) { return g.apply(op::fmax::record(), x, y); };
  const ir::node_id middle = larger(smaller(a, b), smaller(larger(a, b), c));
  return g.apply(op::stop_gradient::record(),
                 ops::choose(g, g.apply(op::isfinite::record(), middle), middle, g.zero(g[points].type)));
}

/// |a|^2 + |b|^2 - 2 a'b. The squares of points beside themselves are from the diagonal of the product: so
/// equal points have distance 0.
FUSECL_INLINE ir::node_id squares_by_product(ir::graph& g, ir::node_id a, ir::node_id b) {
  const ir::extent inner = g[a].rows, rows = g[a].cols, cols = g[b].cols;
  const ir::node_id place = place_among(g, a);
  const bool same = a == b;
  g.unify(inner, g[b].rows);
  a = centred(g, a, place);
  b = same ? a : centred(g, b, place);
  const ir::node_id inside = ops::product(g, ops::transposed(g, a), b);
  ir::node_id of_a = ir::no_node, of_b = ir::no_node;
  if (same) {
    of_a = g.access(op::access::record(), ir::access_map::diagonal(), inside, rows, ir::one);
    of_b = ops::transposed(g, of_a);
  } else {
    const auto squares = [&](ir::node_id points) {
      return g.reduce(op::sum::record(), ir::axis::column, g.apply(op::square::record(), points));
    };
    of_a = ops::transposed(g, squares(a));
    of_b = squares(b);
  }
  const ir::node_id both =
      g.apply(op::add::record(), g.broadcast(of_a, rows, cols), g.broadcast(of_b, rows, cols));
  const ir::node_id total = g.apply(op::subtract::record(), both,
                                    g.apply(op::multiply::record(), inside, g.constant(g[a].type, 2)));
  // rounding may leave less than nothing, which is 0 with the derivatives of a square; NaN stays
  const ir::node_id none =
      g.apply(op::subtract::record(), total, g.apply(op::stop_gradient::record(), total));
  return ops::choose(g, g.apply(op::less_or_equal::record(), total, g.constant(g[total].type, 0)), none,
                     total);
}

/// The root, with derivative 0 at 0.
FUSECL_INLINE ir::node_id length_of_square(ir::graph& g, ir::node_id square) {
  const ir::node_id zero = g.constant(g[square].type, 0);
  return ops::choose(g, g.apply(op::equal::record(), square, zero), zero,
                     g.apply(op::sqrt::record(), square));
}

FUSECL_INLINE ir::node_id lower_pairs(ir::graph& g, pair_measure measure, const points_layout& layout,
                                      ir::node_id first, ir::node_id second, ir::node_id lengths) {
  const lowered_points a{first, layout.first_elements}, b{second, layout.second_elements};
  a.state(g, layout.dimensions, layout.single_first);
  b.state(g, layout.dimensions, layout.single_second);
  if (layout.dimensions == 0)
    return g.broadcast(g.constant(floating(promoted(g[first].type, g[second].type)), 0), a.count(g),
                       b.count(g));
  ir::node_id made = ir::no_node;
  if (layout.dimensions <= most_direct_dimensions) {
    made = direct_pairs(g, measure, layout.dimensions, a, b, lengths);
  } else {
    if (lengths != ir::no_node) {
      const auto divide = [&](ir::node_id points) {
        g.unify(g[lengths].rows, g[points].rows);
        return g.apply(op::divide::record(), points, g.broadcast(lengths, g[points].rows, g[points].cols));
      };
      first = divide(first);
      second = divide(second);
    }
    if (measure == pair_measure::inner_product) {
      g.unify(g[first].rows, g[second].rows);
      return ops::product(g, ops::transposed(g, first), second);
    }
    made = squares_by_product(g, first, second);
  }
  if (measure == pair_measure::distance && layout.dimensions != 1) return length_of_square(g, made);
  return made;
}

}  // namespace fusecl::detail
