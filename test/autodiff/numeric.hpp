#pragma once
// Numerical derivatives for comparison, and graphs with bindings that are convenient to write in tests.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/ir/interpret.hpp>
#include <fusion/ops/gather.hpp>
#include <fusion/ops/registry.hpp>
#include <fusion/ops/structure.hpp>
#include <fusion/passes/differentiate.hpp>
#include <fusion/passes/forward_differentiate.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl::test {

/// A numerical derivative with an estimate of its error.
struct estimate {
  long double value;
  long double error;
};

/// Central differences at h, h/2 and h/4, extrapolated twice; the error is that of the last extrapolation.
template <class F>
estimate derivative_of(F f, long double x, long double h) {
  long double d[3];
  for (int k = 0; k < 3; ++k, h /= 2) d[k] = (f(x + h) - f(x - h)) / (2 * h);
  const long double once[] = {(4 * d[1] - d[0]) / 3, (4 * d[2] - d[1]) / 3};
  const long double twice = (16 * once[1] - once[0]) / 15;
  return {twice, std::fabs(twice - once[1]) + std::fabs(once[1] - d[2]) * 1e-3L};
}

/// A graph under construction together with the values of its leaves.
struct bound_graph {
  ir::graph g;
  ir::host_bindings values;
  std::vector<scalar_type> matrix_types, scalar_types;
  std::vector<bool> of_matrices;  ///< of each pair of extents, whether they are a matrix's

  /// A matrix operand with these elements, column by column.
  ir::node_id matrix(std::int64_t rows, std::int64_t cols, list_of<long double> elements,
                     scalar_type type = scalar_type::float64, matrix_cl_view view = matrix_cl_view::Entire) {
    for (long double& x : elements) x = ir::rounded(type, x);
    const auto first = static_cast<ir::extent>(values.extents.size());
    values.extents.push_back(rows);
    values.extents.push_back(cols);
    values.matrices.push_back({rows, cols, std::move(elements)});
    matrix_types.push_back(type);
    of_matrices.push_back(true);
    return g.matrix(type, static_cast<std::int64_t>(values.matrices.size()) - 1, first, first + 1, view);
  }
  ir::node_id scalar(long double value, scalar_type type = scalar_type::float64) {
    values.scalars.push_back(ir::rounded(type, value));
    scalar_types.push_back(type);
    return g.scalar(type, static_cast<std::int64_t>(values.scalars.size()) - 1);
  }
  ir::node_id access(const ir::access_map& map, ir::node_id id, ir::extent rows, ir::extent cols) {
    return g.access(op::access::record(), map, id, rows, cols);
  }
  ir::node_id transposed(ir::node_id id) {
    const ir::node n = g[id];
    return access(ir::access_map::transpose(), id, n.cols, n.rows);
  }
  ir::node_id cumulated(ir::node_id id, bool rows, bool from_end) {
    return g.scan(op::cumulative_sum::record(), rows ? ir::axis::row : ir::axis::column, from_end, id);
  }
  /// Two symbols of these sizes.
  ir::extent sizes(std::int64_t a, std::int64_t b) {
    values.extents.push_back(a);
    values.extents.push_back(b);
    of_matrices.push_back(false);
    return static_cast<ir::extent>(values.extents.size()) - 2;
  }
  scalar_type type_of(const passes::variable& v) const {
    return (v.matrix ? matrix_types : scalar_types)[static_cast<std::size_t>(v.number)];
  }
  /// All matrices and scalars of floating-point types as variables.
  list_of<passes::variable> variables() const {
    list_of<passes::variable> list;
    for (std::size_t k = 0; k < matrix_types.size(); ++k)
      if (is_floating(matrix_types[k])) list.push_back({true, static_cast<std::int64_t>(k)});
    for (std::size_t k = 0; k < scalar_types.size(); ++k)
      if (is_floating(scalar_types[k])) list.push_back({false, static_cast<std::int64_t>(k)});
    return list;
  }
};

inline list_of<long double>& elements_of(ir::host_bindings& values, const passes::variable& v,
                                         list_of<long double>& single) {
  if (v.matrix) return values.matrices[static_cast<std::size_t>(v.number)].values;
  single = {values.scalars[static_cast<std::size_t>(v.number)]};
  return single;
}

/// Total of the elements of a root for these values.
inline long double value_of(const ir::graph& g, const ir::host_bindings& values, std::size_t root = 0) {
  const list_of<ir::host_matrix> all = ir::interpret(g, values);
  long double total = 0;
  for (long double x : all[static_cast<std::size_t>(g.roots[root])].values) total += x;
  return total;
}

/// The numerical derivative of the first root with respect to element `at` of a variable. Steps are powers of
/// two: a value with few digits stays exact when it moves.
inline estimate difference(const ir::graph& g, ir::host_bindings values, const passes::variable& v,
                           std::size_t at, long double relative_step = 0x1p-11L) {
  long double& x = v.matrix ? values.matrices[static_cast<std::size_t>(v.number)].values[at]
                            : values.scalars[static_cast<std::size_t>(v.number)];
  const long double start = x;
  return derivative_of(
      [&](long double moved) {
        x = moved;
        return value_of(g, values);
      },
      start, std::ldexp(1.0L, std::ilogb(relative_step * std::max(0.5L, std::fabs(start)))));
}

/// Number of elements of a variable.
inline std::size_t count_of(const ir::host_bindings& values, const passes::variable& v) {
  return v.matrix ? values.matrices[static_cast<std::size_t>(v.number)].values.size() : 1;
}

/// Elements of the derivative in root `root`, repeated where one stands for all.
inline list_of<long double> derivative_in(const ir::graph& g, const ir::host_bindings& values,
                                          std::size_t root, std::size_t count) {
  list_of<long double> result = ir::interpret(g, values)[static_cast<std::size_t>(g.roots[root])].values;
  if (result.size() == 1 && count != 1) result.assign(count, result[0]);
  return result;
}

/// Compares the derivatives of the first root, as built and after the passes, with differences and with
/// forward accumulation.
inline void expect_derivatives(const bound_graph& b, long double tolerance = 1e-8L, bool differences = true) {
  const list_of<passes::variable> variables = b.variables();
  const ir::graph raw = passes::differentiate(b.g, variables);
  ir::verify(raw);
  const ir::graph passed = passes::run_pipeline(raw);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const std::size_t count = count_of(b.values, variables[k]);
    const list_of<long double> got = derivative_in(raw, b.values, k + 1, count);
    const list_of<long double> after = derivative_in(passed, b.values, k + 1, count);
    ASSERT_EQ(got.size(), count) << to_string(raw);
    ASSERT_EQ(after.size(), count) << to_string(passed);
    for (std::size_t at = 0; at < count; ++at) {
      EXPECT_NEAR(static_cast<double>(after[at]), static_cast<double>(got[at]),
                  static_cast<double>(1e-10L * (1 + std::fabs(got[at]))))
          << "passes, variable " << k << " element " << at << "\n"
          << to_string(raw) << to_string(passed);
      bound_graph forward = b;
      const auto& v = variables[k];
      ir::node_id direction;
      if (v.matrix) {
        const auto& m = b.values.matrices[static_cast<std::size_t>(v.number)];
        list_of<long double> unit(count);
        unit[at] = 1;
        direction = forward.matrix(m.rows, m.cols, unit);
      } else {
        direction = forward.g.constant(scalar_type::float64, 1);
      }
      const ir::graph tangent = passes::forward_differentiate(forward.g, {v}, {direction});
      ir::verify(tangent);
      const long double moved = value_of(tangent, forward.values, b.g.roots.size());
      EXPECT_NEAR(static_cast<double>(moved), static_cast<double>(got[at]),
                  static_cast<double>(1e-10L * (1 + std::fabs(got[at]))))
          << "forward, variable " << k << " element " << at << "\n"
          << to_string(tangent);
      if (!differences) continue;
      const estimate wanted = difference(b.g, b.values, v, at);
      EXPECT_NEAR(static_cast<double>(got[at]), static_cast<double>(wanted.value),
                  static_cast<double>(tolerance * (1 + std::fabs(wanted.value)) + wanted.error))
          << "variable " << k << " element " << at << "\n"
          << to_string(raw);
    }
  }
}

}  // namespace fusecl::test
