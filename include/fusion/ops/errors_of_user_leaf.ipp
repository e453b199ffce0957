#pragma once
// Error bounds of operations whose kernels users write, about which nothing is known but what they compute.

#include <algorithm>
#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/ops/error_bounds.hpp>
#include <fusion/ops/user_leaf.hpp>

namespace fusecl::detail {

/// As far as the result moves where operands do, each element up or down by its error and, where they are no
/// whole numbers, some units in the last place, and as many units of what is largest in the result. Infinite
/// where a moved result is not finite.
FUSECL_INLINE list_of<long double> errors_of_user_leaf(const carried& before, ir::node_id id) {
  constexpr int units = 64, tries = 4;
  const ir::node& n = before.g[id];
  const ops::user_leaf_operation& leaf = ops::user_leaf_of(n);
  const ir::host_matrix& own = before.values[static_cast<std::size_t>(id)];
  const long double rounding = units * unit_of(n.type);
  long double largest = 0;
  for (long double value : own.values)
    if (is_finite(value)) largest = std::max(largest, std::fabs(value));
  list_of<long double> result(own.values.size());
  for (int turn = 0; turn < tries; ++turn) {
    list_of<ir::host_matrix> operands;
    std::uint32_t random = 2463534242u + static_cast<std::uint32_t>(turn);
    for (int k = 0; k < ir::arity(n); ++k) {
      const auto number = static_cast<std::size_t>(n.operands[k]);
      ir::host_matrix moved = before.values[number];
      const ir::node& read = before.g[n.operands[k]];
      const bool whole = read.op->kind == ir::op_class::cast && !is_floating(before.g[read.operands[0]].type);
      for (std::size_t at = 0; at < moved.values.size(); ++at) {
        random ^= random << 13, random ^= random >> 17, random ^= random << 5;
        const long double by =
            before.errors[number][at] + (whole ? 0 : rounding * std::fabs(moved.values[at]));
        if (by != 0) moved.values[at] += (random >> 16) % 2 != 0 ? by : -by;
      }
      operands.push_back(std::move(moved));
    }
    ir::host_matrix moved{own.rows, own.cols, list_of<long double>(own.values.size())};
    leaf.evaluate(moved, operands.data());
    for (std::size_t at = 0; at < result.size(); ++at)
      result[at] = std::max(result[at], 4 * distance(moved.values[at], own.values[at]) + rounding * largest);
  }
  return result;
}

}  // namespace fusecl::detail
