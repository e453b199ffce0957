#pragma once
#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/derivatives.hpp>
#include <fusion/ops/gather.hpp>
#include <fusion/ops/record.hpp>

namespace fusecl::ops {
namespace detail {

/// Length of a piece, at least `shortest`, such that the levels suffice for a list of `longest` elements.
FUSECL_INLINE std::int64_t piece_length(std::int64_t shortest, std::int64_t longest) {
  std::int64_t length = shortest;
  const auto reach = [](std::int64_t each) { return each * each * each * each; };
  static_assert(most_levels == 4);
  while (reach(length) < longest) ++length;
  return length;
}

}  // namespace detail

FUSECL_INLINE place_lists lists_of(std::span<const std::int64_t> places, std::int64_t count,
                                   std::int64_t shortest) {
  if (places.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::length_error("indexing: the derivative takes at most 2147483647 elements");
  place_lists lists;
  list_of<std::int64_t> lengths(static_cast<std::size_t>(count), 0), next(lengths.size());
  for (const std::int64_t place : places) ++lengths[static_cast<std::size_t>(place)];
  std::int64_t before = 0, longest = 0;
  for (std::size_t t = 0; t < lengths.size(); ++t) {
    next[t] = before;
    before += lengths[t];
    longest = std::max(longest, lengths[t]);
  }
  lists.order.resize(places.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    lists.order[static_cast<std::size_t>(next[static_cast<std::size_t>(places[k])]++)] =
        static_cast<std::int32_t>(k);
  const std::int64_t most = detail::piece_length(shortest, longest);
  while (true) {
    list_of<std::int32_t>& ends = lists.ends.emplace_back();
    const bool last = longest <= most;
    std::int64_t end = 0;
    longest = 0;
    for (std::int64_t& length : lengths) {
      const std::int64_t pieces = last ? 1 : (length + most - 1) / most;
      for (std::int64_t p = 0; p < pieces; ++p)
        ends.push_back(static_cast<std::int32_t>(end + std::min(length, (p + 1) * most)));
      end += length;
      length = pieces;
      longest = std::max(longest, pieces);
    }
    if (last) return lists;
  }
}

FUSECL_INLINE ir::node_id indexed(ir::graph& g, ir::node_id m, ir::node_id i, ir::node_id j, ir::extent rows,
                                  ir::extent cols) {
  const ir::node_id operands[] = {m, i, j};
  return g.indexed(op::indexing::record(), operands, rows, cols);
}

namespace detail {

FUSECL_INLINE ir::node_id with_lists(ir::graph& g, const ir::operation& op,
                                     std::initializer_list<ir::node_id> first, ir::extent rows,
                                     ir::extent cols, ir::listed_lines by,
                                     std::span<const ir::node_id> ends) {
  ir::node_id operands[4 + most_levels];
  ir::node_id* last = std::copy(first.begin(), first.end(), operands);
  for (std::size_t k = 0; k < most_levels; ++k) last[k] = k < ends.size() ? ends[k] : first.begin()[3];
  return g.indexed(op, operands, rows, cols, ir::list_index(by, static_cast<std::int64_t>(ends.size())));
}

}  // namespace detail

FUSECL_INLINE ir::node_id indexed(ir::graph& g, ir::node_id m, ir::node_id i, ir::node_id j, ir::extent rows,
                                  ir::extent cols, ir::listed_lines by, ir::node_id order,
                                  std::span<const ir::node_id> ends) {
  return detail::with_lists(g, op::listed_indexing::record(), {m, i, j, order}, rows, cols, by, ends);
}

FUSECL_INLINE ir::node_id summed(ir::graph& g, ir::node_id a, ir::node_id i, ir::node_id j, ir::extent rows,
                                 ir::extent cols, ir::listed_lines by, ir::node_id order,
                                 std::span<const ir::node_id> ends) {
  return detail::with_lists(g, op::scatter_add::record(), {a, i, j, order}, rows, cols, by, ends);
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
    const ir::node ends = g[operands[4 + level]];
    const bool last = level + 1 == levels;
    const ir::extent rows = last || by == ir::listed_lines::cols ? all_rows : ends.rows;
    const ir::extent cols = last || by == ir::listed_lines::rows ? all_cols
                            : by == ir::listed_lines::cols       ? ends.rows
                                                                 : ends.cols;
    return g.indexed(op, of, rows, cols, ir::list_index(by));
  };
  const ir::node_id list[] = {in_memory(g, operands[0]), operands[3], operands[4]};
  ir::node_id sums = sum(op::segment_sum::record(), list, 0);
  for (std::int64_t level = 1; level < levels; ++level) {
    const ir::node_id further[] = {in_memory(g, sums), operands[4 + level]};
    sums = sum(op::run_sum::record(), further, level);
  }
  return sums;
}

}  // namespace fusecl::ops

namespace fusecl::device {

/// Four sums side by side, so that loads overlap. What is summed is `apart` elements from what comes next.
inline constexpr ir::device_function sum_of_segment{
    .name = "sum_of_segment",
    .text =
        R"($T sum_of_segment$S(global const $T* x, long apart, global const int* order, global const int* ends, long t) {
  long k = t > 0 ? ends[t - 1] : 0;
  const long end = ends[t];
  $T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (; k + 4 <= end; k += 4) {
    s0 += x[order[k] * apart];
    s1 += x[order[k + 1] * apart];
    s2 += x[order[k + 2] * apart];
    s3 += x[order[k + 3] * apart];
  }
  for (; k < end; ++k) s0 += x[order[k] * apart];
  return (s0 + s1) + (s2 + s3);
}
)"};
inline constexpr ir::device_function sum_of_run{
    .name = "sum_of_run",
    .text = R"($T sum_of_run$S(global const $T* x, long apart, global const int* ends, long t) {
  long k = t > 0 ? ends[t - 1] : 0;
  const long end = ends[t];
  $T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (; k + 4 <= end; k += 4) {
    s0 += x[k * apart];
    s1 += x[(k + 1) * apart];
    s2 += x[(k + 2) * apart];
    s3 += x[(k + 3) * apart];
  }
  for (; k < end; ++k) s0 += x[k * apart];
  return (s0 + s1) + (s2 + s3);
}
)"};

}  // namespace fusecl::device

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
    ir::node_id operands[4 + ops::most_levels];
    for (int o = 0; o < 4 + ops::most_levels; ++o) operands[o] = n.operands[o];
    operands[0] = ops::filled(g, adjoint, n);
    amount = g.indexed(scatter_add::record(), operands, from.rows, from.cols, n.index);
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
                               const ir::device_function* const* uses = nullptr) {
  return {.name = name,
          .kind = ir::op_class::access,
          .arity = arity,
          .types = ir::type_rule::arithmetic,
          .opencl = "",
          .precedence = 16,
          .uses = uses,
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
      detail::placed("listed_indexing", 4 + ops::most_levels, ir::place_rule::indices,
                     detail::pull_indexing_back, detail::push_indexing_forward);
  return record;
}
FUSECL_INLINE const ir::operation& scatter_add::record() {
  static constexpr ir::operation record =
      detail::placed("scatter_add", 4 + ops::most_levels, ir::place_rule::targets, detail::pull_scatter_back,
                     detail::push_scatter_forward);
  return record;
}
FUSECL_INLINE const ir::operation& segment_sum::record() {
  static constexpr ir::operation record = detail::placed("segment_sum", 3, ir::place_rule::segments, nullptr,
                                                         nullptr, device::uses<device::sum_of_segment>);
  return record;
}
FUSECL_INLINE const ir::operation& run_sum::record() {
  static constexpr ir::operation record =
      detail::placed("run_sum", 2, ir::place_rule::runs, nullptr, nullptr, device::uses<device::sum_of_run>);
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
