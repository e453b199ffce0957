#pragma once
#include <algorithm>

#include <fusion/schedule/geometry.hpp>

namespace fusecl::schedule {
namespace detail {

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return divide_up(a, b) * b; }

// Elements a work-item of a CPU walks at a time: large enough to hide the cost of a group, small enough that
// tiles stay in the first-level cache.
inline constexpr std::int64_t cpu_chunk = 8192;
// Rows of a column vector, in vectors, that the caches of a GPU keep while a block of them is walked, and
// from which on blocks are worth their arithmetic (H200, 1e6 x 100: 0.96 of copy bandwidth against 0.93; 2e6
// x 50: 0.95 against 0.71).
inline constexpr std::int64_t gpu_block = 131072;
inline constexpr std::int64_t tall_rows = 3 * gpu_block;
// Rows from which on single elements in blocks beat vectors that cross columns.
inline constexpr std::int64_t tall_ragged_rows = 12 * gpu_block;
// Elements of a result that the caches of a CPU do not hold until it is read again.
inline constexpr std::int64_t streaming_elements = 4'000'000;

// Rows of a CPU's tile where an operand is transposed: each is a cache line of the operand, which stays in
// the first-level cache while the columns pass along it.
inline constexpr std::int64_t cpu_transposed_rows = 16;
inline constexpr std::int64_t cpu_transposed_cols = 256;

// Elements that are worth a group of their own where groups leave partial results.
inline constexpr std::int64_t cpu_part = 16384;

/// Groups of a reduction on a CPU: enough of them to share the work evenly, few enough to cost nothing.
inline std::int64_t cpu_groups(std::int64_t elements, std::int64_t units) {
  return std::clamp(elements / (4 * cpu_part), 8 * units, 32 * units);
}

/// Several accumulators let additions overlap. Heavy expressions hide that wait, and stores need the
/// bandwidth (measured: a sum of 1e6 doubles 8 % faster with four).
inline std::uint8_t cpu_accumulators(const step& s, int width) {
  constexpr double light = 8;
  const bool fits = s.reduces && s.stores.empty() && width > 1 && s.reductions.size() <= 4;
  return fits && s.flops <= light ? 4 : 1;
}

inline void linear(const step& s, geometry& g, const device_shape& device) {
  const bool cpu = device.form == device_form::cpu;
  const std::int64_t units = device.compute_units;
  if (!s.reduces) {
    const std::int64_t width = g.kernel.width;
    g.chunk =
        cpu ? std::clamp(divide_up(g.count, 4 * units), 256 / width + 1, cpu_chunk / width) : device.group;
    g.groups = divide_up(g.count, g.chunk);
    return;
  }
  const bool stores = !s.stores.empty();  // hide less latency per work-item: many groups in flight instead
  const std::int64_t shortest = cpu ? cpu_part / g.kernel.width : device.group * (stores ? 4 : 8);
  const std::int64_t most = cpu ? cpu_groups(g.count * g.kernel.width, units) : (stores ? 64 : 8) * units;
  g.groups = std::clamp<std::int64_t>(divide_up(g.count, shortest), 1, most);
  g.chunk = round_up(divide_up(g.count, g.groups), cpu ? 1 : device.group);
  g.groups = std::max<std::int64_t>(1, divide_up(g.count, std::max<std::int64_t>(g.chunk, 1)));
  g.parts = g.groups;
}

/// Work-items of a group side by side along `length`: all of it where it is short, else whole memory
/// segments.
inline std::int64_t lanes_along(std::int64_t length, std::int64_t group) {
  if (length <= 64 || group < 64) return std::clamp<std::int64_t>(length, 1, group);
  if (length >= 512) return 64;
  std::int64_t best = 64;
  for (std::int64_t lanes : {48, 32})
    if (round_up(length, lanes) < round_up(length, best)) best = lanes;
  return best;
}

/// Columns in turn: work-items of a group share columns, several rounds each so that loads overlap.
inline std::int64_t tile_gpu_columns(geometry& g, const device_shape& device, std::int64_t rows,
                                     std::int64_t cols, std::int64_t wanted) {
  const bool tall = rows * g.kernel.width >= 4096;
  g.lanes = tall          ? device.group
            : rows >= 512 ? std::min<std::int64_t>(32, device.group)
            : rows >= 24  ? divide_up(rows, divide_up(rows, 12))
            : rows >= 4   ? 4
                          : 1;
  g.col_tile = device.group / g.lanes;
  const std::int64_t col_tiles = divide_up(cols, g.col_tile);
  const std::int64_t most = std::max<std::int64_t>(divide_up(rows, std::int64_t{8} * g.lanes), 1);
  const std::int64_t pieces =
      std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(col_tiles, 1), 1, most);
  g.row_tile = std::max<std::int64_t>(round_up(divide_up(rows, pieces), g.lanes), 1);
  g.row_tiles = std::max<std::int64_t>(divide_up(rows, g.row_tile), 1);
  g.parts = g.row_tiles;
  return col_tiles;
}

/// Rows side by side: work-items keep their rows while the columns pass.
inline std::int64_t tile_gpu_rows(const step& s, geometry& g, const device_shape& device, std::int64_t rows,
                                  std::int64_t cols, std::int64_t wanted) {
  g.lanes = lanes_along(rows, device.group);
  const std::int64_t across = device.group / g.lanes;
  g.row_tile = g.lanes;
  g.row_tiles = std::max<std::int64_t>(1, divide_up(rows, g.row_tile));
  const std::int64_t most = std::max<std::int64_t>(divide_up(cols, 8 * across), 1);
  const std::int64_t pieces = std::clamp<std::int64_t>(wanted / g.row_tiles, 1, most);
  g.col_tile = std::max<std::int64_t>(round_up(divide_up(cols, pieces), across), 1);
  const std::int64_t col_tiles = std::max<std::int64_t>(1, divide_up(cols, g.col_tile));
  g.parts = s.axis == ir::axis::all ? g.row_tiles * col_tiles : col_tiles;
  return col_tiles;
}

inline void tile_gpu(const step& s, geometry& g, const device_shape& device, std::int64_t rows,
                     std::int64_t cols) {
  const std::int64_t wanted = 16 * device.compute_units;
  const std::int64_t col_tiles = s.axis == ir::axis::column ? tile_gpu_columns(g, device, rows, cols, wanted)
                                                            : tile_gpu_rows(s, g, device, rows, cols, wanted);
  g.groups = g.row_tiles * col_tiles;
}

/// Every work-item takes the next vector of the domain. Its row and column take a division, which costs less
/// than the uneven groups of a grid of tiles (H200: 0.98 to 0.99 of copy bandwidth against 0.96), and the
/// columns need not divide into whole vectors.
inline void number_gpu(const step& s, geometry& g, const device_shape& device, std::int64_t rows,
                       std::int64_t cols) {
  const std::int64_t width = g.kernel.width;
  g.kernel.crossing = rows % width != 0;
  g.kernel.blocks = s.reuses_rows && !g.kernel.crossing && cols > 1 && rows / width >= tall_rows;
  g.kernel.large = rows * cols >= std::int64_t{1} << 31;
  g.row_tile = g.kernel.blocks ? gpu_block : 0;
  g.count = divide_up(rows * cols, width);
  g.groups = divide_up(g.count, device.group);
}

inline void tile_cpu(const step& s, geometry& g, const device_shape& device, std::int64_t rows,
                     std::int64_t cols) {
  const std::int64_t wanted = 4 * device.compute_units;
  if (!s.reduces && s.transposes && rows >= cpu_transposed_rows && cols > 1) {
    g.col_tile = std::min(cols, cpu_transposed_cols);
    g.row_tile = round_up(divide_up(cpu_chunk / 2, g.col_tile), cpu_transposed_rows);
    g.row_tiles = divide_up(rows, g.row_tile);
  } else if (s.reduces && s.axis == ir::axis::row) {
    g.row_tile = cpu_row_tile;
    g.row_tiles = divide_up(rows, g.row_tile);
    const std::int64_t parts =
        std::clamp<std::int64_t>(wanted / std::max<std::int64_t>(g.row_tiles, 1), 1,
                                 std::max<std::int64_t>(rows * cols / (2 * cpu_part), 1));
    g.col_tile = std::max<std::int64_t>(1, divide_up(cols, parts));
  } else {
    const bool few_columns = cols < wanted && rows >= 2 * cpu_part;
    const bool keep_vector = s.reuses_rows && cols > 1 && rows >= 2 * cpu_part;
    const std::int64_t pieces = few_columns ? divide_up(wanted, std::max<std::int64_t>(cols, 1)) : 1;
    g.row_tile = keep_vector   ? cpu_chunk
                 : few_columns ? round_up(std::max(divide_up(rows, pieces), cpu_chunk), g.kernel.width)
                               : std::max<std::int64_t>(rows, 1);
    g.row_tiles = std::max<std::int64_t>(1, divide_up(rows, g.row_tile));
    const bool only_reads = s.reduces && s.stores.empty();
    const std::int64_t fewest = 1, most = divide_up(rows * cols, cpu_part / 8);
    const std::int64_t groups =
        only_reads ? std::max(fewest, std::min(cpu_groups(rows * cols, device.compute_units), most)) : wanted;
    const std::int64_t balanced = divide_up(cols, divide_up(groups, g.row_tiles));
    const std::int64_t cached = only_reads || (s.reduces && s.axis == ir::axis::all) ? balanced
                                : keep_vector                                        ? 32
                                              : divide_up(2 * cpu_chunk, g.row_tile);
    g.col_tile = std::max<std::int64_t>(1, std::min(balanced, cached));
  }
  const std::int64_t col_tiles = std::max<std::int64_t>(1, divide_up(cols, g.col_tile));
  g.groups = std::max<std::int64_t>(s.reduces ? 1 : 0, g.row_tiles) * col_tiles;
  if (!s.reduces) return;
  g.row_tiles = std::max<std::int64_t>(1, g.row_tiles);
  g.parts = s.axis == ir::axis::all ? g.groups : s.axis == ir::axis::row ? col_tiles : g.row_tiles;
}

/// Lanes and groups of the kernel that adds `parts` partial results for each of `results` elements.
inline void finish(geometry& g, const device_shape& device) {
  if (device.form == device_form::cpu) {
    g.finish_groups = divide_up(g.results, cpu_finish_tile);
    return;
  }
  // many parts of few results: the parts are spread over the work-items instead of the results
  const std::int64_t most = std::min<std::int64_t>(g.parts <= 64      ? 32
                                                   : g.results <= 512 ? 1
                                                                      : 8,
                                                   device.group);
  g.finish_lanes = std::clamp<std::int64_t>(g.results, 1, most);
  g.finish_groups = divide_up(g.results, g.finish_lanes);
}

}  // namespace detail

FUSECL_INLINE std::int64_t first_stride(std::int64_t count) {
  std::int64_t stride = 1;
  while (2 * stride < count) stride *= 2;
  return count > 1 ? stride : 0;
}

FUSECL_INLINE int widest(const plan& p, const step& s, const device_shape& device) {
  std::vector<char> needed(static_cast<std::size_t>(p.graph.size()), 0);
  for (const store& result : s.stores) needed[static_cast<std::size_t>(result.value)] = 1;
  for (ir::node_id id : s.reductions) needed[static_cast<std::size_t>(id)] = 1;
  for (ir::node_id id : s.domain_values(p.graph)) needed[static_cast<std::size_t>(id)] = 1;
  std::size_t largest = 4;
  for (ir::node_id id = p.graph.size(); id-- > 0;) {
    const ir::node& n = p.graph[id];
    if (!needed[static_cast<std::size_t>(id)]) continue;
    largest = std::max(largest, size_of(n.type));
    if (p.loads(s, id)) continue;
    for (int k = 0; k < ir::arity(n); ++k) needed[static_cast<std::size_t>(n.operands[k])] = 1;
  }
  // a loop that also stores does well with narrow accesses (H200: 0.95 of copy bandwidth against 0.96 for
  // double4 and 0.81 for double2) and leaves registers to heavy expressions (10 % faster with lgamma)
  const bool stores_in_loop = s.walk == pattern::linear && s.reduces && !s.stores.empty();
  const int bytes =
      device.form == device_form::cpu ? device.vector_bytes : device.access_bytes / (stores_in_loop ? 2 : 1);
  return std::max(1, bytes / static_cast<int>(largest));
}

FUSECL_INLINE geometry choose_geometry(const step& s, int width, const device_shape& device,
                                       std::int64_t rows, std::int64_t cols, bool padded, bool distinct) {
  geometry g;
  g.kernel.distinct = distinct;
  const bool cpu = device.form == device_form::cpu;
  g.local = cpu ? 1 : device.group;
  if (s.walk == pattern::linear) {
    const std::int64_t elements = rows * cols;
    g.kernel.width = static_cast<std::uint8_t>(padded && elements > 1 ? width : 1);
    g.kernel.ragged = s.reduces && elements % g.kernel.width != 0;
    g.count = detail::divide_up(elements, g.kernel.width);
    g.kernel.streaming =
        cpu && device.streams && g.kernel.width > 1 && elements >= detail::streaming_elements;
    detail::linear(s, g, device);
  } else if (cpu) {
    g.kernel.width = static_cast<std::uint8_t>(rows >= width ? width : 1);
    g.kernel.ragged = rows % g.kernel.width != 0;
    detail::tile_cpu(s, g, device, rows, cols);
  } else if (!s.reduces) {
    const bool whole = rows % width == 0;
    const bool crossing =
        s.cols != ir::one && !s.maps && !(s.reuses_rows && rows >= detail::tall_ragged_rows);
    const bool fits = padded && rows >= width && (whole || crossing);
    g.kernel.width = static_cast<std::uint8_t>(fits ? width : 1);
    detail::number_gpu(s, g, device, rows, cols);
  } else {
    g.kernel.width = static_cast<std::uint8_t>(rows % width == 0 && padded && rows > 0 ? width : 1);
    detail::tile_gpu(s, g, device, rows / g.kernel.width, cols);
  }
  if (cpu) g.kernel.accumulators = detail::cpu_accumulators(s, g.kernel.width);
  if (s.reduces) {
    g.results = s.axis == ir::axis::row ? rows : s.axis == ir::axis::column ? cols : 1;
    g.kernel.partial = g.parts > 1;
    g.kernel.last = g.kernel.partial && cpu && device.last_group && s.axis == ir::axis::all;
    const bool along_rows = s.walk == pattern::reduce_cols, along_cols = s.walk == pattern::reduce_rows;
    g.tree = along_rows ? g.lanes : along_cols ? g.local / g.lanes : g.local;
    detail::finish(g, device);
    if (g.results == 0) g.groups = 0;
  }
  return g;
}

}  // namespace fusecl::schedule
