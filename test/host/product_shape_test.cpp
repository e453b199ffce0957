// Which kernel products of matrices get, and its geometry: for devices with tensor cores and without.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>
#include <support/shape_of.hpp>

#include <fusion/fusion.hpp>
#include <fusion/kinds/copied_product_shape.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;

const schedule::device_shape sm90{.form = schedule::device_form::gpu,
                                  .compute_units = 132,
                                  .tensor_cores = true,
                                  .async_copies = true,
                                  .shown_bytes = 49152,
                                  .local_bytes = 49152};

// Rows and columns of the tiles whose slices are copied, by variant::choices[0].
constexpr std::int64_t copied_tiles[][2] = {{128, 128}, {128, 64}, {64, 64}, {64, 32}};

using test::shape_of;
/// Of this device, where none is named.
schedule::geometry shape_of(const lowered_statement& s) { return test::shape_of(s, sm90); }

schedule::geometry shape_of_product(std::int64_t n, std::int64_t k, std::int64_t m) {
  return shape_of(lowered(placeholder<double>(0, n, k) * placeholder<double>(1, k, m)));
}

std::string name_of(const schedule::geometry& g) { return kinds::kind_of(g).name; }

TEST(ProductShape, GroupsShareTheTermsWhereTilesAreFew) {
  for (std::int64_t n : {2, 33, 100, 257})
    for (std::int64_t k : {20000, 100003, 1000000}) {
      const schedule::geometry g = shape_of_product(n, k, 100);
      ASSERT_TRUE(g.kernel.partial) << n << " " << k;
      const std::int64_t parts = g.size("parts"), share = g.size("share");
      EXPECT_GT(parts, 1);
      EXPECT_GE(parts * share, k);
      EXPECT_LT((parts - 1) * share, k) << "a part without terms";
      EXPECT_EQ(share % 8, 0);
      EXPECT_EQ(g.part_elements[0], n * 100 * parts);
      EXPECT_LE(8 * g.part_elements[0], 64 << 20);
      EXPECT_EQ(g.groups % parts, 0);
      EXPECT_GE(g.finish_groups * g.local, n * 100);
      EXPECT_GT(g.groups, 40) << n << " " << k;
    }
}

TEST(ProductShape, TilesThatFillTheDeviceHaveAllTerms) {
  for (std::int64_t n : {512, 1000, 1024, 2048, 4096})
    EXPECT_FALSE(shape_of_product(n, n, n).kernel.partial) << n;
  EXPECT_FALSE(shape_of_product(3, 17, 5).kernel.partial);
  EXPECT_FALSE(shape_of_product(1000000, 100, 100).kernel.partial);
}

TEST(ProductShape, TilesBeyondTheLastFullRoundShareTheirTerms) {
  for (std::int64_t n : {1536, 3000, 5001}) {
    const schedule::geometry g = shape_of_product(n, n, n);
    ASSERT_TRUE(g.kernel.partial) << n;
    const std::int64_t whole = g.size("unshared"), parts = g.size("parts"), share = g.size("share");
    EXPECT_GT(whole, 0);
    EXPECT_EQ(whole % 132, 0);
    EXPECT_LT((g.groups - whole) / parts, 132);
    EXPECT_EQ((g.groups - whole) % parts, 0);
    EXPECT_GE(parts * share, n);
    EXPECT_LT((parts - 1) * share, n) << "a part without terms";
    EXPECT_EQ(g.part_elements[0], g.finish_groups * g.local * parts);
  }
}

TEST(ProductShape, NothingToComputeIsNoGroup) {
  EXPECT_EQ(shape_of_product(0, 5, 7).groups, 0);
  EXPECT_EQ(shape_of_product(5, 7, 0).groups, 0);
  EXPECT_GT(shape_of_product(5, 0, 7).groups, 0) << "zeros have to be written";
}

TEST(ProductShape, CopiesTakeWhatIsReadAsItIs) {
  const placeholder<double> a(0, 200, 300), b(1, 300, 200), c(2, 300, 200);
  EXPECT_EQ(name_of(shape_of(lowered(a * b))), "tensor_product");
  EXPECT_EQ(name_of(shape_of(lowered(exp(transpose(b) * c) + 1.0))), "tensor_product");
  EXPECT_EQ(name_of(shape_of(lowered(block_zero_based(a, 1, 2, 99, 98) * block_zero_based(b, 3, 4, 98, 97)))),
            "tensor_product");
  schedule::device_shape other = sm90;
  other.tensor_cores = false;
  EXPECT_EQ(name_of(shape_of(lowered(a * b), other)), "product");
  const placeholder<float> f(3, 200, 300), g(4, 300, 200);
  EXPECT_EQ(name_of(shape_of(lowered(f * g))), "float_product");
  EXPECT_EQ(name_of(shape_of(lowered(f * g), other)), "float_product");
  other.async_copies = false;
  EXPECT_EQ(name_of(shape_of(lowered(f * g), other)), "product");
  const placeholder<int> integers(5, 200, 200);
  EXPECT_EQ(name_of(shape_of(lowered(integers * integers))), "product");
  const placeholder<double> lower(5, 200, 200, matrix_cl_view::Lower);
  EXPECT_EQ(name_of(shape_of(lowered(lower * a))), "tensor_product") << "zeros are not copied";
  EXPECT_EQ(name_of(shape_of(lowered(transpose(lower) * lower))), "tensor_product");
  EXPECT_EQ(name_of(shape_of(
                lowered(block_zero_based(lower, 1, 0, 199, 199) * block_zero_based(a, 0, 0, 199, 300)))),
            "product")
      << "zeros above another diagonal";
  other = sm90;
  other.shown_bytes = other.local_bytes = 32768;
  EXPECT_EQ(name_of(shape_of(lowered(placeholder<double>(0, 4096, 4096) * placeholder<double>(1, 4096, 4096)),
                             other)),
            "product");
}

TEST(ProductShape, CopiesAreAsWideAsColumnsAllow) {
  const auto widths = [](const schedule::geometry& g) {
    return std::pair<int, int>(g.kernel.choices[1], g.kernel.choices[2]);
  };
  const auto of = [&](auto type, std::int64_t n, std::int64_t k, std::int64_t m) {
    using T = decltype(type);
    return widths(shape_of(lowered(placeholder<T>(0, n, k) * placeholder<T>(1, k, m))));
  };
  EXPECT_EQ(of(1.0f, 64, 128, 64), std::pair(4, 4));
  EXPECT_EQ(of(1.0f, 66, 128, 64), std::pair(2, 4));
  EXPECT_EQ(of(1.0f, 65, 130, 64), std::pair(1, 2));
  EXPECT_EQ(of(1.0, 64, 128, 64), std::pair(2, 2));
  EXPECT_EQ(of(1.0, 65, 128, 64), std::pair(1, 2));
  const placeholder<float> a(0, 128, 128), b(1, 64, 128);
  EXPECT_EQ(widths(shape_of(lowered(block_zero_based(a, 1, 0, 64, 64) * b))), std::pair(1, 4));
  const placeholder<double> lower(2, 128, 128, matrix_cl_view::Lower), c(3, 128, 128);
  EXPECT_EQ(widths(shape_of(lowered(c * lower))), std::pair(2, 2))
      << "but for slices in which the triangle ends";
  const placeholder<double> odd(4, 127, 127, matrix_cl_view::Lower), d(5, 128, 127);
  EXPECT_EQ(widths(shape_of(lowered(d * odd))), std::pair(2, 1));
}

/// The tiles that groups of a product with half of the work take: repeats what `place_in_half` writes.
std::vector<std::pair<std::int64_t, std::int64_t>> tiles_taken(const schedule::geometry& g,
                                                               std::int64_t tile_rows, std::int64_t tile_cols,
                                                               std::int64_t high_most, bool shares_last) {
  std::vector<std::pair<std::int64_t, std::int64_t>> taken;
  const std::int64_t unshared = shares_last ? g.size("unshared") : 0;
  const std::int64_t row_tiles = g.size("row_tiles"),
                     groups = unshared + (g.groups - unshared) / g.size("parts"),
                     col_tiles = (g.size("cols") + tile_cols - 1) / tile_cols;
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto width = [&](std::int64_t end) {
      return std::min(col_tiles, (end * tile_rows + tile_cols - 1) / tile_cols);
    };
    std::int64_t place = group, top = 0, high = std::min(high_most, row_tiles), wide = width(high);
    while (place >= high * wide) {
      place -= high * wide;
      top += high;
      high = std::min(high_most, row_tiles - top);
      wide = width(top + high);
    }
    const std::int64_t row = top + place % high, col = place / high;
    if (col * tile_cols < (row + 1) * tile_rows) taken.emplace_back(row, col);
  }
  return taken;
}

/// Every tile with elements on or below the diagonal once, and no other.
void expect_half(const schedule::geometry& g, std::int64_t n, std::int64_t tile_rows, std::int64_t tile_cols,
                 std::int64_t high, bool shares_last = false) {
  auto taken = tiles_taken(g, tile_rows, tile_cols, high, shares_last);
  std::vector<std::pair<std::int64_t, std::int64_t>> wanted;
  for (std::int64_t row = 0; row * tile_rows < n; ++row)
    for (std::int64_t col = 0; col * tile_cols < n && col * tile_cols < (row + 1) * tile_rows; ++col)
      wanted.emplace_back(row, col);
  std::sort(taken.begin(), taken.end());
  EXPECT_EQ(taken, wanted) << n << ": tiles of " << tile_rows << " x " << tile_cols;
}

TEST(ProductShape, AMatrixTimesItsTransposeTakesTilesOnAndBelowTheDiagonal) {
  schedule::device_shape cpu, other = sm90;
  cpu.form = schedule::device_form::cpu;
  cpu.compute_units = 2;
  cpu.local_bytes = 1 << 20;
  other.tensor_cores = false;
  int times_shared = 0;
  for (std::int64_t n : {2, 33, 64, 65, 300, 1000, 1025, 2048, 5001})
    for (std::int64_t k : {20, 500, 100000}) {
      const placeholder<double> a(0, n, k);
      const schedule::geometry tensor = shape_of(lowered(a * transpose(a))),
                               portable = shape_of(lowered(a * transpose(a)), other),
                               on_cpu = shape_of(lowered(a * transpose(a)), cpu);
      const placeholder<float> f(0, n, k);
      for (const schedule::geometry& copied : {tensor, shape_of(lowered(f * transpose(f)))}) {
        const auto [rows, cols] = copied_tiles[copied.kernel.choices[0]];
        const bool shares_last = (copied.kernel.choices[3] & kinds::copied_product::shares_last_tiles) != 0;
        expect_half(copied, n, rows, cols, shares_last ? 1 : 8, shares_last);
        times_shared += shares_last;
      }
      const std::int64_t own = portable.kernel.choices[0], across = portable.kernel.choices[1];
      expect_half(portable, n, own * across, own * portable.local / across, 1);
      schedule::geometry whole = on_cpu;
      whole.sizes.push_back({"parts", 1});
      expect_half(whole, n, on_cpu.kernel.choices[0], on_cpu.kernel.choices[1], 1);
    }
  EXPECT_GT(times_shared, 0);
}

/// Numbers of terms of the tiles of a lower triangular matrix times a dense one, in the order of groups.
std::vector<std::int64_t> terms_in_order(const schedule::geometry& g, std::int64_t tile_rows,
                                         std::int64_t tile_cols) {
  const std::int64_t row_tiles = g.size("row_tiles"), tiles = g.groups,
                     col_tiles = (g.size("cols") + tile_cols - 1) / tile_cols;
  const bool turns = (g.kernel.choices[3] & kinds::copied_product::turns_round) != 0;
  std::vector<std::int64_t> terms;
  for (std::int64_t group = 0; group < tiles; ++group) {
    std::int64_t number = group;
    if (turns) {
      const std::int64_t round = g.size("round_groups"), start = group / round * round;
      if (group / round % 2 == 1) number = start + std::min(round, tiles - start) - 1 - (group - start);
    }
    const std::int64_t row = row_tiles - 1 - number / col_tiles;
    terms.push_back(std::min((row + 1) * tile_rows, g.size("inner")));
  }
  return terms;
}

// Of 1024 rows a unit has about two tiles at once, of 2048 one after the other.
TEST(ProductShape, TilesWithMoreTermsComeFirst) {
  using kinds::copied_product::goes_by_columns, kinds::copied_product::goes_by_rows,
      kinds::copied_product::turns_round;
  for (const std::int64_t n : {1024, 2048}) {
    const placeholder<double> lower(0, n, n, matrix_cl_view::Lower), dense(1, n, n);
    const schedule::geometry g = shape_of(lowered(lower * dense));
    const int flags = g.kernel.choices[3] & (goes_by_rows | goes_by_columns | turns_round);
    EXPECT_EQ(flags, n == 1024 ? goes_by_rows | turns_round : goes_by_rows) << n;
    const auto [rows, cols] = copied_tiles[g.kernel.choices[0]];
    const std::vector<std::int64_t> terms = terms_in_order(g, rows, cols);
    std::int64_t all = 0;
    for (const std::int64_t each : terms) all += each;
    if (n == 1024) {  // what each unit has is what all have on average
      for (std::size_t unit = 0; unit < 132; ++unit) {
        std::int64_t own = 0;
        for (std::size_t tile = unit; tile < terms.size(); tile += 132) own += terms[tile];
        EXPECT_LT(static_cast<double>(own), 1.15 * static_cast<double>(all) / 132) << unit;
      }
    } else {  // whoever is done takes the next
      std::vector<std::int64_t> units(132, 0);
      for (const std::int64_t each : terms) *std::min_element(units.begin(), units.end()) += each;
      EXPECT_LT(static_cast<double>(*std::max_element(units.begin(), units.end())),
                1.15 * static_cast<double>(all) / 132);
    }
    const int by_columns = shape_of(lowered(dense * lower)).kernel.choices[3];
    EXPECT_EQ(by_columns & (goes_by_rows | goes_by_columns), goes_by_columns) << n;
  }
  const placeholder<double> lower(0, 16384, 16384, matrix_cl_view::Lower), dense(1, 16384, 16384);
  EXPECT_EQ(shape_of(lowered(lower * dense)).kernel.choices[3], 0) << "caches matter more";
}

TEST(ProductShape, HalfOfTheGroupsDoForAMatrixTimesItsTranspose) {
  const placeholder<double> a(0, 8192, 8192), b(1, 8192, 8192);
  const auto groups = [&](const auto& e) { return static_cast<double>(shape_of(lowered(e)).groups); };
  EXPECT_LT(groups(a * transpose(a)), 0.6 * groups(a * b));
  EXPECT_LT(groups(transpose(a) * a), 0.6 * groups(a * b));
  EXPECT_EQ(groups(a * a), groups(a * b)) << "no transpose";
  const placeholder<double> same(1, 8192, 8192);
  EXPECT_EQ(groups(a * transpose(same)), groups(a * b)) << "another matrix";
}

}  // namespace
}  // namespace fusecl
