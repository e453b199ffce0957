#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include <fusion/eval/error_bounds.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/reduce.hpp>

namespace fusecl::detail {

FUSECL_INLINE long double distance(long double a, long double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const long double apart = std::fabs(a - b);
  return std::isnan(apart) ? std::numeric_limits<long double>::infinity() : apart;
}

namespace bounds {

/// Operands of an operation whose errors can be carried.
inline constexpr int most_operands = 16;

using ir::graph, ir::host_matrix, ir::node, ir::node_id;
using long_doubles = std::vector<long double>;

/// Below this a device may flush to zero.
inline long double tiny(scalar_type type) {
  if (type == scalar_type::float64) return std::numeric_limits<double>::min();
  return type == scalar_type::float32 ? std::numeric_limits<float>::min() : 0;
}

/// What rounding may do to a result. The interpreter rounds twice (to extended precision first), which is the
/// 0.51; results that are exact however they are computed have no error at zero.
inline long double rounding(scalar_type type, long double value, long double ulp) {
  if (!is_floating(type) || !std::isfinite(value) || (value == 0 && ulp <= 0.5L)) return 0;
  const long double flushed = std::fabs(value) < 16 * tiny(type) ? 4 * tiny(type) : 0;
  return (ulp + 0.51L) * unit_of(type) * std::fabs(value) + flushed;
}

/// OpenCL allows float division 2.5 ulp where every other device here divides exactly.
inline long double allowed_ulp(const node& n) {
  const bool divides = n.is(op::divide::record()) && n.type == scalar_type::float32;
  return divides ? 2.5L : static_cast<long double>(n.op->ulp);
}

/// Largest change of `f` when its operands move by their errors, alone or together.
template <class F>
long double spread(F f, const long double* x, const long double* error, const scalar_type* types, int count) {
  long double widest = 0;
  long double corner[most_operands] = {};
  const long double center = f(x);
  int corners = 1;
  for (int k = 0; k < count; ++k) corners *= 3;
  for (int c = 1; c < corners; ++c) {
    bool moved = true;
    for (int k = 0, rest = c; k < count; ++k, rest /= 3) {
      const int side = rest % 3 == 2 ? -1 : rest % 3;
      moved = moved && (side == 0 || error[k] != 0);
      corner[k] = side == 0 ? x[k] : x[k] + static_cast<long double>(side) * error[k];
      if (types[k] == scalar_type::boolean) corner[k] = corner[k] > 0.5L;
    }
    if (moved) widest = std::max(widest, distance(f(corner), center));
  }
  return widest;
}

inline long double values_at(const host_matrix& m, std::int64_t i, std::int64_t j) {
  return m.values[static_cast<std::size_t>(i + j * m.rows)];
}

inline long_doubles elementwise_errors(const graph& g, const node& n, const std::vector<host_matrix>& values,
                                       const std::vector<long_doubles>& errors, const host_matrix& own) {
  long_doubles result(own.values.size());
  if (ir::arity(n) > most_operands)
    throw std::logic_error("error bounds: operation " + std::string(n.op->name) + " has too many operands");
  scalar_type types[most_operands] = {};
  for (int k = 0; k < ir::arity(n); ++k) types[k] = g[n.operands[k]].type;
  const bool moves = n.is(ir::leaf_operations::cast) || n.is(ir::leaf_operations::broadcast);
  const auto f = [&](const long double* moved) {
    if (moves) return ir::rounded(n.type, moved[0]);
    long double x[most_operands] = {};
    for (int k = 0; k < ir::arity(n); ++k)  // operands that are one node move together
      x[k] = moved[k > 0 && n.operands[k] == n.operands[0] ? 0 : k];
    return ir::interpret_element(*n.op, types[n.op->types == ir::type_rule::selection ? 1 : 0], n.type, x);
  };
  for (std::int64_t j = 0; j < own.cols; ++j)
    for (std::int64_t i = 0; i < own.rows; ++i) {
      if (is_outside(n.view, i, j)) continue;
      long double x[most_operands] = {}, error[most_operands] = {};
      for (int k = 0; k < ir::arity(n); ++k) {
        const node_id id = n.operands[k];
        const host_matrix& from = values[static_cast<std::size_t>(id)];
        const auto at =
            static_cast<std::size_t>((from.rows == 1 ? 0 : i) + (from.cols == 1 ? 0 : j) * from.rows);
        x[k] = from.values[at];
        error[k] = errors[static_cast<std::size_t>(id)][at];
        // next to a zero of a function its record can promise no more than operands one half ulp away give
        const bool near_zero = std::fabs(values_at(own, i, j)) < 0.25L && values_at(own, i, j) != 0;
        if (!moves && n.op->ulp > 0.5f && near_zero) error[k] += 0.5L * unit_of(types[k]) * std::fabs(x[k]);
      }
      const auto at = static_cast<std::size_t>(i + j * own.rows);
      const bool exact = moves && x[0] == own.values[at];
      result[at] = spread(f, x, error, types, ir::arity(n)) +
                   (exact ? 0 : rounding(n.type, own.values[at], moves ? 0.5L : allowed_ulp(n)));
    }
  return result;
}

/// Sums may be added in any order: n eps sum|x| for few terms, and for many 3 sqrt(n) eps sum|x|, which
/// independent roundings exceed with probability below 1e-7 (Higham and Mary 2019). Products: every factor's
/// relative error and n eps.
inline long_doubles reduction_errors(const node& n, const host_matrix& from, const long_doubles& errors,
                                     const host_matrix& own) {
  const bool by_row = n.axis() == ir::axis::row, by_column = n.axis() == ir::axis::column;
  long_doubles result(own.values.size()), size(own.values.size());
  std::vector<std::int64_t> count(own.values.size());
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
    if (!std::isfinite(own.values[k])) {
      if (!std::isinf(result[k])) result[k] = 0;
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
inline long_doubles scan_errors(const node& n, const host_matrix& from, const long_doubles& errors,
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
      if (!is_floating(n.type) || std::isfinite(own.values[at]))
        result[at] = error + (is_floating(n.type) ? terms * size + 4 * tiny(n.type) : 0);
      else
        result[at] = std::isinf(error) ? error : 0;
    }
  }
  return result;
}

/// If `n` compares values with their own maximum or minimum, the node of the values, else no_node.
inline node_id compared_with_own_extreme(const graph& g, const node& n) {
  if (!n.is(op::equal::record())) return ir::no_node;
  for (int k = 0; k < 2; ++k) {
    const node* extreme = &g[n.operands[k]];
    if (extreme->is(ir::leaf_operations::broadcast)) extreme = &g[extreme->operands[0]];
    const bool is_extreme = extreme->is(op::max::record()) || extreme->is(op::min::record());
    if (is_extreme && extreme->operands[0] == n.operands[1 - k]) return n.operands[1 - k];
  }
  return ir::no_node;
}

/// Of such a comparison: which element is the extreme one is certain unless another one is nearly equal.
/// Elements that are equal here are expected to be equal on the device where they are only moved; computed
/// ones may be rounded differently, by whole vectors and element by element.
inline long_doubles extreme_errors(const graph& g, const node& n, node_id compared,
                                   const std::vector<host_matrix>& values,
                                   const std::vector<long_doubles>& errors, const host_matrix& own) {
  const node_id extreme = n.operands[0] == compared ? n.operands[1] : n.operands[0];
  const node& spread_out = g[extreme];
  const node& reduction =
      spread_out.is(ir::leaf_operations::broadcast) ? g[spread_out.operands[0]] : spread_out;
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
  std::vector<char> uncertain(groups, 0);
  std::vector<std::int64_t> equal_ones(groups, 0);
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

FUSECL_INLINE std::vector<std::vector<long double>> carried_errors(const ir::graph& g,
                                                                   const std::vector<ir::host_matrix>& values,
                                                                   const ir::host_bindings& bindings) {
  using bounds::node_id, bounds::graph, bounds::node, bounds::host_matrix, bounds::long_doubles,
      bounds::reduction_errors, bounds::scan_errors, bounds::compared_with_own_extreme,
      bounds::extreme_errors, bounds::elementwise_errors;
  std::vector<long_doubles> errors;
  for (node_id id = 0; id < g.size(); ++id) {
    const host_matrix& own = values[static_cast<std::size_t>(id)];
    const node& n = g[id];
    if (n.op->kind == ir::op_class::scan) {
      const auto from = static_cast<std::size_t>(n.operands[0]);
      errors.push_back(scan_errors(n, values[from], errors[from], own));
    } else if (n.op->kind == ir::op_class::reduction) {
      const auto from = static_cast<std::size_t>(n.operands[0]);
      errors.push_back(reduction_errors(n, values[from], errors[from], own));
    } else if (n.op->kind == ir::op_class::leaf) {
      errors.emplace_back(own.values.size(), 0.0L);
    } else if (n.op->kind == ir::op_class::access) {
      const auto from = static_cast<std::size_t>(n.operands[0]);
      const host_matrix moved{values[from].rows, values[from].cols, errors[from]};
      errors.emplace_back();
      for (std::int64_t j = 0; j < own.cols; ++j)
        for (std::int64_t i = 0; i < own.rows; ++i)
          errors.back().push_back(ir::accessed_element(g, bindings, n, moved, i, j));
    } else if (const node_id compared = compared_with_own_extreme(g, n); compared != ir::no_node) {
      errors.push_back(extreme_errors(g, n, compared, values, errors, own));
    } else {
      errors.push_back(elementwise_errors(g, n, values, errors, own));
    }
  }
  return errors;
}

}  // namespace fusecl::detail
