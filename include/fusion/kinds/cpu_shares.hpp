#pragma once
// How the kinds of steps for a CPU deal out work.

#include <algorithm>

#include <fusion/schedule/geometry.hpp>

namespace fusecl::kinds {

/// Elements a work-item of a CPU walks at a time: enough to hide the cost of a group, few enough that they
/// stay in the first-level cache.
inline constexpr std::int64_t cpu_chunk = 8192;
/// Rows of a reduction along rows that are accumulated side by side.
inline constexpr std::int64_t cpu_row_tile = 1024;
/// Elements that are worth a group of their own where groups leave partial results.
inline constexpr std::int64_t cpu_part = 16384;

/// Groups that share work which needs no more of them: enough for each unit that none waits long for another.
inline std::int64_t cpu_turns(const schedule::device_shape& device) { return 4 * device.compute_units; }

/// Lets each group have its share of `tasks`; adds the size "share".
inline void share_turns(schedule::geometry& g, const schedule::launch_request& r, std::int64_t tasks) {
  const std::int64_t share = std::max<std::int64_t>(1, schedule::divide_up(tasks, cpu_turns(r.device)));
  g.sizes.push_back({"share", share});
  g.groups = schedule::divide_up(tasks, share);
}

/// Elements of a vector.
inline std::int64_t lanes_of(const schedule::launch_request& r, scalar_type type) {
  return std::max<std::int64_t>(1, r.device.vector_bytes / static_cast<std::int64_t>(size_of(type)));
}

/// Groups of a reduction: enough of them to share the work evenly, few enough to cost nothing.
inline std::int64_t cpu_groups(std::int64_t elements, std::int64_t units) {
  return std::clamp(elements / (4 * cpu_part), 8 * units, 32 * units);
}

/// Several accumulators let additions overlap. Heavy expressions hide that wait, and stores need the
/// bandwidth (measured: a sum of 1e6 doubles 8 % faster with four).
inline std::uint8_t cpu_accumulators(const schedule::step& s, std::int64_t width) {
  constexpr double light = 8;
  const bool fits = s.reduces && s.stores.empty() && width > 1 && s.reductions.size() <= 4;
  return fits && s.flops <= light ? 4 : 1;
}

/// Whole vectors where a column has room for one.
inline void cpu_vectors(schedule::geometry& g, const schedule::launch_request& r) {
  const std::int64_t width = r.rows() >= r.width ? r.width : 1;
  g.kernel.width = static_cast<std::uint8_t>(width);
  g.kernel.ragged = r.rows() % width != 0;
  g.kernel.accumulators = cpu_accumulators(r.s, width);
  g.kernel.distinct = r.distinct;
}

/// Groups of columns, as many of which a walk takes at a time as a vector has lanes: adds the sizes "rows",
/// "cols" and "col_tile".
inline void cpu_columns(schedule::geometry& g, const schedule::launch_request& r) {
  const std::int64_t rows = r.rows(), cols = r.cols();
  const std::int64_t shared = schedule::divide_up(cols, cpu_turns(r.device));
  const std::int64_t col_tile =
      schedule::round_up(std::min(shared, schedule::divide_up(cpu_chunk, rows)), r.width);
  g.kernel.width = static_cast<std::uint8_t>(r.width);
  g.kernel.distinct = r.distinct;
  g.groups = schedule::divide_up(cols, col_tile);
  g.sizes = {{"rows", rows}, {"cols", cols}, {"col_tile", col_tile}};
}

}  // namespace fusecl::kinds
