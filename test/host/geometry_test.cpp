// The loops of every kind of step, repeated on the host with the numbers its geometry gives: whatever the
// size, each element is visited once, and each part of each result is written once and read once.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <fusion/kinds/cpu_shares.hpp>
#include <fusion/kinds/kinds.hpp>
#include <fusion/ops/structure.hpp>

namespace fusecl {
namespace {

using namespace schedule;
using std::int64_t;

struct domain {
  int64_t rows, cols;
};

enum class pattern { linear, tiled, reduce_rows, reduce_cols };

/// Geometry of a step over rows x cols.
geometry choose_geometry(step s, int width, const device_shape& device, int64_t rows, int64_t cols,
                         bool padded, bool distinct) {
  const int64_t extents[] = {rows, cols};
  plan p;
  p.form = device.form;
  p.known_extent = {0, 1};
  using ir::supports;
  for (const ir::support* each : {&supports::reductions, &supports::scans, &supports::accesses})
    p.graph.bring(each);  // a step of any kind, although nothing but nodes for its reductions is in the graph
  for (std::size_t k = 0; k < s.reductions.size(); ++k)
    p.graph.constant(scalar_type::float64, static_cast<double>(k));
  s.rows = 0;
  return kinds::shape({p, s, device, extents, width, padded, distinct});
}

int64_t results_of(const step& s, const geometry& g) { return s.reduces ? g.size("results") : 0; }
int64_t parts_of(const step& s, const geometry& g) { return s.reduces ? g.size("parts") : 1; }

/// What a launch touched, counted.
struct trace {
  std::vector<int> visits;  ///< by element
  std::vector<int>
      parts;  ///< partial results by place in their buffer, or final results where there are none
};

trace empty_trace(const step& s, const geometry& g, domain d) {
  trace t;
  t.visits.assign(static_cast<std::size_t>(d.rows * d.cols), 0);
  t.parts.assign(static_cast<std::size_t>(results_of(s, g) * parts_of(s, g)), 0);
  return t;
}

void count(std::vector<int>& counts, int64_t at, const char* what) {
  ASSERT_TRUE(at >= 0 && at < static_cast<int64_t>(counts.size()))
      << what << " " << at << " of " << counts.size();
  ++counts[static_cast<std::size_t>(at)];
}
void visit(trace& t, int64_t first, int64_t width) {
  for (int64_t k = 0; k < width; ++k) count(t.visits, first + k, "element");
}

/// Whether `self` of `count` accumulators, combined as the generated trees do it, ends up in accumulator 0
/// once.
bool tree_adds_all(int64_t count) {
  std::vector<int64_t> sums(static_cast<std::size_t>(count), 1);
  for (int64_t stride = first_stride(count); stride > 0; stride /= 2)
    for (int64_t self = 0; self < stride && self + stride < count; ++self)
      sums[static_cast<std::size_t>(self)] += sums[static_cast<std::size_t>(self + stride)];
  return sums[0] == count;
}

void walk_linear(const step& s, const geometry& g, domain d, trace& t) {
  const int64_t elements = d.rows * d.cols, width = g.kernel.width;
  const auto touch = [&](int64_t i) {
    ASSERT_LT(i * width, elements);
    const bool whole = (i + 1) * width <= elements;
    // a vector may hang over the end: what is stored there is padding, what is added there is masked
    ASSERT_TRUE(whole || !s.reduces || g.kernel.ragged);
    visit(t, i * width, whole ? width : elements - i * width);
  };
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t begin = group * g.size("chunk"), end = std::min(begin + g.size("chunk"), g.size("count"));
    for (int64_t i = begin; i < end; ++i) touch(i);
    if (s.reduces) count(t.parts, group, "part");
  }
}

/// Vectors by number, as generated kernels find their row and column.
void walk_numbers_gpu(const geometry& g, domain d, trace& t) {
  const int64_t width = g.kernel.width, rows = g.kernel.crossing ? d.rows : d.rows / width;
  ASSERT_EQ(g.kernel.crossing, d.rows % width != 0);
  for (int64_t n = 0; n < std::min(g.groups * g.local, g.size("count")); ++n) {
    int64_t e = n, i = 0, j = 0;
    if (g.kernel.blocks) {
      const int64_t size = g.size("row_tile") * d.cols, block = n / size, inside = n - block * size;
      const int64_t first = block * g.size("row_tile"), height = std::min(g.size("row_tile"), rows - first);
      j = inside / height;
      i = first + inside - j * height;
      e = i + j * rows;
    } else {
      const int64_t at = g.kernel.crossing ? e * width : e;
      j = at / rows;
      i = at - j * rows;
    }
    for (int64_t k = 0; k < width; ++k) {
      const bool next = g.kernel.crossing && i + k >= rows;
      const int64_t row = g.kernel.crossing ? (next ? i + k - rows : i + k) : i * width + k;
      const int64_t column = next ? j + 1 : j;
      if (column == d.cols) {  // past the end: padding of the matrix, and of a row vector
        ASSERT_LT(e * width, d.rows * d.cols);
        ASSERT_LT(column, (d.cols + width - 1) / width * width);
        continue;
      }
      ASSERT_LT(row, d.rows);
      ASSERT_EQ(e * width + k, row + column * d.rows);
      count(t.visits, row + column * d.rows, "element");
    }
  }
}

void walk_tiles_gpu(const step& s, const geometry& g, domain d, trace& t) {
  if (!s.reduces) {
    walk_numbers_gpu(g, d, t);
    return;
  }
  const int64_t width = g.kernel.width, rows = d.rows / width, rounds = g.local / g.size("lanes");
  ASSERT_EQ(d.rows % width, 0);
  ASSERT_GE(rounds, 1);
  const bool by_row = s.axis == ir::axis::row, by_column = s.axis == ir::axis::column;
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t tile_i = group % g.size("row_tiles"), tile_j = group / g.size("row_tiles");
    for (int64_t lane = 0; lane < g.local; ++lane) {
      const int64_t across = lane % g.size("lanes"), down = lane / g.size("lanes");
      if (down >= rounds) continue;
      const auto touch = [&](int64_t i, int64_t j) { visit(t, i * width + j * d.rows, width); };
      if (by_column) {
        const int64_t j = tile_j * rounds + down;
        if (j >= d.cols) continue;
        for (int64_t i = tile_i * g.size("row_tile") + across;
             i < std::min((tile_i + 1) * g.size("row_tile"), rows); i += g.size("lanes"))
          touch(i, j);
        if (across == 0) count(t.parts, j + tile_i * d.cols, "part");
        continue;
      }
      const int64_t i = tile_i * g.size("lanes") + across;
      if (i >= rows) continue;
      for (int64_t j = tile_j * g.size("col_tile") + down;
           j < std::min((tile_j + 1) * g.size("col_tile"), d.cols); j += rounds)
        touch(i, j);
      for (int64_t k = 0; by_row && down == 0 && k < width; ++k)
        count(t.parts, i * width + k + tile_j * d.rows, "part");
    }
    if (s.axis == ir::axis::all) count(t.parts, group, "part");
  }
}

/// Rows begin ... end of column j: whole vectors, then single elements, which only a ragged kernel has.
void walk_column_cpu(const geometry& g, domain d, int64_t begin, int64_t end, int64_t j, trace& t) {
  int64_t i = begin;
  for (; i + g.kernel.width <= end; i += g.kernel.width) visit(t, i + j * d.rows, g.kernel.width);
  if (g.kernel.ragged)
    for (; i < end; ++i) visit(t, i + j * d.rows, 1);
}

void walk_tiles_cpu(const step& s, const geometry& g, domain d, trace& t) {
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t tile_i = group % g.size("row_tiles"), tile_j = group / g.size("row_tiles");
    const int64_t i_end = std::min((tile_i + 1) * g.size("row_tile"), d.rows),
                  j_end = std::min((tile_j + 1) * g.size("col_tile"), d.cols);
    for (int64_t j = tile_j * g.size("col_tile"); j < j_end; ++j) {
      walk_column_cpu(g, d, tile_i * g.size("row_tile"), i_end, j, t);
      if (s.reduces && s.axis == ir::axis::column) count(t.parts, j + tile_i * d.cols, "part");
    }
    if (s.reduces && s.axis == ir::axis::all) count(t.parts, group, "part");
  }
}

bool is_few_rows(const geometry& g) { return kinds::kind_of(g).name == std::string_view("few_rows"); }

/// Blocks of as many columns as a vector has lanes, then single columns.
void walk_few_rows_cpu(const geometry& g, domain d, trace& t) {
  const int64_t width = g.kernel.width;
  ASSERT_EQ(g.kernel.choices[0], d.rows);
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t begin = group * g.size("col_tile"), end = std::min(begin + g.size("col_tile"), d.cols);
    ASSERT_EQ(begin * d.rows % width, 0);
    int64_t j = begin;
    for (; j + width <= end; j += width)
      for (int64_t k = 0; k < d.rows; ++k) visit(t, j * d.rows + k * width, width);
    for (; j < end; ++j) visit(t, j * d.rows, d.rows);
  }
}

bool is_short_columns(const geometry& g) {
  return kinds::kind_of(g).name == std::string_view("short_columns");
}

/// Elements of a row side by side, of as many columns as a vector has lanes, then single columns.
void walk_short_columns_cpu(const geometry& g, domain d, trace& t) {
  const int64_t width = g.kernel.width;
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t begin = group * g.size("col_tile"), end = std::min(begin + g.size("col_tile"), d.cols);
    for (int64_t j = begin; j < end;) {
      const int64_t together = j + width <= end ? width : 1;
      for (int64_t i = 0; i < d.rows; ++i)
        for (int64_t lane = 0; lane < together; ++lane) visit(t, i + (j + lane) * d.rows, 1);
      for (int64_t lane = 0; lane < together; ++lane) count(t.parts, j + lane, "part");
      j += together;
    }
  }
}

void walk_rows_cpu(const geometry& g, domain d, trace& t) {
  ASSERT_EQ(kinds::cpu_row_tile % g.kernel.width, 0);
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t tile_i = group % g.size("row_tiles"), tile_j = group / g.size("row_tiles");
    const int64_t begin = tile_i * kinds::cpu_row_tile, end = std::min(begin + kinds::cpu_row_tile, d.rows);
    for (int64_t j = tile_j * g.size("col_tile"); j < std::min((tile_j + 1) * g.size("col_tile"), d.cols);
         ++j)
      walk_column_cpu(g, d, begin, end, j, t);
    for (int64_t i = begin; i < end; ++i) count(t.parts, i + tile_j * d.rows, "part");
  }
}

bool is_few_long_rows(const geometry& g) {
  return kinds::kind_of(g).name == std::string_view("few_long_rows");
}

/// Blocks of as many columns as vectors have lanes, then single columns.
void walk_few_long_rows_cpu(const geometry& g, domain d, trace& t) {
  const int64_t width = g.kernel.width, columns = width * g.kernel.choices[1];
  ASSERT_EQ(g.kernel.choices[0], d.rows);
  ASSERT_EQ(g.size("col_tile") % columns, 0);
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t begin = group * g.size("col_tile"), end = std::min(begin + g.size("col_tile"), d.cols);
    int64_t j = begin;
    for (; j + columns <= end; j += columns)
      for (int64_t k = 0; k < d.rows * g.kernel.choices[1]; ++k) visit(t, j * d.rows + k * width, width);
    for (; j < end; ++j) visit(t, j * d.rows, d.rows);
    for (int64_t i = 0; i < d.rows; ++i) count(t.parts, i + group * d.rows, "part");
  }
}

/// How often the finishing kernel completes each result.
std::vector<int> finished(const geometry& g, device_form form) {
  std::vector<int> results(static_cast<std::size_t>(g.size("results")), 0);
  for (int64_t group = 0; group < g.finish_groups; ++group) {
    const int64_t tile = form == device_form::cpu ? cpu_finish_tile : g.size("finish_lanes");
    for (int64_t i = group * tile; i < std::min((group + 1) * tile, g.size("results")); ++i)
      count(results, i, "result");
  }
  return results;
}

void expect_each_once(const step& s, int width, const device_shape& device, domain d, bool padded) {
  const bool cpu = device.form == device_form::cpu;
  const geometry g = choose_geometry(s, width, device, d.rows, d.cols, padded, true);
  trace t = empty_trace(s, g, d);
  if (s.linear)
    walk_linear(s, g, d, t);
  else if (!cpu)
    walk_tiles_gpu(s, g, d, t);
  else if (is_few_long_rows(g))
    walk_few_long_rows_cpu(g, d, t);
  else if (s.reduces && s.axis == ir::axis::row)
    walk_rows_cpu(g, d, t);
  else if (is_few_rows(g))
    walk_few_rows_cpu(g, d, t);
  else if (is_short_columns(g))
    walk_short_columns_cpu(g, d, t);
  else
    walk_tiles_cpu(s, g, d, t);

  EXPECT_EQ(t.visits, std::vector<int>(t.visits.size(), 1)) << "elements";
  EXPECT_EQ(t.parts, std::vector<int>(t.parts.size(), 1)) << "parts";
  EXPECT_EQ(g.kernel.partial, parts_of(s, g) > 1);
  if (g.kernel.partial) {
    EXPECT_EQ(finished(g, device.form), std::vector<int>(static_cast<std::size_t>(g.size("results")), 1));
  }
  if (s.reduces && !cpu && g.groups > 0) {
    const bool linear = s.linear || s.axis == ir::axis::all;
    const int64_t tree = linear                       ? g.local
                         : s.axis == ir::axis::column ? g.size("lanes")
                                                      : g.local / g.size("lanes");
    EXPECT_EQ(g.size("first_stride"), first_stride(tree));
    EXPECT_TRUE(tree_adds_all(tree)) << tree;
    EXPECT_TRUE(tree_adds_all(g.local / g.size("finish_lanes"))) << g.size("finish_lanes");
  }
}

/// Sizes around every width, tile, chunk and threshold, without those that take too long to walk.
const std::vector<domain>& domains() {
  static std::vector<domain> all;
  if (!all.empty()) return all;
  for (int64_t rows : {0,    1,    2,    3,    4,    5,    8,    15,    16,    17,    23,   24,  25,
                       31,   33,   48,   63,   64,   65,   71,   100,   129,   256,   511,  512, 513,
                       1000, 1023, 1024, 1025, 2049, 4096, 4097, 16385, 32768, 40001, 70000})
    for (int64_t cols : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 64, 71, 130, 257, 1000, 4097, 40001})
      if (rows * cols <= 90000) all.push_back({rows, cols});
  return all;
}

const std::vector<device_shape>& gpus() {
  static const std::vector<device_shape> shapes = {
      {device_form::gpu, 1, 64, 16}, {device_form::gpu, 10, 16, 16}, {device_form::gpu, 132, 256, 16}};
  return shapes;
}
const std::vector<device_shape>& cpus() {
  static const std::vector<device_shape> shapes = {
      {device_form::cpu, 1, 1, 64}, {device_form::cpu, 2, 1, 64}, {device_form::cpu, 128, 1, 64}};
  return shapes;
}

step walking(pattern walk, bool reduces, ir::axis axis, bool reuses_rows = false) {
  step s;
  s.linear = walk == pattern::linear;
  s.reduces = reduces;
  s.axis = axis;
  s.reuses_rows = reuses_rows;
  s.cols = 1;  // a symbol, not the extent one
  return s;
}

/// Tries all sizes on all devices; says which failed first and stops there.
void expect_coverage(const step& s, const std::vector<device_shape>& devices,
                     std::initializer_list<int> widths) {
  for (const device_shape& device : devices)
    for (domain d : domains())
      for (int width : widths)
        for (bool padded : {true, false}) {
          expect_each_once(s, width, device, d, padded);
          ASSERT_FALSE(::testing::Test::HasFailure())
              << d.rows << " x " << d.cols << ", width " << width << ", " << device.compute_units
              << " units, group " << device.group << (padded ? ", padded" : ", not padded");
        }
}

TEST(Geometry, LinearWalksCoverEveryElement) {
  expect_coverage(walking(pattern::linear, false, ir::axis::all), gpus(), {1, 4});
  expect_coverage(walking(pattern::linear, false, ir::axis::all), cpus(), {1, 8});
}
TEST(Geometry, LinearReductionsCoverEveryElement) {
  expect_coverage(walking(pattern::linear, true, ir::axis::all), gpus(), {1, 4});
  expect_coverage(walking(pattern::linear, true, ir::axis::all), cpus(), {1, 8});
}
TEST(Geometry, TiledWalksCoverEveryElement) {
  expect_coverage(walking(pattern::tiled, false, ir::axis::all), gpus(), {1, 4});
  expect_coverage(walking(pattern::tiled, false, ir::axis::all), cpus(), {1, 8});
}
TEST(Geometry, ColumnsThatDoNotFillVectorsAreWalkedSeveralAtATime) {
  const auto several = [&](int64_t rows, int64_t cols, bool padded = true, double flops = 1) {
    step s = walking(pattern::tiled, false, ir::axis::all);
    s.flops = flops;
    return is_few_rows(choose_geometry(s, 8, cpus()[1], rows, cols, padded, true));
  };
  for (int64_t rows = 1; rows <= 40; ++rows)
    EXPECT_EQ(several(rows, 1000000), rows < 16 && rows != 8) << rows;
  EXPECT_FALSE(several(7, 7));                   // fewer columns than lanes
  EXPECT_FALSE(several(7, 1000000, false));      // vectors may not be read past the end
  EXPECT_FALSE(several(7, 1000000, true, 100));  // the text would be long
}
TEST(Geometry, ShortColumnsOfLongFunctionsAreReducedSeveralAtATime) {
  step s = walking(pattern::reduce_cols, true, ir::axis::column);
  s.rows = 2;
  s.flops = 20;
  expect_coverage(s, cpus(), {1, 8});
  const auto several = [&](int64_t rows, int64_t cols, double flops = 20) {
    s.flops = flops;
    return is_short_columns(choose_geometry(s, 8, cpus()[1], rows, cols, true, true));
  };
  for (int64_t rows = 0; rows <= 60; ++rows)
    EXPECT_EQ(several(rows, 1000000), rows > 0 && rows <= 48) << rows;
  EXPECT_FALSE(several(7, 7));           // fewer columns than lanes
  EXPECT_FALSE(several(7, 1000000, 2));  // loads would cost more than is saved
}
TEST(Geometry, TiledWalksThatReuseAVectorCoverEveryElement) {
  expect_coverage(walking(pattern::tiled, false, ir::axis::all, true), cpus(), {1, 8});
  expect_coverage(walking(pattern::tiled, true, ir::axis::all, true), cpus(), {1, 8});
  expect_coverage(walking(pattern::reduce_cols, true, ir::axis::column, true), cpus(), {1, 8});
}
TEST(Geometry, TiledReductionsCoverEveryElement) {
  expect_coverage(walking(pattern::tiled, true, ir::axis::all), gpus(), {1, 4});
  expect_coverage(walking(pattern::tiled, true, ir::axis::all), cpus(), {1, 8});
}
TEST(Geometry, RowReductionsCoverEveryElement) {
  expect_coverage(walking(pattern::reduce_rows, true, ir::axis::row), gpus(), {1, 4});
  expect_coverage(walking(pattern::reduce_rows, true, ir::axis::row), cpus(), {1, 8});
}
TEST(Geometry, FewLongRowsAreReducedAlongTheMemory) {
  step s = walking(pattern::reduce_rows, true, ir::axis::row);
  s.flops = 20;
  expect_coverage(s, cpus(), {1, 8});
  const auto along = [&](int64_t rows, int64_t cols, bool padded = true, double flops = 1) {
    s.flops = flops;
    return is_few_long_rows(choose_geometry(s, 8, cpus()[1], rows, cols, padded, true));
  };
  for (int64_t rows = 0; rows <= 40; ++rows) EXPECT_EQ(along(rows, 1000000), rows > 0 && rows <= 15) << rows;
  EXPECT_FALSE(along(2, 1000));                // too few to build a text for
  EXPECT_FALSE(along(7, 1000000, false));      // vectors may not be read past the end
  EXPECT_FALSE(along(7, 1000000, true, 100));  // the text would be long
  s.flops = 1;
  EXPECT_EQ(choose_geometry(s, 8, cpus()[1], 1, 1000000, true, true).kernel.choices[1],
            4);  // additions overlap
  EXPECT_EQ(choose_geometry(s, 8, cpus()[1], 3, 1000000, true, true).kernel.choices[1], 2);
}
TEST(Geometry, ColumnReductionsCoverEveryElement) {
  expect_coverage(walking(pattern::reduce_cols, true, ir::axis::column), gpus(), {1, 4});
  expect_coverage(walking(pattern::reduce_cols, true, ir::axis::column), cpus(), {1, 8});
}

TEST(Geometry, ManyShortColumnsHaveAWorkItemEach) {
  const step s = walking(pattern::reduce_cols, true, ir::axis::column);
  const auto side_by_side = [&](int64_t rows, int64_t cols) {
    return choose_geometry(s, 2, gpus()[2], rows, cols, true, true).size("lanes");
  };
  for (int64_t rows = 1; rows <= 13; ++rows) EXPECT_EQ(side_by_side(rows, 1'000'000), 1) << rows;
  for (int64_t rows = 14; rows <= 40; ++rows) EXPECT_GT(side_by_side(rows, 1'000'000), 1) << rows;
  EXPECT_GT(side_by_side(12, 1000), 1);  // too few to keep the device busy
}

TEST(Geometry, OneResultOfATallMatrixHasFewParts) {
  const step s = walking(pattern::tiled, true, ir::axis::all);
  for (const device_shape& device : gpus())
    for (const int64_t cols : {2, 3, 10, 31}) {
      const geometry g = choose_geometry(s, 2, device, 10'000'000, cols, true, true);
      EXPECT_LE(parts_of(s, g), 10'000'000 / 2 / device.group * std::max<int64_t>(cols / 8, 1) + 1) << cols;
    }
}

/// The chunks of a scan, as both kernels of a GPU find them: by work-items side by side along a line (or over
/// rows), tile after tile.
void walk_scan_gpu(const step& s, const geometry& g, domain d, trace& t) {
  const bool by_column = s.linear || s.axis == ir::axis::column;
  const int64_t width = g.kernel.width, lanes = g.kernel.choices[0], slots = g.local / lanes;
  const int64_t run = g.size("tile") / (by_column ? lanes : slots);  // of a work-item
  const int64_t lines = s.linear ? 1 : d.cols, elements = d.rows * d.cols;
  ASSERT_EQ(lanes * slots, g.local);
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t part = group % g.size("parts"), tile = group / g.size("parts");
    const int64_t begin = part * g.size("chunk");
    for (int64_t lane = 0; lane < g.local; ++lane) {
      const int64_t across = lane % lanes, down = lane / lanes;
      if (by_column) {
        const int64_t j = tile * slots + down, end = std::min(begin + g.size("chunk"), g.size("rows"));
        for (int64_t at = begin; at < end; at += lanes * run)
          for (int64_t k = 0; k < run; ++k) {
            const int64_t i = at + k * lanes + across;
            if (j >= lines || i >= end) continue;
            const int64_t first = s.linear ? i * width : i * width + j * d.rows;
            visit(t, first, std::min(width, elements - first));
          }
        if (across == 0 && j < lines) count(t.parts, j + part * lines, "part");
        continue;
      }
      const int64_t i = tile * lanes + across, end = std::min(begin + g.size("chunk"), d.cols);
      if (i >= g.size("rows")) continue;
      for (int64_t at = begin; at < end; at += slots * run)
        for (int64_t k = 0; k < run; ++k) {
          const int64_t j = at + down * run + k;
          if (j < end) visit(t, i * width + j * d.rows, width);
        }
      for (int64_t k = 0; down == 0 && k < width; ++k) count(t.parts, i * width + k + part * d.rows, "part");
    }
  }
}

void walk_scan_cpu(const step& s, const geometry& g, domain d, trace& t) {
  const bool by_column = s.linear || s.axis == ir::axis::column;
  const int64_t width = g.kernel.width, elements = d.rows * d.cols, lines = s.linear ? 1 : d.cols;
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t part = group % g.size("parts"), tile = group / g.size("parts");
    const int64_t begin = part * g.size("chunk");
    const int64_t end = std::min(begin + g.size("chunk"), by_column ? g.size("rows") : d.cols);
    if (!by_column) {
      const int64_t first = tile * kinds::cpu_row_tile, last = std::min(first + kinds::cpu_row_tile, d.rows);
      for (int64_t j = begin; j < end; ++j) walk_column_cpu(g, d, first, last, j, t);
      for (int64_t i = first; i < last; ++i) count(t.parts, i + part * d.rows, "part");
      continue;
    }
    for (int64_t j = tile * g.size("col_tile"); j < std::min((tile + 1) * g.size("col_tile"), lines); ++j) {
      if (s.linear)
        for (int64_t i = begin; i < end; ++i) visit(t, i * width, std::min(width, elements - i * width));
      else
        walk_column_cpu(g, d, begin, end, j, t);
      count(t.parts, j + part * lines, "part");
    }
  }
}

void expect_scan_coverage(bool linear, ir::axis axis) {
  step s = walking(linear ? pattern::linear : pattern::tiled, true, axis);
  s.scans = true;
  s.reductions = {0};
  for (const auto* devices : {&gpus(), &cpus()})
    for (const device_shape& device : *devices)
      for (domain d : domains())
        for (int width : {1, 4})
          for (bool padded : {true, false}) {
            const geometry g = choose_geometry(s, width, device, d.rows, d.cols, padded, true);
            const int64_t lines = linear ? 1 : axis == ir::axis::row ? d.rows : d.cols;
            trace t;
            t.visits.assign(static_cast<std::size_t>(d.rows * d.cols), 0);
            t.parts.assign(static_cast<std::size_t>(g.groups > 0 ? lines * g.size("parts") : 0), 0);
            if (g.groups > 0) (device.form == device_form::gpu ? walk_scan_gpu : walk_scan_cpu)(s, g, d, t);
            EXPECT_EQ(t.visits, std::vector<int>(t.visits.size(), 1)) << "elements";
            EXPECT_EQ(t.parts, std::vector<int>(t.parts.size(), 1)) << "parts";
            EXPECT_EQ(g.kernel.partial, g.size("parts") > 1);
            if (g.kernel.partial) {
              EXPECT_EQ(g.part_elements[0], lines * g.size("parts"));
            }
            ASSERT_FALSE(::testing::Test::HasFailure())
                << d.rows << " x " << d.cols << ", width " << width << ", " << device.compute_units
                << " units, group " << device.group << (padded ? ", padded" : ", not padded");
          }
}

TEST(Geometry, ScansCoverEveryElement) {
  expect_scan_coverage(true, ir::axis::column);
  expect_scan_coverage(false, ir::axis::column);
  expect_scan_coverage(false, ir::axis::row);
}

TEST(Geometry, BlocksOfATallMatrixCoverEveryElement) {
  const step s = walking(pattern::tiled, false, ir::axis::all, true);
  for (domain d : {domain{1100000, 2}, domain{2 * 3 * 131072, 3}, domain{4 * (3 * 131072 + 1), 2}}) {
    EXPECT_TRUE(choose_geometry(s, 2, gpus()[2], d.rows, d.cols, true, true).kernel.blocks);
    expect_each_once(s, 2, gpus()[2], d, true);
  }
  for (int width : {1, 4}) expect_each_once(s, width, gpus()[2], {4 * 3 * 131072, 2}, true);
  const domain ragged{2000001, 2};
  EXPECT_EQ(choose_geometry(s, 2, gpus()[2], ragged.rows, ragged.cols, true, true).kernel.width, 1);
  expect_each_once(s, 2, gpus()[2], ragged, true);
}

/// Elements of a GPU's work-items that walk in rounds, as generated kernels find their row and column.
void walk_in_rounds(const geometry& g, domain d, trace& t) {
  const int64_t rounds = g.kernel.choices[0];
  for (int64_t n = 0; n < g.groups * g.local; ++n) {
    const int64_t first = n / g.local * rounds * g.local + n % g.local;
    int64_t j = first / d.rows, i = first - j * d.rows;
    for (int64_t k = 0; k < rounds; ++k) {
      const int64_t e = first + k * g.local;
      if (e < g.size("count")) {
        ASSERT_EQ(i + j * d.rows, e);
        count(t.visits, e, "element");
      }
      i += g.size("rows_on"), j += g.size("cols_on");
      if (i >= d.rows) i -= d.rows, ++j;
      j = std::min(j, d.cols - 1);
      ASSERT_LT(i, d.rows);
    }
  }
}

TEST(Geometry, RoundsOfElementsFromOtherPlacesCoverEveryElement) {
  step s = walking(pattern::tiled, false, ir::axis::all);
  s.maps = true;
  for (const device_shape& device : gpus())
    for (domain d : domains()) {
      const geometry g = choose_geometry(s, 2, device, d.rows, d.cols, true, true);
      trace t = empty_trace(s, g, d);
      EXPECT_EQ(g.kernel.width, 1);
      walk_in_rounds(g, d, t);
      ASSERT_EQ(t.visits, std::vector<int>(t.visits.size(), 1)) << d.rows << " x " << d.cols;
    }
}

/// Elements of tiles of a GPU: `t` counts those in the order of the domain, `turned` those in the other one.
void walk_turned_tiles(const geometry& g, domain d, trace& t, trace& turned) {
  const int64_t tile_rows = g.kernel.choices[0], tile_cols = g.kernel.choices[1], width = g.kernel.width;
  const int64_t lanes = tile_rows / width, row_tiles = g.size("row_tiles"), col_tiles = g.size("col_tiles");
  ASSERT_EQ(d.rows % width, 0);
  ASSERT_GE(g.local / lanes, 1);
  ASSERT_EQ(g.local % tile_cols, 0);
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t tile_i = g.kernel.choices[2] != 0 ? group / col_tiles : group % row_tiles,
                  tile_j = g.kernel.choices[2] != 0 ? group % col_tiles : group / row_tiles;
    for (int64_t lane = 0; lane < g.local; ++lane) {
      for (int64_t k = 0; k < tile_cols; k += g.local / lanes) {
        const int64_t down = lane / lanes + k, i = tile_i * lanes + lane % lanes,
                      j = tile_j * tile_cols + down;
        ASSERT_LT(down, tile_cols);
        if (i < g.size("vectors") && j < d.cols) visit(t, i * width + j * d.rows, width);
      }
      for (int64_t k = 0; k < tile_rows; k += g.local / tile_cols) {
        const int64_t down = lane / tile_cols + k;
        const int64_t i = tile_i * tile_rows + down, j = tile_j * tile_cols + lane % tile_cols;
        ASSERT_LT(down, tile_rows);
        if (i < d.rows && j < d.cols) visit(turned, i + j * d.rows, 1);
      }
    }
  }
}

TEST(Geometry, TilesOfTransposesCoverEveryElement) {
  plan p;
  p.known_extent = {0, 1};
  const ir::node_id matrix = p.graph.matrix(scalar_type::float64, 0, 1, 0, matrix_cl_view::Entire);
  step s = walking(pattern::tiled, false, ir::axis::all);
  s.rows = 0;
  s.maps = s.transposes = true;
  s.stores.push_back({p.graph.access(op::access::record(), ir::access_map::transpose(), matrix, 0, 1),
                      {buffer_kind::target, 0}});
  int walked = 0;
  for (const device_shape& device : gpus())
    for (domain d : domains())
      for (int width : {1, 2, 4}) {
        const int64_t extents[] = {d.rows, d.cols};
        const geometry g = kinds::shape({p, s, device, extents, width, true, true});
        const bool large = d.rows > 16 && d.cols > 16;
        ASSERT_EQ(std::string_view(kinds::kind_of(g).name) == "transposed", large);
        if (!large) continue;
        trace t = empty_trace(s, g, d), turned = t;
        walk_turned_tiles(g, d, t, turned);
        ASSERT_EQ(t.visits, std::vector<int>(t.visits.size(), 1)) << d.rows << " x " << d.cols;
        ASSERT_EQ(turned.visits, t.visits) << d.rows << " x " << d.cols;
        ++walked;
      }
  EXPECT_GT(walked, 0);
}

TEST(Geometry, OneColumnIsNotCrossed) {
  step s = walking(pattern::tiled, false, ir::axis::all);
  s.cols = ir::one;
  for (std::int64_t rows : {0, 1, 4, 5, 71, 72}) {
    EXPECT_FALSE(choose_geometry(s, 4, gpus()[2], rows, 1, true, true).kernel.crossing);
    expect_each_once(s, 4, gpus()[2], {rows, 1}, true);
  }
}

TEST(Geometry, LightReductionsHaveSeveralAccumulators) {
  step s = walking(pattern::linear, true, ir::axis::all);
  s.flops = 3;
  EXPECT_EQ(choose_geometry(s, 8, cpus()[1], 100, 100, true, true).kernel.accumulators, 4);
  EXPECT_EQ(choose_geometry(s, 8, gpus()[1], 100, 100, true, true).kernel.accumulators, 1);
  s.flops = 30;
  EXPECT_EQ(choose_geometry(s, 8, cpus()[1], 100, 100, true, true).kernel.accumulators, 1);
}

TEST(Geometry, ElementsBeyond31BitsAreCountedIn64) {
  const step s = walking(pattern::tiled, false, ir::axis::all);
  EXPECT_FALSE(choose_geometry(s, 2, gpus()[2], 1 << 16, (1 << 15) - 1, true, true).kernel.large);
  EXPECT_TRUE(choose_geometry(s, 2, gpus()[2], 1 << 16, 1 << 15, true, true).kernel.large);
}

// Three rows of bool in a sector of 32 take 64 places for every column, eight work-items for each.
TEST(Geometry, PlacesBeyond31BitsAreCountedIn64) {
  step s = walking(pattern::tiled, false, ir::axis::all, true);
  s.maps = s.transposes = true;
  plan p;
  p.known_extent = {0, 1};
  p.graph.bring(&ir::supports::accesses);
  s.rows = 0;
  s.stores = {{p.graph.constant(scalar_type::boolean, 1), {buffer_kind::target, 0}}};
  for (const int64_t cols : {int64_t{1} << 27, int64_t{1} << 29}) {
    const int64_t extents[] = {3, cols};
    const geometry g = kinds::shape({p, s, gpus()[2], extents, 4, true, true});
    ASSERT_EQ(g.kernel.choices[2], 32);
    EXPECT_EQ(g.size("count"), 8 * cols);
    EXPECT_EQ(g.kernel.large, g.size("count") >= int64_t{1} << 31);
  }
}

TEST(Geometry, TheLastGroupFinishesOnlyWhereOneResultIsLeftInParts) {
  device_shape device = cpus()[1];
  const step all = walking(pattern::linear, true, ir::axis::all);
  EXPECT_FALSE(choose_geometry(all, 8, device, 1000, 1000, true, true).kernel.last);
  device.last_group = true;
  EXPECT_TRUE(choose_geometry(all, 8, device, 1000, 1000, true, true).kernel.last);
  EXPECT_FALSE(choose_geometry(all, 8, device, 10, 10, true, true).kernel.last);
  const step by_row = walking(pattern::reduce_rows, true, ir::axis::row);
  const geometry g = choose_geometry(by_row, 8, device, 1000, 1000, true, true);
  EXPECT_TRUE(g.kernel.partial);
  EXPECT_FALSE(g.kernel.last);
  EXPECT_FALSE(choose_geometry(by_row, 8, device, 3, 1000000, true, true).kernel.last);
  EXPECT_TRUE(choose_geometry(by_row, 8, device, 1, 1000000, true, true).kernel.last);
}

TEST(Geometry, PartsOfSeveralReductionsAreInOneBuffer) {
  step s = walking(pattern::tiled, true, ir::axis::all);
  s.reductions = {0};
  const geometry one = choose_geometry(s, 2, gpus()[0], 1000, 1000, true, true);
  ASSERT_TRUE(one.kernel.partial);
  EXPECT_EQ(one.bytes_together, 0);
  s.reductions = {0, 1, 2};
  const geometry three = choose_geometry(s, 2, gpus()[0], 1000, 1000, true, true);
  const std::int64_t apart = three.size("apart0");
  EXPECT_EQ(apart % 128, 0);
  EXPECT_GE(apart, 8 * three.part_elements[0]);
  EXPECT_EQ(three.bytes_together, 3 * apart);
}

TEST(Geometry, TreesAddEveryCount) {
  for (int64_t n = 1; n <= 1024; ++n) EXPECT_TRUE(tree_adds_all(n)) << n;
}

TEST(Geometry, BuffersThatMayNotBeReadPastTheirEndAreReadElementByElement) {
  const step s = walking(pattern::linear, false, ir::axis::all);
  EXPECT_EQ(choose_geometry(s, 8, cpus()[0], 71, 33, false, true).kernel.width, 1);
  EXPECT_EQ(choose_geometry(s, 8, cpus()[0], 71, 33, true, true).kernel.width, 8);
}

TEST(Geometry, SharedMemoryIsPartOfTheVariant) {
  const step s = walking(pattern::linear, false, ir::axis::all);
  EXPECT_NE(choose_geometry(s, 8, cpus()[0], 71, 33, true, true).kernel,
            choose_geometry(s, 8, cpus()[0], 71, 33, true, false).kernel);
}

}  // namespace
}  // namespace fusecl
