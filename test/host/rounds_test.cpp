// Geometries of steps in rounds: every tile that a kernel works on is met once, by a group that exists.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>
#include <support/shape_of.hpp>

#include <fusion/fusion.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;

const schedule::device_shape gpu{.form = schedule::device_form::gpu, .compute_units = 132},
    small_gpu{.form = schedule::device_form::gpu, .compute_units = 2, .group = 64, .local_bytes = 16384},
    cpu{.form = schedule::device_form::cpu, .compute_units = 8, .group = 1, .local_bytes = 1 << 20},
    narrow_cpu{.form = schedule::device_form::cpu,
               .compute_units = 1,
               .group = 1,
               .vector_bytes = 16,
               .local_bytes = 32768};
const schedule::device_shape* const devices[] = {&gpu, &small_gpu, &cpu, &narrow_cpu};

constexpr std::int64_t sizes[] = {1, 2, 16, 17, 31, 32, 33, 64, 65, 129, 200, 1000, 2049};

schedule::geometry shape_of_cholesky(std::int64_t n, const schedule::device_shape& device) {
  return shape_of(lowered(cholesky_decompose(placeholder<double>(0, n, n))), device);
}

std::int64_t tile_of(const schedule::geometry& g) { return g.kernel.choices[0]; }

/// What the finishing kernel goes through.
void expect_finished(const schedule::geometry& g, std::int64_t rows, std::int64_t cols) {
  if (g.local > 1)
    EXPECT_GE(g.finish_groups * g.local, rows * cols);
  else
    EXPECT_EQ(g.finish_groups, g.size("row_chunks") * cols);
  EXPECT_GE(g.size("row_chunks") * 1024, rows);
}

bool is_in_panels(const schedule::geometry& g) {
  return g.kernel.kind->name == std::string("cholesky_panels");
}

bool is_in_blocks(const schedule::geometry& g) {
  return g.kernel.kind->name == std::string("triangular_blocks");
}

TEST(Rounds, TilesFitLocalMemory) {
  for (const schedule::device_shape* device : devices)
    for (const std::int64_t n : sizes) {
      const schedule::geometry g = shape_of_cholesky(n, *device);
      const std::int64_t tile = tile_of(g), leading = tile + (g.local > 1 ? 1 : 0),
                         elements = is_in_panels(g) ? 2 * 8 * 192 + 6 * 64 : 4 * tile * leading + tile;
      EXPECT_LE(8 * elements, device->local_bytes) << n;
      EXPECT_EQ(tile % g.kernel.width, 0) << n;
      EXPECT_EQ(tile & (tile - 1), 0) << n;
      EXPECT_GE(tile, 4);
    }
}

/// The arithmetic of the kernel, in its types.
std::pair<std::int64_t, std::int64_t> trailing_tile(std::int64_t number, std::int64_t side) {
  const float width = static_cast<float>(side) + 0.5f;
  auto across =
      static_cast<std::int64_t>(width - std::sqrt(width * width - 2.0f * static_cast<float>(number)));
  across = std::clamp<std::int64_t>(across, 0, side - 1);
  while (across * side - across * (across - 1) / 2 > number) --across;
  while ((across + 1) * side - (across + 1) * across / 2 <= number) ++across;
  return {across + number - (across * side - across * (across - 1) / 2), across};
}

TEST(Rounds, OfCholeskyMeetEveryTileOnce) {
  for (const schedule::device_shape* device : devices)
    for (const std::int64_t n : sizes) {
      const schedule::geometry g = shape_of_cholesky(n, *device);
      if (is_in_panels(g)) continue;
      const std::int64_t tiles = (n + tile_of(g) - 1) / tile_of(g);
      ASSERT_EQ(g.size("tiles"), tiles);
      ASSERT_EQ(static_cast<std::int64_t>(g.round_groups.size()), tiles);
      for (std::int64_t round = 0; round < tiles; ++round) {
        const std::int64_t panels = std::min(tiles - round, g.size("panel_groups")), side = tiles - round - 1;
        std::set<std::pair<std::int64_t, std::int64_t>> met;
        for (std::int64_t group = 0; group < g.round_groups[static_cast<std::size_t>(round)]; ++group)
          if (group < panels) {
            const std::int64_t end = g.local > 1 ? round + group + 1 : tiles;
            for (std::int64_t tile = round + group; tile < end; tile += panels)
              EXPECT_TRUE(met.insert({tile, round}).second);
          } else {
            const auto [down, across] = trailing_tile(group - panels, side);
            EXPECT_GE(down, across);
            EXPECT_LT(down, side);
            EXPECT_TRUE(met.insert({round + 1 + down, round + 1 + across}).second);
          }
        EXPECT_EQ(static_cast<std::int64_t>(met.size()), side + 1 + (round > 0 ? side * (side + 1) / 2 : 0));
      }
      expect_finished(g, n, n);
      const std::int64_t rows = g.local > 1 ? n : tiles * tile_of(g);  // whole tiles on a CPU
      EXPECT_EQ(g.part_elements[1], rows * rows);
      EXPECT_EQ(g.part_elements[2], 2);
      EXPECT_NE(g.failed, nullptr);
    }
}

/// First row and column of a pair of tiles, by the arithmetic of the kernel, in its types.
std::pair<std::int64_t, std::int64_t> trailing_pair(std::int64_t number, std::int64_t most) {
  auto s = static_cast<std::int64_t>(2 * std::sqrt(static_cast<float>(number) + 1.0f));
  s = std::clamp<std::int64_t>(s, 1, most);
  while (s * s / 4 > number) --s;
  while ((s + 1) * (s + 1) / 4 <= number) ++s;
  const std::int64_t shorter = (s - 1) / 8 * 8, shortest = (shorter + 2) / 2;
  const std::int64_t side_by_side = std::min<std::int64_t>(8, most - shorter);
  number -= (shorter + 1) * (shorter + 1) / 4;
  if (number < side_by_side * shortest) {
    s = shorter + side_by_side - number % side_by_side;
    number /= side_by_side;
  } else {
    number -= side_by_side * shortest;
    for (s = shorter + 1; number >= (s + 1) / 2 - shortest; ++s) number -= (s + 1) / 2 - shortest;
    number += shortest;
  }
  return {most - s + 2 * number, most - s};
}

/// The same within a block of panels, whose columns are numbered from the first one on.
std::pair<std::int64_t, std::int64_t> pair_of_block(std::int64_t number, std::int64_t most) {
  std::int64_t s = most;
  for (; number >= (s + 1) / 2; --s) number -= (s + 1) / 2;
  return {most - s + 2 * number, most - s};
}

/// Goes through the rounds of a factor and looks at how many panels are subtracted from each tile: all those
/// before, in their order and once, when it is a tile of the panel.
void expect_each_panel_subtracted_once(const schedule::geometry& g, std::int64_t tiles) {
  const std::int64_t block = g.size("block"), inner = g.size("inner_block");
  ASSERT_EQ(block % inner, 0);
  std::vector<std::int64_t> subtracted(static_cast<std::size_t>(tiles * tiles), 0);
  for (std::int64_t round = 0; round < tiles; ++round) {
    const std::int64_t side = tiles - round - 1, first = round == 0           ? 0
                                                         : round % block == 0 ? round - block
                                                         : round % inner == 0 ? round - inner
                                                                              : round - 1;
    // the kernel takes what it has not stored yet from the operand
    const bool from_operand = round <= 1 || round == inner || round == block;
    const auto subtract = [&](std::int64_t row, std::int64_t col) {
      std::int64_t& done = subtracted[static_cast<std::size_t>(row + col * tiles)];
      ASSERT_EQ(done, first) << "tile " << row << ", " << col << " in round " << round;
      ASSERT_TRUE(round == 0 || from_operand == (done == 0)) << row << ", " << col << " in round " << round;
      done = round;
    };
    for (std::int64_t row = round; row < tiles; ++row) subtract(row, round);
    for (std::int64_t number = 0; number < g.round_groups[static_cast<std::size_t>(round)] - side - 1;
         ++number) {
      const auto [down, across] =
          round % block == 0 ? trailing_pair(number, side) : pair_of_block(number, side);
      ASSERT_GE(down, across);
      ASSERT_LT(down, side) << "the second tile of a pair may be beyond the last row";
      ASSERT_GE(across, 0);
      subtract(round + 1 + down, round + 1 + across);
      if (down + 1 < side) subtract(round + 2 + down, round + 1 + across);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  for (std::int64_t col = 0; col < tiles; ++col)
    for (std::int64_t row = col; row < tiles; ++row)
      ASSERT_EQ(subtracted[static_cast<std::size_t>(row + col * tiles)], col);
}

TEST(Rounds, OfCholeskyInPanelsSubtractEachPanelOnce) {
  const schedule::device_shape tested{
      .form = schedule::device_form::gpu, .compute_units = 2, .tile_bytes = 96};
  std::set<std::pair<std::int64_t, std::int64_t>> blocks;
  for (const schedule::device_shape* device : {&gpu, &tested})
    for (const std::int64_t n :
         {1, 32, 33, 64, 65, 129, 200, 256, 257, 320, 321, 1000, 2049, 3073, 4100, 8191, 9000}) {
      const schedule::geometry g = shape_of_cholesky(n, *device);
      ASSERT_EQ(is_in_panels(g), n > 32) << n;
      EXPECT_FALSE(is_in_panels(shape_of_cholesky(n, small_gpu))) << "too few work-items";
      if (!is_in_panels(g)) continue;
      const std::int64_t tiles = (n + 63) / 64;
      ASSERT_EQ(g.size("tiles"), tiles);
      ASSERT_EQ(static_cast<std::int64_t>(g.round_groups.size()), tiles);
      blocks.insert({g.size("block"), g.size("inner_block")});
      expect_each_panel_subtracted_once(g, tiles);
      if (HasFatalFailure()) FAIL() << n << " rows";
      EXPECT_EQ(g.local, 128);
      expect_finished(g, n, n);
      EXPECT_EQ(g.part_elements[1], (n + n % 2) * n);
      EXPECT_EQ(g.part_elements[2], 2);
      EXPECT_NE(g.failed, nullptr);
    }
  EXPECT_EQ(blocks, (std::set<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {4, 2}, {8, 8}, {16, 4}}));
}

/// With rows of the unit matrix: panels have as many groups in each round, and of these rows tile r is
/// subtracted from in all rounds after r, once in each column that follows.
TEST(Rounds, OfCholeskyWithItsInverseMeetEveryTileOnce) {
  for (const std::int64_t n : {33, 64, 65, 129, 200, 1000, 2048, 2049}) {
    lowered_statement s =
        lowered(transpose(mdivide_left_tri_low(cholesky_decompose(placeholder<double>(0, n, n)))));
    s.graph = passes::join_factors(passes::run_pipeline(s.graph));
    ASSERT_GT(s.graph.size(), 0);
    const schedule::geometry g = shape_of(s, gpu);
    ASSERT_EQ(g.groups >= 0, n <= 1024) << n;
    if (g.groups < 0) continue;
    const std::int64_t tiles = (n + 63) / 64;
    ASSERT_EQ(static_cast<std::int64_t>(g.round_groups.size()), tiles);
    for (std::int64_t round = 0; round < tiles; ++round) {
      const std::int64_t most = tiles - round - 1, pairs = round > 0 ? (most + 1) * (most + 1) / 4 : 0;
      std::set<std::pair<std::int64_t, std::int64_t>> met;
      const std::int64_t count = g.round_groups[static_cast<std::size_t>(round)] - tiles - pairs;
      for (std::int64_t number = 0; number < count; ++number) {
        const std::int64_t halves = (round + 1) / 2, col = round + 1 + number / halves;
        ASSERT_LT(col, tiles);
        for (const std::int64_t row : {number % halves * 2, number % halves * 2 + 1}) {
          ASSERT_LE(row, round) << "the second tile of a pair may be one that begins in this round";
          EXPECT_TRUE(met.insert({row, col}).second);
        }
      }
      EXPECT_EQ(static_cast<std::int64_t>(met.size()), (round + round % 2) * most);
    }
    EXPECT_EQ(g.part_elements[1], (n + n % 2) * tiles * 64);
    expect_finished(g, n, n);
  }
}

/// The root is of numbers that float does not hold: corrections have to find the column. Columns of a band
/// begin, and end, in any order.
TEST(Rounds, TrailingPairsAreNumberedBandByBand) {
  for (const std::int64_t side : {1, 2, 3, 7, 8, 9, 16, 17, 1000, 4095, 9000}) {
    const std::int64_t count = (side + 1) * (side + 1) / 4, step = std::max<std::int64_t>(1, count / 5000);
    std::set<std::pair<std::int64_t, std::int64_t>> met;
    std::int64_t band_before = side;
    for (std::int64_t number = 0; number < count; number += step) {
      const auto [down, across] = trailing_pair(number, side);
      ASSERT_TRUE(across >= 0 && down >= across && down < side && (down - across) % 2 == 0) << number;
      ASSERT_TRUE(met.insert({down, across}).second) << number;
      const std::int64_t band = (side - across - 1) / 8;
      ASSERT_TRUE(band_before == side || band == band_before || band == band_before + 1 || step > 1)
          << number;
      band_before = band;
    }
    const std::pair<std::int64_t, std::int64_t> last = trailing_pair(count - 1, side);
    EXPECT_LT(last.second, 8);
    EXPECT_GE(last.first + 2, side);
  }
}

/// The root is of numbers that float does not hold: corrections have to find the column.
TEST(Rounds, TrailingTilesAreNumberedColumnByColumn) {
  for (const std::int64_t side : {1, 2, 3, 1000, 4095, 9000}) {
    std::int64_t down = 0, across = 0;
    const std::int64_t count = side * (side + 1) / 2, step = std::max<std::int64_t>(1, count / 100000);
    for (std::int64_t number = 0; number < count; ++number) {
      const bool looked_at = number % step == 0 || number == count - 1;
      if (looked_at) {
        ASSERT_EQ(trailing_tile(number, side), std::pair(down, across)) << number << " of " << side;
      }
      if (++down == side) down = ++across;
    }
  }
}

TEST(Rounds, OfSystemsMeetEveryTileOnce) {
  for (const schedule::device_shape* device : devices)
    for (const std::int64_t n : sizes)
      for (const std::int64_t m : {1, 7, 64, 200}) {
        const schedule::geometry g =
            n == 1 ? schedule::geometry{}
                   : shape_of(lowered(mdivide_left_tri_low(placeholder<double>(0, n, n),
                                                           placeholder<double>(1, n, m))),
                              *device);
        if (n == 1 || is_in_blocks(g)) continue;
        const std::int64_t tile = tile_of(g), tiles = (n + tile - 1) / tile, across = (m + tile - 1) / tile;
        ASSERT_EQ(static_cast<std::int64_t>(g.round_groups.size()), tiles + 1);
        EXPECT_EQ(g.round_groups[0], tiles);
        EXPECT_EQ(g.part_elements[0], tiles * tile * tile);
        for (std::int64_t k = 0; k < tiles; ++k) {
          const std::int64_t sharing = std::min(tiles - k, g.size("row_groups"));
          std::set<std::pair<std::int64_t, std::int64_t>> met;
          for (std::int64_t group = 0; group < g.round_groups[static_cast<std::size_t>(k + 1)]; ++group)
            for (std::int64_t row = k + group % sharing; row < tiles; row += sharing)
              EXPECT_TRUE(met.insert({row, group / sharing}).second);
          EXPECT_EQ(static_cast<std::int64_t>(met.size()), (tiles - k) * across);
        }
        expect_finished(g, n, m);
      }
}

/// Each round doubles the blocks whose inverses are known, and the last one knows all of them.
TEST(Rounds, OfAnInverseDoubleItsBlocks) {
  for (const schedule::device_shape* device : devices)
    for (const std::int64_t n : sizes) {
      if (n == 1) continue;
      const schedule::geometry g =
          shape_of(lowered(tri_inverse(placeholder<double>(0, n, n, matrix_cl_view::Lower))), *device);
      if (is_in_blocks(g)) continue;
      const std::int64_t tiles = g.size("tiles");
      std::set<std::pair<std::int64_t, std::int64_t>> known;
      for (std::int64_t k = 0; k < g.round_groups[0]; ++k) known.insert({k, k});
      for (std::size_t round = 1; round < g.round_groups.size(); ++round) {
        const std::int64_t side = std::int64_t{1} << (round - 1) / 2;
        for (std::int64_t group = 0; group < g.round_groups[round]; ++group) {
          const std::int64_t number = group % (side * side), middle = group / (side * side) * 2 * side + side,
                             down = middle + number % side, across = middle - side + number / side;
          EXPECT_LT(middle, tiles) << "a pair without a second block";
          if (down >= tiles || round % 2 == 1) continue;
          EXPECT_TRUE(known.insert({down, across}).second);
        }
      }
      EXPECT_EQ(static_cast<std::int64_t>(known.size()), tiles * (tiles + 1) / 2);
      expect_finished(g, n, n);
    }
}

TEST(Rounds, OfNothingAreNone) {
  for (const schedule::device_shape* device : devices) {
    EXPECT_EQ(shape_of_cholesky(0, *device).groups, 0);
    EXPECT_EQ(
        shape_of(lowered(mdivide_left_tri_low(placeholder<double>(0, 5, 5), placeholder<double>(1, 5, 0))),
                 *device)
            .groups,
        0);
  }
}

}  // namespace
}  // namespace fusecl
