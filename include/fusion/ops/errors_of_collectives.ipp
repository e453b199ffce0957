#pragma once
// Error bounds of reductions, scans, accesses and what indices place, which these bring.

#include <algorithm>
#include <cmath>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/interpret_collectives.ipp>
#include <fusion/ops/error_bounds.ipp>
#include <fusion/ops/reduce.hpp>

namespace fusecl::detail {
namespace bounds {

/// Sums may be added in any order: n eps sum|x| for few terms, and for many 3 sqrt(n) eps sum|x|, which
/// independent roundings exceed with probability below 1e-7 (Higham and Mary 2019). Products: every factor's
/// relative error and n eps.
FUSECL_INLINE long_doubles reduction_errors(const node& n, const host_matrix& from,
                                            const long_doubles& errors, const host_matrix& own) {
  const bool by_row = n.axis() == ir::axis::row, by_column = n.axis() == ir::axis::column;
  long_doubles result(own.values.size()), size(own.values.size());
  list_of<std::int64_t> count(own.values.size());
  for (std::int64_t j = 0; j < from.cols; ++j)
    for (std::int64_t i = 0; i < from.rows; ++i) {
      const auto at = static_cast<std::size_t>(by_row ? i : by_column ? j : 0);
      const auto k = static_cast<std::size_t>(i + j * from.rows);
      ++count[at];
      size[at] += std::fabs(from.values[k]);
      if (n.is(op::sum::record()))
        result[at] += errors[k];
      else if (n.is(op::prod::record()))
        result[at] += errors[k] == 0 ? 0 : errors[k] / std::fabs(from.values[k]) * std::fabs(own.values[at]);
      else
        result[at] = std::max(result[at], errors[k]);
    }
  for (std::size_t k = 0; k < result.size(); ++k) {
    if (!is_floating(n.type)) continue;
    if (!is_finite(own.values[k])) {
      if (!is_infinite(result[k])) result[k] = 0;
      continue;
    }
    const auto number = static_cast<long double>(count[k]);
    const long double terms = std::min(number, 3 * std::sqrt(number)) * unit_of(n.type);
    if (n.is(op::sum::record())) result[k] += terms * size[k] + 4 * tiny(n.type);
    if (n.is(op::prod::record())) result[k] += terms * std::fabs(own.values[k]) + 4 * tiny(n.type);
  }
  return result;
}

/// The bounds of sums, for every element of those up to it.
FUSECL_INLINE long_doubles scan_errors(const node& n, const host_matrix& from, const long_doubles& errors,
                                       const host_matrix& own) {
  const bool by_row = n.axis() == ir::axis::row;
  const std::int64_t lines = by_row ? from.rows : from.cols, length = by_row ? from.cols : from.rows;
  long_doubles result(own.values.size());
  for (std::int64_t line = 0; line < lines; ++line) {
    long double error = 0, size = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t place = n.from_end() ? length - 1 - k : k;
      const auto at = static_cast<std::size_t>(by_row ? line + place * from.rows : place + line * from.rows);
      error += errors[at];
      size += std::fabs(from.values[at]);
      const auto number = static_cast<long double>(k + 1);
      const long double terms = std::min(number, 3 * std::sqrt(number)) * unit_of(n.type);
      if (!is_floating(n.type) || is_finite(own.values[at]))
        result[at] = error + (is_floating(n.type) ? terms * size + 4 * tiny(n.type) : 0);
      else
        result[at] = is_infinite(error) ? error : 0;
    }
  }
  return result;
}

/// Of a comparison of values with their own extreme: which element is the extreme one is certain unless
/// another one is nearly equal. Elements that are equal here are expected to be equal on the device where
/// they are only moved; computed ones may be rounded differently, by whole vectors and element by element.
FUSECL_INLINE long_doubles extreme_errors(const node& n, const node& reduction,
                                          const list_of<host_matrix>& values,
                                          const list_of<long_doubles>& errors, const host_matrix& own) {
  const node_id compared = reduction.operands[0];
  const node_id extreme = n.operands[0] == compared ? n.operands[1] : n.operands[0];
  const host_matrix& x = values[static_cast<std::size_t>(compared)];
  const host_matrix& y = values[static_cast<std::size_t>(extreme)];
  const long_doubles& moved = errors[static_cast<std::size_t>(compared)];
  const auto at = [](const host_matrix& m, std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>((m.rows == 1 ? 0 : i) + (m.cols == 1 ? 0 : j) * m.rows);
  };
  long_doubles result(own.values.size());
  const auto group = [&](std::int64_t i, std::int64_t j) {
    return reduction.axis() == ir::axis::row ? i : reduction.axis() == ir::axis::column ? j : 0;
  };
  const std::size_t groups = static_cast<std::size_t>(std::max(own.rows, own.cols)) + 1;
  list_of<char> uncertain(groups, 0);
  list_of<int> equal_ones(groups, 0);
  for (std::int64_t j = 0; j < own.cols; ++j)
    for (std::int64_t i = 0; i < own.rows; ++i) {
      const long double apart = distance(x.values[at(x, i, j)], y.values[at(y, i, j)]);
      const long double error = moved[at(x, i, j)] + errors[static_cast<std::size_t>(extreme)][at(y, i, j)];
      const auto own_group = static_cast<std::size_t>(group(i, j));
      const bool among_equals = apart == 0 && moved[at(x, i, j)] > 0 && ++equal_ones[own_group] > 1;
      if (!among_equals && (apart == 0 || !(apart <= error))) continue;
      result[at(own, i, j)] = 1;
      uncertain[own_group] = 1;
    }
  for (std::int64_t j = 0; j < own.cols; ++j)
    for (std::int64_t i = 0; i < own.rows; ++i)
      if (own.values[at(own, i, j)] != 0 && uncertain[static_cast<std::size_t>(group(i, j))])
        result[at(own, i, j)] = 1;
  return result;
}

}  // namespace bounds

FUSECL_INLINE list_of<long double> errors_of_reduction(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const ir::host_matrix& own = before.values[static_cast<std::size_t>(id)];
  if (n.op->kind != ir::op_class::reduction)
    return bounds::extreme_errors(n, before.g[bounds::own_extreme(before.g, n)], before.values, before.errors,
                                  own);
  const auto from = static_cast<std::size_t>(n.operands[0]);
  return bounds::reduction_errors(n, before.values[from], before.errors[from], own);
}

FUSECL_INLINE list_of<long double> errors_of_scan(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const auto from = static_cast<std::size_t>(n.operands[0]);
  return bounds::scan_errors(n, before.values[from], before.errors[from],
                             before.values[static_cast<std::size_t>(id)]);
}

FUSECL_INLINE list_of<long double> errors_of_access(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const ir::host_matrix& own = before.values[static_cast<std::size_t>(id)];
  const auto from = static_cast<std::size_t>(n.operands[0]);
  const ir::host_matrix moved{before.values[from].rows, before.values[from].cols, before.errors[from]};
  list_of<long double> errors;
  for (std::int64_t j = 0; j < own.cols; ++j)
    for (std::int64_t i = 0; i < own.rows; ++i)
      errors.push_back(ir::accessed_element(before.g, before.bindings, n, moved, i, j));
  return errors;
}

/// Those of the elements, and of sums those of as many additions.
FUSECL_INLINE list_of<long double> errors_of_indexed(const carried& before, ir::node_id id) {
  const ir::node& n = before.g[id];
  const ir::host_matrix& own = before.values[static_cast<std::size_t>(id)];
  const auto from = static_cast<std::size_t>(n.operands[0]);
  const list_of<long double>&errors = before.errors[from], &values = before.values[from].values;
  list_of<long double> result(own.values.size()), size(own.values.size()), count(own.values.size());
  const ir::place_rule rule = n.op->places;
  const auto add = [&](std::size_t to, std::size_t k) {
    result[to] += errors[k];
    size[to] += std::fabs(values[k]);
    ++count[to];
  };
  if (rule == ir::place_rule::indices || rule == ir::place_rule::targets) {
    const list_of<std::size_t> places = ir::indexed_places(n, own, before.values);
    if (rule == ir::place_rule::indices) {
      for (std::size_t k = 0; k < places.size(); ++k) result[k] = errors[places[k]];
      return result;
    }
    for (std::size_t k = 0; k < places.size(); ++k) add(places[k], k);
  } else {
    ir::each_listed(n, own, before.values, add);
  }
  for (std::size_t t = 0; t < result.size(); ++t)
    if (is_floating(n.type) && is_finite(own.values[t]))
      result[t] += count[t] * unit_of(n.type) * size[t] + 4 * bounds::tiny(n.type);
  return result;
}

}  // namespace fusecl::detail
