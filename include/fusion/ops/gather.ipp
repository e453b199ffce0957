#pragma once
#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/device_functions/lists.hpp>
#include <fusion/ops/gather.hpp>
#include <fusion/ops/record.hpp>

namespace fusecl::ops {
namespace detail {

/// Length of a piece, at least `shortest`, such that the levels suffice for a list of `longest` elements in
/// `parts` parts.
FUSECL_INLINE std::int64_t piece_length(std::int64_t shortest, std::int64_t longest, std::int64_t parts) {
  std::int64_t length = shortest;
  static_assert(most_levels == 4);
  while (length * length * length < (longest + length - 1) / length + parts - 1) ++length;
  return length;
}

/// The numbers 0 to n - 1 in the order of their keys, which are below the number of `lengths`; these become
/// how many there are of each.
template <class Key>
list_of<std::int32_t> in_order(std::int64_t n, Key key, list_of<std::int64_t>& lengths) {
  lengths.assign(lengths.size(), 0);
  for (std::int64_t k = 0; k < n; ++k) ++lengths[static_cast<std::size_t>(key(k))];
  list_of<std::int64_t> next(lengths.size());
  std::int64_t before = 0;
  for (std::size_t t = 0; t < lengths.size(); ++t) {
    next[t] = before;
    before += lengths[t];
  }
  list_of<std::int32_t> order;
  order.resize(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k)
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(key(k))]++)] = static_cast<std::int32_t>(k);
  return order;
}

FUSECL_INLINE std::int64_t longest_of(const list_of<std::int64_t>& lengths) {
  std::int64_t longest = 0;
  for (const std::int64_t length : lengths) longest = std::max(longest, length);
  return longest;
}

/// Where pieces of at most `most` elements end of lists of these lengths, which become numbers of pieces.
FUSECL_INLINE list_of<std::int32_t> ends_of_pieces(list_of<std::int64_t>& lengths, std::int64_t most) {
  list_of<std::int32_t> ends;
  std::int64_t end = 0;
  for (std::int64_t& length : lengths) {
    const std::int64_t pieces = (length + most - 1) / most;
    for (std::int64_t p = 0; p < pieces; ++p)
      ends.push_back(static_cast<std::int32_t>(end + std::min(length, (p + 1) * most)));
    end += length;
    length = pieces;
  }
  return ends;
}
/// Where whole lists end, also empty ones.
FUSECL_INLINE list_of<std::int32_t> ends_of_lists(const list_of<std::int64_t>& lengths) {
  list_of<std::int32_t> ends;
  std::int64_t end = 0;
  for (const std::int64_t length : lengths) ends.push_back(static_cast<std::int32_t>(end += length));
  return ends;
}

}  // namespace detail

FUSECL_INLINE std::int64_t part_length(std::int64_t elements, std::int64_t count) {
  // fewer elements are in the caches as a whole; a place has some of every part, or its sums are as many
  constexpr std::int64_t fewest = 1 << 22, shortest = 1 << 17, longest = 1 << 20, of_each_place = 16;
  const std::int64_t part = std::max(shortest, of_each_place * count);
  return elements < fewest || part > longest ? std::max<std::int64_t>(elements, 1) : part;
}

FUSECL_INLINE place_lists lists_of(std::span<const std::int64_t> places, std::int64_t count,
                                   std::int64_t shortest, std::int64_t part) {
  if (places.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::length_error("indexing: the derivative takes at most 2147483647 elements");
  const auto n = static_cast<std::int64_t>(places.size());
  const std::int64_t parts = std::max<std::int64_t>((n + part - 1) / part, 1);
  const auto place = [&](std::int64_t k) { return places[static_cast<std::size_t>(k)]; };
  place_lists lists;
  list_of<std::int64_t> lengths(static_cast<std::size_t>(count), 0);
  if (parts == 1)
    lists.order = detail::in_order(n, place, lengths);
  else
    for (const std::int64_t each : places) ++lengths[static_cast<std::size_t>(each)];
  const std::int64_t most = detail::piece_length(shortest, detail::longest_of(lengths), parts);
  if (parts > 1) {
    list_of<std::int64_t> of_parts(static_cast<std::size_t>(count * parts), 0), of_sum;
    lists.order = detail::in_order(
        n, [&](std::int64_t k) { return k / part * count + place(k); }, of_parts);
    lists.ends.push_back(detail::ends_of_pieces(of_parts, most));
    for (std::size_t k = 0; k < of_parts.size(); ++k)
      for (std::int64_t sum = 0; sum < of_parts[k]; ++sum)
        of_sum.push_back(static_cast<std::int64_t>(k) % count);
    lists.parts = detail::in_order(
        static_cast<std::int64_t>(of_sum.size()),
        [&](std::int64_t k) { return of_sum[static_cast<std::size_t>(k)]; }, lengths);
  }
  while (detail::longest_of(lengths) > most) lists.ends.push_back(detail::ends_of_pieces(lengths, most));
  lists.ends.push_back(detail::ends_of_lists(lengths));
  return lists;
}

FUSECL_INLINE ir::node_id indexed(ir::graph& g, ir::node_id m, ir::node_id i, ir::node_id j, ir::extent rows,
                                  ir::extent cols) {
  const ir::node_id operands[] = {m, i, j};
  return g.indexed(op::indexing::record(), operands, rows, cols);
}

namespace detail {

FUSECL_INLINE ir::node_id with_lists(ir::graph& g, const ir::operation& op,
                                     std::initializer_list<ir::node_id> first, ir::extent rows,
                                     ir::extent cols, const listed_nodes& lists) {
  ir::node_id operands[listed_operands];
  std::fill(std::copy(first.begin(), first.end(), operands), operands + listed_operands, lists.order);
  std::copy(lists.ends.begin(), lists.ends.end(), operands + ends_at);
  const bool in_parts = lists.parts != ir::no_node;
  if (in_parts) operands[parts_at] = lists.parts;
  return g.indexed(op, operands, rows, cols,
                   ir::list_index(lists.by, static_cast<std::int64_t>(lists.ends.size()), in_parts));
}

}  // namespace detail

FUSECL_INLINE ir::node_id indexed(ir::graph& g, ir::node_id m, ir::node_id i, ir::node_id j, ir::extent rows,
                                  ir::extent cols, const listed_nodes& lists) {
  return detail::with_lists(g, op::listed_indexing::record(), {m, i, j}, rows, cols, lists);
}

FUSECL_INLINE ir::node_id summed(ir::graph& g, ir::node_id a, ir::node_id i, ir::node_id j, ir::extent rows,
                                 ir::extent cols, const listed_nodes& lists) {
  if (g[a].type == scalar_type::boolean) a = g.cast(scalar_type::int32, a);  // as sums of these are
  return detail::with_lists(g, op::scatter_add::record(), {a, i, j}, rows, cols, lists);
}

FUSECL_INLINE ir::node_id in_memory(ir::graph& g, ir::node_id id) {
  const ir::node n = g[id];
  const bool matrix = n.is(ir::leaf_operations::matrix) && n.view == matrix_cl_view::Entire;
  if (matrix || n.op->is_stored || (ir::is_collective(n) && !n.is_scalar())) return id;
  return g.apply(op::stored::record(), id);
}

FUSECL_INLINE ir::node_id sums_of_lists(ir::graph& g, const ir::node& n, const ir::node_id* operands) {
  const ir::listed_lines by = ir::lines_of(n);
  const std::int64_t levels = ir::levels_of(n);
  const ir::extent all_rows = g.resolve(n.rows), all_cols = g.resolve(n.cols);
  const auto sum = [&](const ir::operation& op, const ir::node_id* of, std::int64_t level) {
    const ir::node ends = g[operands[ends_at + level]];
    const bool last = level + 1 == levels;
    const ir::extent rows = last || by == ir::listed_lines::cols ? all_rows : ends.rows;
    const ir::extent cols = last || by == ir::listed_lines::rows ? all_cols
                            : by == ir::listed_lines::cols       ? ends.rows
                                                                 : ends.cols;
    return g.indexed(op, of, rows, cols, ir::list_index(by));
  };
  const ir::node_id list[] = {in_memory(g, operands[0]), operands[order_at], operands[ends_at]};
  ir::node_id sums = sum(op::segment_sum::record(), list, 0);
  for (std::int64_t level = 1; level < levels; ++level) {
    if (level == 1 && ir::lists_are_in_parts(n)) {
      const ir::node_id by_parts[] = {in_memory(g, sums), operands[parts_at], operands[ends_at + 1]};
      sums = sum(op::segment_sum::record(), by_parts, level);
    } else {
      const ir::node_id further[] = {in_memory(g, sums), operands[ends_at + level]};
      sums = sum(op::run_sum::record(), further, level);
    }
  }
  return sums;
}

}  // namespace fusecl::ops

namespace fusecl::op {
namespace detail {

/// Whether the rows (or columns) of the result are those of the operand, and the other index chooses one
/// element of each.
FUSECL_INLINE bool chooses_one(const ir::graph& g, const ir::node& n, const ir::node& from, bool by_row) {
  const ir::node& own = g[n.operands[by_row ? 1 : 2]];
  const ir::extent along = g.resolve(by_row ? n.rows : n.cols), across = g.resolve(by_row ? n.cols : n.rows);
  return own.is(by_row ? ir::leaf_operations::row_index : ir::leaf_operations::col_index) &&
         across == ir::one && along == g.resolve(by_row ? from.rows : from.cols);
}

/// One element of every row goes to where it came from: no lists are needed.
FUSECL_INLINE ir::node_id pull_one_back(ir::graph& g, const ir::node& n, const ir::node& from,
                                        ir::node_id adjoint, bool by_row) {
  const ir::node_id chosen = n.operands[by_row ? 2 : 1];
  const ir::node_id number = by_row ? g.col_index(from.rows, from.cols) : g.row_index(from.rows, from.cols);
  const auto spread = [&](ir::node_id id) {
    return g[id].is_scalar() ? id : g.broadcast(id, from.rows, from.cols);
  };
  return ops::choose(g, g.apply(equal::record(), number, spread(chosen)), spread(adjoint),
                     g.constant(from.type, 0));
}

/// The adjoint of a single element is that of its place, zero elsewhere: no lists are needed.
FUSECL_INLINE ir::node_id pull_element_back(ir::graph& g, const ir::node& n, const ir::node& from,
                                            ir::node_id adjoint) {
  const ir::node_id row = g.apply(equal::record(), g.row_index(from.rows, from.cols), n.operands[1]),
                    col = g.apply(equal::record(), g.col_index(from.rows, from.cols), n.operands[2]);
  const ir::node_id zero = g.constant(from.type, 0);
  if (g.resolve(from.cols) == ir::one) return ops::choose(g, row, adjoint, zero);
  if (g.resolve(from.rows) == ir::one) return ops::choose(g, col, adjoint, zero);
  return ops::choose(g, g.apply(logical_and::record(), row, col), adjoint, zero);
}

FUSECL_INLINE ir::node_id pull_indexing_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
  if (k != 0) return ir::no_node;
  const ir::node n = g[self], from = g[n.operands[0]];
  ir::node_id amount = ir::no_node;
  if (n.is_scalar()) {
    amount = pull_element_back(g, n, from, adjoint);
  } else if (chooses_one(g, n, from, true)) {
    amount = pull_one_back(g, n, from, adjoint, true);
  } else if (chooses_one(g, n, from, false)) {
    amount = pull_one_back(g, n, from, adjoint, false);
  } else {
    if (!n.is(listed_indexing::record()))
      throw std::logic_error("differentiate: indexing without the lists of its derivative");
    list_of<ir::node_id> operands = n.operands.ids();
    operands[0] = ops::filled(g, adjoint, n);
    amount = g.indexed(scatter_add::record(), operands.data(), from.rows, from.cols, n.index);
  }
  return ops::within_view(g, from.view, amount, from);
}

FUSECL_INLINE ir::node_id push_indexing_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  const ir::node n = g[self], from = g[n.operands[0]];
  if (tangents[0] == ir::no_node || g[tangents[0]].is_scalar()) return tangents[0];
  list_of<ir::node_id> operands = n.operands.ids();
  operands[0] = tangents[0];
  return g.indexed(*n.op, operands.data(), n.rows, n.cols, n.index);
}

/// Each element gets the adjoint of the sum that it is part of.
FUSECL_INLINE ir::node_id pull_scatter_back(ir::graph& g, ir::node_id self, ir::node_id adjoint, int k) {
  if (k != 0) return ir::no_node;
  const ir::node n = g[self], from = g[n.operands[0]];
  list_of<ir::node_id> operands = n.operands.ids();
  operands[0] = ops::filled(g, adjoint, n);
  return g.indexed(listed_indexing::record(), operands.data(), from.rows, from.cols, n.index);
}

FUSECL_INLINE ir::node_id push_scatter_forward(ir::graph& g, ir::node_id self, const ir::node_id* tangents) {
  const ir::node n = g[self], from = g[n.operands[0]];
  if (tangents[0] == ir::no_node) return tangents[0];
  list_of<ir::node_id> operands = n.operands.ids();
  operands[0] = ops::filled(g, tangents[0], from);
  return g.indexed(scatter_add::record(), operands.data(), n.rows, n.cols, n.index);
}

using pullback_of = ir::node_id (*)(ir::graph&, ir::node_id, ir::node_id, int);
using pushforward_of = ir::node_id (*)(ir::graph&, ir::node_id, const ir::node_id*);

constexpr ir::operation placed(std::string_view name, std::uint8_t arity, ir::place_rule places,
                               pullback_of pullback = nullptr, pushforward_of pushforward = nullptr,
                               const ir::device_function* const* uses = nullptr,
                               const ir::device_function* const* shared_uses = nullptr) {
  return {.name = name,
          .kind = ir::op_class::access,
          .arity = arity,
          .types = ir::type_rule::arithmetic,
          .opencl = "",
          .precedence = 16,
          .uses = uses,
          .shared_uses = shared_uses,
          .ulp = 0,
          .cost = 0,
          .pullback = pullback,
          .pushforward = pushforward,
          .places = places,
          .brings = &ir::supports::indices};
}

}  // namespace detail

FUSECL_INLINE const ir::operation& indexing::record() {
  static constexpr ir::operation record = detail::placed(
      "indexing", 3, ir::place_rule::indices, detail::pull_indexing_back, detail::push_indexing_forward);
  return record;
}
FUSECL_INLINE const ir::operation& listed_indexing::record() {
  static constexpr ir::operation record =
      detail::placed("listed_indexing", ops::listed_operands, ir::place_rule::indices,
                     detail::pull_indexing_back, detail::push_indexing_forward);
  return record;
}
FUSECL_INLINE const ir::operation& scatter_add::record() {
  static constexpr ir::operation record =
      detail::placed("scatter_add", ops::listed_operands, ir::place_rule::targets, detail::pull_scatter_back,
                     detail::push_scatter_forward);
  return record;
}
FUSECL_INLINE const ir::operation& segment_sum::record() {
  static constexpr ir::operation record =
      detail::placed("segment_sum", 3, ir::place_rule::segments, nullptr, nullptr,
                     device::uses<device::sum_of_segment>, device::uses<device::shared_sum_of_segment>);
  return record;
}
FUSECL_INLINE const ir::operation& run_sum::record() {
  static constexpr ir::operation record =
      detail::placed("run_sum", 2, ir::place_rule::runs, nullptr, nullptr, device::uses<device::sum_of_run>,
                     device::uses<device::shared_sum_of_run>);
  return record;
}
FUSECL_INLINE const ir::operation& stored::record() {
  static constexpr ir::operation record{.name = "stored",
                                        .kind = ir::op_class::elementwise,
                                        .arity = 1,
                                        .types = ir::type_rule::arithmetic,
                                        .opencl = "$0",
                                        .precedence = 16,
                                        .host = [](const long double* x) { return x[0]; },
                                        .host_integer = [](const std::int64_t* x) { return x[0]; },
                                        .at_zero = ir::zero_rule::all,
                                        .ulp = 0,
                                        .cost = 0,
                                        .partials = {"1"},
                                        .is_stored = true};
  return record;
}

}  // namespace fusecl::op
