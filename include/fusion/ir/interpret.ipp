#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/floating.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/ir/interpret.hpp>

namespace fusecl::ir {

FUSECL_INLINE long double rounded(scalar_type type, long double value) {
  switch (type) {
    case scalar_type::boolean:
      return value != 0;
    case scalar_type::float32:
      return static_cast<float>(value);
    case scalar_type::float64:
      return static_cast<double>(value);
    default:
      break;
  }
  if (is_nan(value) || value < -0x1p63L || value >= 0x1p63L) return 0;  // no value of any integer type
  const auto whole = static_cast<std::int64_t>(value);
  if (type == scalar_type::int32) return static_cast<std::int32_t>(whole);
  if (type == scalar_type::uint32) return static_cast<std::uint32_t>(whole);
  return whole;
}

FUSECL_INLINE long double interpret_element(const operation& op, scalar_type operand_type,
                                            scalar_type result_type, const long double* operands) {
  if (!op.host && !op.host_integer)
    throw std::logic_error(text::fill("the reference lacks a host function of operation {}", {op.name}));
  if (is_floating(operand_type) || !op.host_integer) return rounded(result_type, op.host(operands));
  const list_of<std::int64_t> integers(operands, operands + op.arity);
  return rounded(result_type, op.host_integer(integers.data()));
}

FUSECL_INLINE long double interpret_at_place(const graph& g, const node& n, const long double* operands) {
  if (n.is(leaf_operations::cast) || n.is(leaf_operations::broadcast)) return rounded(n.type, operands[0]);
  const int typed_operand = n.op->types == type_rule::selection ? 1 : 0;
  return interpret_element(*n.op, g[n.operands[typed_operand]].type, n.type, operands);
}

namespace detail {

/// Reads an operand as if it had the shape of its user.
struct element_reader {
  const host_matrix& from;
  bool repeat_rows;
  bool repeat_cols;
  long double operator()(std::int64_t i, std::int64_t j) const {
    return from.values[static_cast<std::size_t>((repeat_rows ? 0 : i) + (repeat_cols ? 0 : j) * from.rows)];
  }
};

FUSECL_INLINE element_reader reader(const list_of<host_matrix>& values, node_id id) {
  const host_matrix& from = values[static_cast<std::size_t>(id)];
  return {from, from.rows == 1, from.cols == 1};
}

/// Run-time size of an extent symbol: that of any equal symbol which is not free.
FUSECL_INLINE std::int64_t size_of_extent(const graph& g, const host_bindings& bindings, extent e) {
  if (e == one) return 1;
  for (extent other = 0; other < static_cast<extent>(bindings.extents.size()); ++other)
    if (g.resolve(other) == g.resolve(e) && bindings.extents[static_cast<std::size_t>(other)] >= 0)
      return bindings.extents[static_cast<std::size_t>(other)];
  return 1;
}

FUSECL_INLINE long double element(const graph& g, const list_of<host_matrix>& values,
                                  const host_bindings& bindings, const node& n, std::int64_t i,
                                  std::int64_t j) {
  if (is_outside(n.view, i, j)) return 0;
  if (n.is(leaf_operations::matrix)) {
    const host_matrix& m = bindings.matrices[static_cast<std::size_t>(n.index)];
    return m.values[static_cast<std::size_t>(i + j * m.rows)];
  }
  if (n.is(leaf_operations::scalar)) return bindings.scalars[static_cast<std::size_t>(n.index)];
  if (n.is(leaf_operations::constant)) return n.value;
  if (n.is(leaf_operations::size))
    return rounded(n.type,
                   static_cast<long double>(size_of_extent(g, bindings, static_cast<extent>(n.index))));
  if (n.is(leaf_operations::row_index)) return i;
  if (n.is(leaf_operations::col_index)) return j;
  list_of<long double> operands;
  for (int k = 0; k < arity(n); ++k) operands.push_back(reader(values, n.operands[k])(i, j));
  return interpret_at_place(g, n, operands.data());
}

}  // namespace detail

FUSECL_INLINE long double interpreted_elements(const graph& g, const host_bindings& bindings) {
  long double total = 0;
  for (node_id id = 0; id < g.size(); ++id)
    total += static_cast<long double>(detail::size_of_extent(g, bindings, g[id].rows)) *
             static_cast<long double>(detail::size_of_extent(g, bindings, g[id].cols));
  return total;
}

FUSECL_INLINE list_of<host_matrix> interpret(const graph& g, const host_bindings& bindings) {
  list_of<host_matrix> values;
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    if (n.op->brings) {
      values.push_back(n.op->brings->interpret(g, bindings, n, values));
      continue;
    }
    host_matrix result{
        detail::size_of_extent(g, bindings, n.rows), detail::size_of_extent(g, bindings, n.cols), {}};
    result.values.reserve(static_cast<std::size_t>(result.rows * result.cols));
    for (std::int64_t j = 0; j < result.cols; ++j)
      for (std::int64_t i = 0; i < result.rows; ++i)
        result.values.push_back(detail::element(g, values, bindings, n, i, j));
    values.push_back(std::move(result));
  }
  return values;
}

}  // namespace fusecl::ir
