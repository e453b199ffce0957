#pragma once
// A sum over elements that follows from a reduction of the same elements waits for it: one more pass over
// them. Two such sums have a running form that needs no second pass:
//   sum(exp(x - q))    = S exp(max(x) - q),               S = sum(exp(x - max(x))) beside max(x)
//   sum((x - q)^2)     = S - (q - p) (2 T - n (q - p)),   T, S = sums of x - p and (x - p)^2 beside p and n
// for any q that is one value for all elements of a sum, where p is among its n elements. Both hold for
// infinities and NaN too, except that squares of finite elements which overflow about an infinite q become
// NaN.

#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/elementary.hpp>
#include <fusion/ops/reduce.hpp>
#include <fusion/ops/running.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::passes {
namespace detail {

/// x - q, where x has a reduction's elements and q is one value for each of its results.
struct shifted {
  ir::node_id x = ir::no_node, q = ir::no_node;
};

/// What the difference `id` is to a reduction along `axis` of what has its shape.
FUSECL_INLINE shifted shifted_by(const ir::graph& g, ir::node_id id, ir::axis axis) {
  const ir::node& d = g[id];
  if (!d.is(op::subtract::record())) return {};
  const ir::node_id x = d.operands[0];
  ir::node_id q = d.operands[1];
  if (g[q].is(ir::leaf_operations::broadcast)) q = g[q].operands[0];
  const ir::extent rows = axis == ir::axis::row ? g.resolve(d.rows) : ir::one;
  const ir::extent cols = axis == ir::axis::column ? g.resolve(d.cols) : ir::one;
  const bool whole = g.resolve(g[x].rows) == g.resolve(d.rows) && g.resolve(g[x].cols) == g.resolve(d.cols);
  const bool fits = g.resolve(g[q].rows) == rows && g.resolve(g[q].cols) == cols;
  return whole && fits ? shifted{x, q} : shifted{};
}

/// The reduction `wanted` of `x` along `axis` from which `q` follows, or no_node.
FUSECL_INLINE ir::node_id reduction_below(const ir::graph& g, ir::node_id q, ir::node_id x, ir::axis axis,
                                          const ir::operation& wanted) {
  // what `x` is computed from comes before it
  const ir::node_set within =
      ir::reachable(g, list_of<ir::node_id>{q}, [&](ir::node_id id) { return id <= x; });
  for (ir::node_id id : within)
    if (g[id].is(wanted) && g[id].operands[0] == x && g[id].axis() == axis) return id;
  return ir::no_node;
}

/// `sum`, or zero where it has no elements: then nothing about q matters.
FUSECL_INLINE ir::node_id unless_empty(ir::graph& g, ir::node_id some, ir::node_id sum) {
  const ir::node_id zero = g.constant(g[sum].type, 0);
  const ir::node_id choice[] = {g.apply(op::equal::record(), some, zero), zero, sum};
  return g.apply(op::select::record(), choice);
}

FUSECL_INLINE ir::node_id sum_of_exponentials(ir::graph& g, ir::axis axis, ir::node_id difference) {
  const shifted d = shifted_by(g, difference, axis);
  if (d.x == ir::no_node) return ir::no_node;
  const ir::node_id m = reduction_below(g, d.q, d.x, axis, op::max::record());
  if (m == ir::no_node) return m;
  const ir::node_id s = g.reduce(op::running_exp_sum::record(), axis, d.x);
  const ir::node_id gap = g.apply(op::subtract::record(), m, d.q);
  if (m == d.q) return unless_empty(g, s, g.apply(op::add::record(), s, gap));
  return unless_empty(g, s, g.apply(op::multiply::record(), s, g.apply(op::exp::record(), gap)));
}

FUSECL_INLINE ir::node_id sum_of_squares(ir::graph& g, ir::axis axis, ir::node_id difference) {
  const shifted d = shifted_by(g, difference, axis);
  if (d.x == ir::no_node || reduction_below(g, d.q, d.x, axis, op::sum::record()) == ir::no_node)
    return ir::no_node;
  const auto running = [&](const ir::operation& op) { return g.reduce(op, axis, d.x); };
  const ir::node_id n = running(op::running_count::record()), p = running(op::running_pivot::record());
  const ir::node_id total = running(op::running_total::record());
  const ir::node_id squares = running(op::running_squares::record());
  const auto minus = [&](ir::node_id a, ir::node_id b) { return g.apply(op::subtract::record(), a, b); };
  const auto times = [&](ir::node_id a, ir::node_id b) { return g.apply(op::multiply::record(), a, b); };
  const ir::node_id gap = minus(d.q, p);
  const ir::node_id twice = g.apply(op::add::record(), total, total);
  const ir::node_id about_q = minus(squares, times(gap, minus(twice, times(n, gap))));
  // squares that overflow stay infinite unless q is not a number to deviate from
  const ir::node_id overflown = g.apply(op::add::record(), squares, minus(d.q, d.q));
  const ir::node_id choice[] = {g.apply(op::isinf::record(), squares), overflown, about_q};
  return unless_empty(g, n, g.apply(op::select::record(), choice));
}

}  // namespace detail

FUSECL_INLINE ir::graph accumulate_together(const ir::graph& g) {
  ir::graph result =
      rebuild(g, [](ir::graph& to, const ir::node& n, const ir::node_id* operands) -> ir::node_id {
        if (n.is(op::sum::record()) && is_floating(n.type)) {
          const ir::node& e = to[operands[0]];
          // with 24 bits a pivot far from the other elements of a work-item leaves nothing of their squares
          const bool squares = n.type == scalar_type::float64 &&
                               (e.is(op::square::record()) ||
                                (e.is(op::multiply::record()) && e.operands[0] == e.operands[1]));
          ir::node_id together = ir::no_node;
          if (e.is(op::exp::record())) together = detail::sum_of_exponentials(to, n.axis(), e.operands[0]);
          if (squares) together = detail::sum_of_squares(to, n.axis(), e.operands[0]);
          if (together != ir::no_node) return together;
        }
        return to.copy(n, operands);
      });
  // where a reduction was read elsewhere, what it follows from now is: back to the leaves with the accesses
  return run_pipeline(result);
}

}  // namespace fusecl::passes
