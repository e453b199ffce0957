#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ops/arithmetic.hpp>
#include <fusion/ops/error_bounds.hpp>

namespace fusecl::detail {

FUSECL_INLINE long double distance(long double a, long double b) {
  if (a == b || (is_nan(a) && is_nan(b))) return 0;
  const long double apart = std::fabs(a - b);
  return is_nan(apart) ? std::numeric_limits<long double>::infinity() : apart;
}

namespace bounds {

/// Operands of an operation whose errors can be carried.
inline constexpr int most_operands = 16;

using ir::graph, ir::host_matrix, ir::node, ir::node_id;
using long_doubles = list_of<long double>;

/// Below this a device may flush to zero.
FUSECL_INLINE long double tiny(scalar_type type) {
  if (type == scalar_type::float64) return std::numeric_limits<double>::min();
  return type == scalar_type::float32 ? std::numeric_limits<float>::min() : 0;
}

/// What rounding may do to a result. The interpreter rounds twice (to extended precision first), which is the
/// 0.51; results that are exact however they are computed have no error at zero.
FUSECL_INLINE long double rounding(scalar_type type, long double value, long double ulp) {
  if (!is_floating(type) || !is_finite(value) || (value == 0 && ulp <= 0.5L)) return 0;
  const long double flushed = std::fabs(value) < 16 * tiny(type) ? 4 * tiny(type) : 0;
  return (ulp + 0.51L) * unit_of(type) * std::fabs(value) + flushed;
}

/// OpenCL allows float division 2.5 ulp where every other device here divides exactly.
FUSECL_INLINE long double allowed_ulp(const node& n) {
  const bool divides = n.is(op::divide::record()) && n.type == scalar_type::float32;
  return divides ? 2.5L : static_cast<long double>(n.op->ulp);
}

/// Largest change of `f` when its operands move by their errors, alone or together.
template <class F>
FUSECL_INLINE long double spread(F f, const long double* x, const long double* error,
                                 const scalar_type* types, int count) {
  int moving[most_operands];
  long double corner[most_operands];
  int axes = 0, corners = 1;
  for (int k = 0; k < count; ++k) {
    corner[k] = x[k];
    if (error[k] == 0) continue;
    moving[axes++] = k;
    corners *= 3;
  }
  if (axes == 0) return 0;
  long double widest = 0;
  const long double center = f(x);
  for (int c = 1; c < corners; ++c) {
    for (int axis = 0, rest = c; axis < axes; ++axis, rest /= 3) {
      const int k = moving[axis], side = rest % 3 == 2 ? -1 : rest % 3;
      corner[k] = side == 0 ? x[k] : x[k] + static_cast<long double>(side) * error[k];
      if (types[k] == scalar_type::boolean) corner[k] = corner[k] > 0.5L;
    }
    widest = std::max(widest, distance(f(corner), center));
  }
  return widest;
}

FUSECL_INLINE long double values_at(const host_matrix& m, std::int64_t i, std::int64_t j) {
  return m.values[static_cast<std::size_t>(i + j * m.rows)];
}

/// Whether a number has no place among the integers of a type: what a cast makes of it is not defined.
FUSECL_INLINE bool is_beyond(scalar_type type, long double x) {
  switch (type) {
    case scalar_type::int32:
      return !(x > -0x1p31L - 1 && x < 0x1p31L);
    case scalar_type::uint32:
      return !(x > -1 && x < 0x1p32L);
    case scalar_type::int64:
      return !(x >= -0x1p63L && x < 0x1p63L);
    default:
      return false;
  }
}

FUSECL_INLINE long_doubles elementwise_errors(const graph& g, const node& n,
                                              const list_of<host_matrix>& values,
                                              const list_of<long_doubles>& errors, const host_matrix& own) {
  long_doubles result(own.values.size());
  if (ir::arity(n) > most_operands)
    throw std::logic_error(text::fill("error bounds: operation {} has too many operands", {n.op->name}));
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
      bool unbounded = n.is(ir::leaf_operations::cast) && is_floating(types[0]) && is_beyond(n.type, x[0]);
      for (int k = 0; k < ir::arity(n); ++k) unbounded |= is_infinite(error[k]);
      if (unbounded) {
        result[at] = std::numeric_limits<long double>::infinity();
        continue;
      }
      const bool exact = moves && x[0] == own.values[at];
      result[at] = spread(f, x, error, types, ir::arity(n)) +
                   (exact ? 0 : rounding(n.type, own.values[at], moves ? 0.5L : allowed_ulp(n)));
    }
  return result;
}

/// The maximum or minimum that `id` is, or no_node: it starts from an infinity.
FUSECL_INLINE node_id extreme_at(const graph& g, node_id id) {
  if (g[id].is(ir::leaf_operations::broadcast)) id = g[id].operands[0];
  const bool is_extreme = g[id].op->kind == ir::op_class::reduction && is_infinite(g[id].op->host(nullptr));
  return is_extreme ? id : ir::no_node;
}

/// If `n` compares values with their own maximum or minimum, this reduction, else no_node.
FUSECL_INLINE node_id own_extreme(const graph& g, const node& n) {
  if (!n.is(op::equal::record())) return ir::no_node;
  for (int k = 0; k < 2; ++k) {
    const node_id extreme = extreme_at(g, n.operands[k]);
    if (extreme != ir::no_node && g[extreme].operands[0] == n.operands[1 - k]) return extreme;
  }
  return ir::no_node;
}

}  // namespace bounds

FUSECL_INLINE list_of<list_of<long double>> carried_errors(const ir::graph& g,
                                                           const list_of<ir::host_matrix>& values,
                                                           const ir::host_bindings& bindings) {
  list_of<list_of<long double>> errors;
  for (ir::node_id id = 0; id < g.size(); ++id) {
    const ir::host_matrix& own = values[static_cast<std::size_t>(id)];
    const ir::node& n = g[id];
    const ir::node_id extreme = bounds::own_extreme(g, n);
    const ir::support* brought = extreme != ir::no_node ? g[extreme].op->brings : n.op->brings;
    if (brought)
      errors.push_back(brought->errors({g, bindings, values, errors}, id));
    else if (n.op->kind == ir::op_class::leaf)
      errors.emplace_back(own.values.size(), 0.0L);
    else
      errors.push_back(bounds::elementwise_errors(g, n, values, errors, own));
  }
  return errors;
}

}  // namespace fusecl::detail
