#pragma once
// What kernels of factors, systems and inverses of many small matrices share.

#include <algorithm>

#include <fusion/base/fill.hpp>
#include <fusion/kinds/batched_emitter.hpp>
#include <fusion/ops/batched_factors.hpp>

namespace fusecl::kinds {

/// Work-items of a group on a GPU at least: what has fewer rows shares it with other matrices.
inline constexpr std::int64_t least_batched_group = 64;

/// Sizes of a step with square matrices in its first operand.
struct factor_sizes {
  std::int64_t rows, count;
  std::int64_t own_cols;  ///< of a matrix of the result
};

inline factor_sizes factors_of(const schedule::plan& p, const schedule::step& s,
                               std::span<const std::int64_t> extents) {
  const ir::graph& g = p.graph;
  const ir::node& n = g[s.reductions[0]];
  const std::int64_t rows = p.size_of(g.resolve(n.rows), extents),
                     count = rows == 0 ? 0 : p.size_of(g.resolve(g[n.operands[0]].cols), extents) / rows;
  return {rows, count, count == 0 ? 0 : p.size_of(g.resolve(n.cols), extents) / count};
}

/// A geometry with the rows, columns and number of these matrices.
inline schedule::geometry geometry_of_factors(const schedule::launch_request& r, const factor_sizes& sizes) {
  schedule::geometry g;
  g.kernel.distinct = r.distinct;
  g.sizes = {{"rows", sizes.rows}, {"cols", r.cols()}, {"count", sizes.count}};
  return g;
}

}  // namespace fusecl::kinds
