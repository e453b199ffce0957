// Geometries of triangular systems and inverses by products of blocks: with the arithmetic of the kernel
// every element that a round has to compute is met once.

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>
#include <support/shape_of.hpp>

#include <fusion/fusion.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;

const schedule::device_shape gpu{.form = schedule::device_form::gpu, .compute_units = 132},
    sm90{
        .form = schedule::device_form::gpu, .compute_units = 132, .tensor_cores = true, .local_bytes = 49152},
    small_gpu{.form = schedule::device_form::gpu, .compute_units = 2, .group = 64, .local_bytes = 16384};
const schedule::device_shape* const devices[] = {&gpu, &sm90, &small_gpu};

constexpr std::int64_t sizes[] = {65, 66, 96, 127, 128, 129, 255, 256, 257, 513};

schedule::geometry shape_of_system(std::int64_t n, std::int64_t sides, const schedule::device_shape& device) {
  return shape_of(
      lowered(mdivide_left_tri_low(placeholder<double>(0, n, n), placeholder<double>(1, n, sides))), device);
}

schedule::geometry shape_of_inverse(std::int64_t n, const schedule::device_shape& device) {
  return shape_of(lowered(tri_inverse(placeholder<double>(0, n, n, matrix_cl_view::Lower))), device);
}

/// What a kernel's groups meet, in squares of `unit` rows and columns, and how often.
using places = std::map<std::pair<std::int64_t, std::int64_t>, int>;

/// The rows and columns of a group's product, which the kernel numbers down columns of tiles.
void meet(places& met, std::int64_t place, std::int64_t tile, std::int64_t unit, std::int64_t top,
          std::int64_t left, std::int64_t height, std::int64_t width) {
  const std::int64_t row_tiles = std::max<std::int64_t>(1, (height + tile - 1) / tile),
                     first_row = place % row_tiles * tile, first_col = place / row_tiles * tile;
  for (std::int64_t i = first_row; i < std::min(height, first_row + tile); i += unit)
    for (std::int64_t j = first_col; j < std::min(width, first_col + tile); j += unit)
      ++met[{top + i, left + j}];
}

void expect_all_once(const places& met, std::int64_t count, const char* what, std::int64_t n) {
  EXPECT_EQ(static_cast<std::int64_t>(met.size()), count) << what << " " << n;
  for (const auto& [place, times] : met)
    EXPECT_EQ(times, 1) << what << " " << n << ": " << place.first << ", " << place.second;
}

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The first round: tiles on the diagonal and below it, and right-hand sides.
void expect_brought(const schedule::geometry& g, std::int64_t n, std::int64_t sides) {
  const std::int64_t size = g.kernel.choices[0], tiles = g.size("tiles"), brought = g.size("brought"),
                     of_block = g.size("block") / size;
  const bool vectors = g.kernel.choices[2] != 0;
  places met, of_sides;
  for (std::int64_t group = 0; group < g.round_groups[0]; ++group) {
    const std::int64_t down = group % tiles, turn = group / tiles;
    const std::int64_t across = vectors ? down / brought * brought + turn : turn;
    if (turn >= brought)
      ++of_sides[{down, turn - brought}];
    else if (down >= across && across < tiles)
      ++met[{down, across}];
  }
  std::int64_t wanted = 0;
  for (std::int64_t down = 0; down < tiles; ++down)
    for (std::int64_t across = 0; across <= down; ++across)
      wanted += !vectors || across / of_block == down / of_block;
  expect_all_once(met, wanted, "brought", n);
  expect_all_once(of_sides, tiles * up(sides, size), "sides", n);
}

/// Rounds that double the blocks whose inverses are known, each of two products.
void expect_doubled(const schedule::geometry& g, std::int64_t n) {
  const std::int64_t size = g.kernel.choices[0], tile = g.kernel.choices[1] != 0 ? 64 : size,
                     lead = g.size("lead"), levels = g.size("levels");
  EXPECT_EQ(size << levels, g.size("block"));
  for (std::int64_t level = 0; level < levels; ++level) {
    const std::int64_t side = size << level, across = std::max<std::int64_t>(1, side / tile);
    places met, wanted;
    for (std::int64_t group = 0; group < g.round_groups[static_cast<std::size_t>(1 + 2 * level)]; ++group) {
      const std::int64_t left = group / (across * across) * 2 * side, top = left + side;
      ASSERT_LT(top, lead) << "a pair without a second block";
      meet(met, group % (across * across), tile, 2, top, left, std::min(side, lead - top), side);
    }
    for (std::int64_t i = 0; i < lead; i += 2)
      for (std::int64_t j = 0; j < i; j += 2)
        if (i / (2 * side) == j / (2 * side) && i / side != j / side) ++wanted[{i, j}];
    expect_all_once(met, static_cast<std::int64_t>(wanted.size()), "doubled", n);
    for (const auto& [place, times] : wanted) EXPECT_TRUE(met.contains(place)) << n;
    EXPECT_EQ(g.round_groups[static_cast<std::size_t>(1 + 2 * level)],
              g.round_groups[static_cast<std::size_t>(2 + 2 * level)]);
  }
}

/// Two rounds a block: its rows of the solution, and what these change below.
void expect_substituted(const schedule::geometry& g, std::int64_t n, std::int64_t sides) {
  const bool vectors = g.kernel.choices[2] != 0;
  const std::int64_t size = g.kernel.choices[0], tile = g.kernel.choices[1] != 0 ? 64 : size,
                     lead = g.size("lead"), block = g.size("block");
  std::size_t round = 1 + 2 * static_cast<std::size_t>(g.size("levels"));
  for (std::int64_t top = 0; top < lead; top += block)
    for (const bool even : {false, true}) {
      const std::int64_t begin = even ? top + block : top, end = even ? lead : std::min(top + block, lead);
      if (begin >= end) continue;
      ASSERT_LT(round, g.round_groups.size());
      places met;
      for (std::int64_t group = 0; group < g.round_groups[round]; ++group)
        if (vectors) {
          const std::int64_t row_tiles = up(end - begin, 16);
          for (std::int64_t i = group % row_tiles * 16;
               i < std::min(end - begin, group % row_tiles * 16 + 16); ++i)
            ++met[{begin + i, group / row_tiles}];
        } else {
          meet(met, group, tile, 1, begin, 0, end - begin, sides);
        }
      expect_all_once(met, (end - begin) * sides, "substituted", n);
      ++round;
    }
  EXPECT_EQ(round, g.round_groups.size());
}

TEST(BlockRounds, OfSystemsMeetEveryElementOnce) {
  for (const schedule::device_shape* device : devices)
    for (const std::int64_t n : sizes)
      for (const std::int64_t sides : {1, 4, 5, 130}) {
        const schedule::geometry g = shape_of_system(n, sides, *device);
        ASSERT_EQ(g.kernel.kind->name, std::string("triangular_blocks"));
        EXPECT_EQ(g.kernel.choices[2] != 0, sides <= 4);
        expect_brought(g, n, sides);
        expect_doubled(g, n);
        expect_substituted(g, n, sides);
        EXPECT_EQ(g.part_elements[4], g.size("lead") * sides);
        EXPECT_GE(g.finish_groups * g.local, n * sides);
      }
}

TEST(BlockRounds, OfInversesMeetEveryElementOnce) {
  for (const schedule::device_shape* device : devices)
    for (const std::int64_t n : sizes) {
      const schedule::geometry g = shape_of_inverse(n, *device);
      ASSERT_EQ(g.kernel.kind->name, std::string("triangular_blocks"));
      expect_brought(g, n, 0);
      expect_doubled(g, n);
      EXPECT_GE(g.size("block"), n);
      EXPECT_EQ(g.round_groups.size(), 1 + 2 * static_cast<std::size_t>(g.size("levels")));
      EXPECT_GE(g.finish_groups * g.local, n * n);
    }
}

/// Launches are what few rows cost.
TEST(BlockRounds, AreFew) {
  EXPECT_EQ(shape_of_system(1024, 1, sm90).round_groups.size(), 14u);
  EXPECT_EQ(shape_of_system(1024, 1024, sm90).round_groups.size(), 14u);
  EXPECT_EQ(shape_of_system(4096, 4096, sm90).round_groups.size(), 38u);
  EXPECT_EQ(shape_of_inverse(1024, sm90).round_groups.size(), 11u);
}

/// Few sides need one launch where groups see each other.
TEST(TriangularChain, BelongsToFewSidesWhereGroupsSeeEachOther) {
  schedule::device_shape device = sm90;
  const auto is_chain = [&](std::int64_t n, std::int64_t sides) {
    return shape_of_system(n, sides, device).kernel.kind->name == std::string("triangular_chain");
  };
  EXPECT_FALSE(is_chain(1000, 1));
  device.last_group = true;
  EXPECT_TRUE(is_chain(1000, 1));
  EXPECT_FALSE(shape_of_system(1000, 1, device).kernel.by_ptx);
  EXPECT_FALSE(is_chain(5000, 1)) << "in the form for tests";
  device.shuffles = true;
  for (const std::int64_t n : {2, 32, 33, 64, 65, 1000, 4096, 8192})
    for (const std::int64_t sides : {1, 2, 3, 4}) {
      if (sides > 1 && n > 2048) {
        EXPECT_FALSE(is_chain(n, sides)) << n;
        continue;
      }
      ASSERT_TRUE(is_chain(n, sides)) << n << " " << sides;
      const schedule::geometry g = shape_of_system(n, sides, device);
      const std::int64_t size = g.kernel.choices[0];
      EXPECT_EQ(size, n <= 64 ? 32 : 64);
      EXPECT_EQ(g.groups, up(n, size) * sides);
      EXPECT_EQ(g.size("tiles"), up(n, size));
      EXPECT_LE(g.groups * size, schedule::most_handed_on);
      EXPECT_EQ(g.local, 256);
      EXPECT_TRUE(g.kernel.last && g.kernel.by_ptx && g.hands_on && !g.kernel.partial);
      EXPECT_TRUE(g.round_groups.empty());
    }
  EXPECT_EQ(shape_of_system(0, 1, device).groups, 0);
  EXPECT_EQ(shape_of_system(1000, 0, device).groups, 0);
  EXPECT_FALSE(is_chain(1000, 5));
  EXPECT_FALSE(is_chain(8193, 1));
  device.local_bytes = 16384;
  EXPECT_EQ(shape_of_system(1000, 1, device).kernel.choices[0], 32);
  device.largest_group = 64;
  EXPECT_EQ(shape_of_system(1000, 1, device).kernel.choices[0], 32);
  device.largest_group = 32;
  EXPECT_FALSE(is_chain(1000, 1));
}

TEST(BlockRounds, BelongToManyRowsOnAGpu) {
  const schedule::device_shape cpu{
      .form = schedule::device_form::cpu, .compute_units = 8, .group = 1, .local_bytes = 1 << 20};
  EXPECT_EQ(shape_of_system(64, 64, sm90).kernel.kind->name, std::string("triangular_solve"));
  EXPECT_EQ(shape_of_system(1000, 64, cpu).kernel.kind->name, std::string("triangular_solve"));
  EXPECT_EQ(shape_of_inverse(64, sm90).kernel.kind->name, std::string("triangular_inverse"));
  EXPECT_EQ(shape_of_inverse(1000, cpu).kernel.kind->name, std::string("triangular_inverse"));
}

}  // namespace
}  // namespace fusecl
