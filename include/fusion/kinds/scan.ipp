#pragma once
// Scans. What a group (GPU) or work-item (CPU) takes is a chunk of a line, that is of a row or column. Where
// one chunk is a line, one kernel reads it once. Else the main kernel leaves what each chunk amounts to, and
// the finishing kernel combines what its chunk follows with a walk over it. What follows from scans element
// by element is computed and stored in the same walk.

#include <algorithm>

#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/scan_cpu.ipp>
#include <fusion/kinds/scan_gpu.ipp>

namespace fusecl::kinds {
namespace scan_walk {

// Work-items of a GPU that share a column, at least, and that take rows (in vectors) side by side: enough to
// fill memory segments, and what is left for columns where these are cut.
inline constexpr std::int64_t fewest_lanes = 8, most_lanes = 64;

FUSECL_INLINE bool takes(const plan&, const step& s) { return s.scans; }

/// Parts of each line where there are `lines` groups without, at least `shortest` long.
FUSECL_INLINE std::int64_t parts_for(std::int64_t lines, std::int64_t length, std::int64_t shortest,
                                     std::int64_t enough, std::int64_t wanted) {
  if (lines >= enough) return 1;
  return std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(lines, 1), 1,
                                  std::max<std::int64_t>(length / shortest, 1));
}

/// Cuts lines of `length` into chunks that are multiples of `tile`; `lines` of them are side by side, in
/// `tiles` groups.
FUSECL_INLINE void cut_lines(geometry& g, const launch_request& r, std::int64_t length, std::int64_t lines,
                             std::int64_t tiles, std::int64_t parts, std::int64_t tile) {
  const std::int64_t chunk = std::max(round_up(divide_up(length, parts), tile), tile);
  parts = std::max<std::int64_t>(divide_up(length, chunk), 1);
  g.kernel.partial = parts > 1;
  g.groups = length > 0 ? tiles * parts : 0;
  g.finish_groups = g.groups;
  const std::int64_t elements = lines * parts;
  if (g.kernel.partial) g.part_elements.assign(r.s.reductions.size(), elements);
  g.sizes.push_back({"parts", parts});
  g.sizes.push_back({"chunk", chunk});
  g.sizes.push_back({"tile", tile});
}

FUSECL_INLINE void shape_gpu_columns(geometry& g, const launch_request& r, std::int64_t length) {
  const std::int64_t lines = r.s.linear ? 1 : r.cols(), group = g.local, units = r.device.compute_units;
  std::int64_t lanes = std::min(fewest_lanes, group);
  while (lanes < group && lanes * gpu_vectors < length) lanes *= 2;
  g.kernel.choices[0] = static_cast<std::uint16_t>(lanes);
  const std::int64_t tile = lanes * gpu_vectors, tiles = divide_up(lines, group / lanes);
  cut_lines(g, r, length, lines, tiles, parts_for(tiles, length, 4 * tile, 3 * units, 24 * units), tile);
  g.sizes.push_back({"first_stride", first_stride(lanes), true});
}

FUSECL_INLINE void shape_gpu_rows(geometry& g, const launch_request& r, std::int64_t rows) {
  const std::int64_t group = g.local, units = r.device.compute_units;
  std::int64_t lanes = group;
  while (lanes > fewest_lanes && divide_up(rows, lanes) < 4 * units) lanes /= 2;
  const bool single = divide_up(rows, lanes) >= 2 * units || r.cols() <= 4 * gpu_columns;
  if (!single) lanes = std::min(most_lanes, group);
  while (lanes / 2 >= rows) lanes /= 2;
  g.kernel.choices[0] = static_cast<std::uint16_t>(lanes);
  const std::int64_t tile = group / lanes * gpu_columns, tiles = divide_up(rows, lanes);
  const std::int64_t parts = single ? 1 : parts_for(tiles, r.cols(), 2 * tile, 3 * units, 4 * units);
  cut_lines(g, r, r.cols(), r.rows(), tiles, parts, tile);
  g.sizes.push_back({"first_stride", first_stride(group / lanes), true});
}

FUSECL_INLINE void shape_cpu(geometry& g, const launch_request& r, std::int64_t length) {
  const std::int64_t units = r.device.compute_units, rows = r.rows(), cols = r.cols();
  if (!along_columns(r.s)) {
    const std::int64_t tiles = divide_up(rows, cpu_row_tile);
    const std::int64_t shortest = std::max<std::int64_t>(2 * cpu_part / std::max<std::int64_t>(rows, 1), 16);
    cut_lines(g, r, cols, rows, tiles, parts_for(tiles, cols, shortest, 2 * units, 4 * units), 1);
    g.sizes.push_back({"col_tile", 1});
    return;
  }
  const std::int64_t lines = r.s.linear ? 1 : cols;
  const std::int64_t step = r.s.linear ? 1 : g.kernel.width;
  const std::int64_t shortest = 2 * cpu_part / (r.s.linear ? g.kernel.width : 1);
  const std::int64_t parts = parts_for(lines, length, shortest, 2 * units, 4 * units);
  const std::int64_t col_tile =
      parts > 1
          ? 1
          : std::clamp<std::int64_t>(lines / (4 * units), 1,
                                     std::max<std::int64_t>(cpu_chunk / std::max<std::int64_t>(rows, 1), 1));
  cut_lines(g, r, length, lines, divide_up(lines, col_tile), parts, step);
  g.sizes.push_back({"col_tile", col_tile});
}

FUSECL_INLINE geometry shape(const launch_request& r) {
  geometry g;
  const std::int64_t elements = r.rows() * r.cols();
  const bool any = elements > 1 && r.padded, whole = r.rows() % r.width == 0;
  std::int64_t width = r.s.linear ? (any ? r.width : 1) : whole && any ? r.width : 1;
  g.local = r.on_cpu() ? 1 : r.device.group;
  g.kernel.distinct = r.distinct;
  if (r.on_cpu() && !r.s.linear) {
    width = r.rows() >= r.width ? r.width : 1;
    g.kernel.ragged = width > 1;  // chunks may end anywhere
  }
  g.kernel.width = static_cast<std::uint8_t>(width);
  if (r.s.linear) g.kernel.ragged = elements % width != 0;
  const std::int64_t unit = r.on_cpu() && !r.s.linear ? 1 : width;
  const std::int64_t rows = divide_up(r.s.linear ? elements : r.rows(), unit);
  g.sizes = {{"rows", rows}, {"cols", r.s.linear ? 1 : r.cols()}, {"elements", elements}};
  if (elements == 0) {
    cut_lines(g, r, 0, 0, 0, 1, 1);
    g.sizes.push_back({r.on_cpu() ? "col_tile" : "first_stride", 1, !r.on_cpu()});
    return g;
  }
  if (r.on_cpu())
    shape_cpu(g, r, rows);
  else if (along_columns(r.s))
    shape_gpu_columns(g, r, rows);
  else
    shape_gpu_rows(g, r, rows);
  return g;
}

FUSECL_INLINE codegen::program_text emit(const codegen::emit_request& r) {
  return r.p.form == device_form::cpu ? cpu_emitter(r).run() : gpu_emitter(r).run();
}

}  // namespace scan_walk

inline constexpr step_kind scan{
    kind_order::scan, "scan",           "chunks of lines, each from what those before it amount to",
    scan_walk::takes, scan_walk::shape, scan_walk::emit};

}  // namespace fusecl::kinds
