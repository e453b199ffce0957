#pragma once
// Host evaluation of reductions, scans, accesses and what indices place, which these bring.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fusion/base/list_of.hpp>
#include <fusion/ir/interpret.ipp>

namespace fusecl::ir {
namespace detail {

FUSECL_INLINE const host_matrix& operand_of(const node& n, const list_of<host_matrix>& values, int k = 0) {
  return values[static_cast<std::size_t>(n.operands[k])];
}

/// What a reduction or scan starts from.
FUSECL_INLINE long double neutral_of(const node& n) {
  const long double start = n.op->host(nullptr);
  if (is_floating(n.type) || is_finite(start)) return start;
  return visit_type(n.type, [&](auto t) -> long double {
    using limits = std::numeric_limits<decltype(t)>;
    return start > 0 ? limits::max() : limits::lowest();
  });
}

/// One step of a reduction or scan; integers wrap.
FUSECL_INLINE long double combined(const node& n, long double a, long double b) {
  const long double pair[] = {a, b};
  if (is_floating(n.type)) return n.op->host(pair);
  const std::int64_t integers[] = {static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)};
  return rounded(n.type, static_cast<long double>(n.op->host_integer(integers)));
}

/// A sum of two; integers wrap.
FUSECL_INLINE long double summed(scalar_type type, long double a, long double b) {
  if (is_floating(type)) return a + b;
  const auto whole = [](long double x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
  return rounded(type, static_cast<long double>(static_cast<std::int64_t>(whole(a) + whole(b))));
}

}  // namespace detail

/// An operand of extent one stands for its broadcast over no extent at all: it is reduced as it is.
FUSECL_INLINE host_matrix interpret_reduction(const graph&, const host_bindings&, const node& n,
                                              const list_of<host_matrix>& values) {
  const host_matrix& from = detail::operand_of(n, values);
  const bool by_row = n.axis() == axis::row;
  const bool by_column = n.axis() == axis::column;
  host_matrix result{by_row ? from.rows : 1, by_column ? from.cols : 1, {}};
  result.values.assign(static_cast<std::size_t>(result.rows * result.cols), detail::neutral_of(n));
  for (std::int64_t j = 0; j < from.cols; ++j)
    for (std::int64_t i = 0; i < from.rows; ++i) {
      long double& total = result.values[static_cast<std::size_t>(by_row ? i : by_column ? j : 0)];
      total = detail::combined(n, total, from.values[static_cast<std::size_t>(i + j * from.rows)]);
    }
  for (long double& total : result.values) total = rounded(n.type, total);
  return result;
}

/// Rounded where an element is complete; integers wrap at every step.
FUSECL_INLINE host_matrix interpret_scan(const graph&, const host_bindings&, const node& n,
                                         const list_of<host_matrix>& values) {
  const host_matrix& from = detail::operand_of(n, values);
  const bool by_row = n.axis() == axis::row;
  const std::int64_t lines = by_row ? from.rows : from.cols, length = by_row ? from.cols : from.rows;
  host_matrix result = from;
  for (std::int64_t line = 0; line < lines; ++line) {
    long double total = detail::neutral_of(n);
    for (std::int64_t k = 0; k < length; ++k) {
      const std::int64_t at = n.from_end() ? length - 1 - k : k;
      long double& element =
          result.values[static_cast<std::size_t>(by_row ? line + at * from.rows : at + line * from.rows)];
      total = detail::combined(n, total, element);
      element = rounded(n.type, total);
    }
  }
  return result;
}

FUSECL_INLINE long double accessed_element(const graph& g, const host_bindings& bindings, const node& n,
                                           const host_matrix& from, std::int64_t i, std::int64_t j) {
  const auto size = [&](const offset& o) {
    return (o.size == no_extent ? 0 : o.sign * detail::size_of_extent(g, bindings, o.size)) + o.plus;
  };
  const access_map& m = n.map;
  const std::int64_t row = size(m.row0) + m.row_by_i * i + m.row_by_j * j;
  const std::int64_t col = size(m.col0) + m.col_by_i * i + m.col_by_j * j;
  const auto inside = [&](std::int64_t at, extent limit) {
    return limit == no_extent || (at >= 0 && at < detail::size_of_extent(g, bindings, limit));
  };
  if (!inside(row, m.row_limit) || !inside(col, m.col_limit)) return 0;
  return from
      .values[static_cast<std::size_t>((from.rows == 1 ? 0 : row) + (from.cols == 1 ? 0 : col) * from.rows)];
}

FUSECL_INLINE host_matrix interpret_access(const graph& g, const host_bindings& bindings, const node& n,
                                           const list_of<host_matrix>& values) {
  const host_matrix& from = detail::operand_of(n, values);
  host_matrix result{
      detail::size_of_extent(g, bindings, n.rows), detail::size_of_extent(g, bindings, n.cols), {}};
  for (std::int64_t j = 0; j < result.cols; ++j)
    for (std::int64_t i = 0; i < result.rows; ++i)
      result.values.push_back(is_outside(n.view, i, j) ? 0 : accessed_element(g, bindings, n, from, i, j));
  return result;
}

FUSECL_INLINE list_of<std::size_t> indexed_places(const node& n, const host_matrix& own,
                                                  const list_of<host_matrix>& values) {
  const bool adds = n.op->places == place_rule::targets;
  const host_matrix &from = detail::operand_of(n, values), &into = adds ? own : from,
                    &walked = adds ? from : own;
  const detail::element_reader row = detail::reader(values, n.operands[1]),
                               col = detail::reader(values, n.operands[2]);
  const auto inside = [](long double at, std::int64_t size) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, std::max<std::int64_t>(size - 1, 0));
  };
  list_of<std::size_t> places;
  for (std::int64_t j = 0; j < walked.cols; ++j)
    for (std::int64_t i = 0; i < walked.rows; ++i)
      places.push_back(
          static_cast<std::size_t>(inside(row(i, j), into.rows) + inside(col(i, j), into.cols) * into.rows));
  return places;
}

/// Calls add(to, from) for each element that `n` sums by lists into an element of `own`.
template <class Add>
void each_listed(const node& n, const host_matrix& own, const list_of<host_matrix>& values, Add add) {
  const host_matrix& from = detail::operand_of(n, values);
  const bool listed = n.op->places == place_rule::segments;
  const host_matrix& ends = detail::operand_of(n, values, listed ? 2 : 1);
  const listed_lines by = lines_of(n);
  const auto each = [&](std::int64_t to, std::size_t list, std::int64_t apart, std::int64_t first) {
    auto k = static_cast<std::size_t>(list > 0 ? ends.values[list - 1] : 0);
    for (; k < static_cast<std::size_t>(ends.values[list]); ++k) {
      const auto at = listed ? static_cast<std::int64_t>(detail::operand_of(n, values, 1).values[k])
                             : static_cast<std::int64_t>(k);
      add(static_cast<std::size_t>(to), static_cast<std::size_t>(first + at * apart));
    }
  };
  for (std::int64_t j = 0; j < own.cols; ++j)
    for (std::int64_t i = 0; i < own.rows; ++i) {
      const std::int64_t to = i + j * own.rows;
      if (by == listed_lines::rows)
        each(to, static_cast<std::size_t>(i), 1, j * from.rows);
      else if (by == listed_lines::cols)
        each(to, static_cast<std::size_t>(j), from.rows, i);
      else
        each(to, static_cast<std::size_t>(to), 1, 0);
    }
}

/// Elements at indices, and sums of elements by where they go or by the lists that a pass made of that.
FUSECL_INLINE host_matrix interpret_indexed(const graph& g, const host_bindings& bindings, const node& n,
                                            const list_of<host_matrix>& values) {
  const host_matrix& from = detail::operand_of(n, values);
  host_matrix result{
      detail::size_of_extent(g, bindings, n.rows), detail::size_of_extent(g, bindings, n.cols), {}};
  result.values.assign(static_cast<std::size_t>(result.rows * result.cols), 0);
  const place_rule rule = n.op->places;
  if (rule == place_rule::indices || rule == place_rule::targets) {
    const list_of<std::size_t> places = indexed_places(n, result, values);
    for (std::size_t k = 0; k < places.size(); ++k)
      if (rule == place_rule::indices)  // of nothing, which evaluation refuses, there is 0
        result.values[k] = from.values.empty() ? 0 : from.values[places[k]];
      else
        result.values[places[k]] = detail::summed(n.type, result.values[places[k]], from.values[k]);
  } else {
    each_listed(n, result, values, [&](std::size_t to, std::size_t k) {
      result.values[to] = detail::summed(n.type, result.values[to], from.values[k]);
    });
  }
  for (long double& value : result.values) value = rounded(n.type, value);
  return result;
}

}  // namespace fusecl::ir
