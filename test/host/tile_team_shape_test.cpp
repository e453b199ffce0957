// Which rows groups of a GPU share, and the geometry of their teams: every column of every row has one
// work-item, and elements that groups exchange have room.

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>
#include <support/shape_of.hpp>

#include <fusion/fusion.hpp>
#include <fusion/passes/pass.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Geometry of a logistic regression's value and derivatives; `distinct`: no result is where an operand is.
template <class T = double>
schedule::geometry shape_of_regression(std::int64_t n, std::int64_t k,
                                       const schedule::device_shape& device = h200, bool stores = false,
                                       bool distinct = true) {
  const placeholder<T> x(0, n, k), b(1, k, 1), y(2, n, 1);
  const auto eta = shared(x * b);
  const auto slope = y - inv_logit(eta);
  const lowered_statement s = stores
                                  ? lowered(slope, transpose(x) * slope)
                                  : lowered(sum(elt_multiply(y, eta) - log1p_exp(eta)), transpose(x) * slope);
  return shape_of(s, device, schedule::row_tiles::yes, distinct);
}

TEST(TileTeamShape, GroupsShareRowsThatHaveManyColumns) {
  for (const auto& [n, k] : {std::pair(10000, 5000), std::pair(20000, 3000), std::pair(30000, 2000)})
    EXPECT_GT(shape_of_regression(n, k).kernel.tile.team, 1) << n << " x " << k;
  EXPECT_GT(shape_of_regression(3000, 20000).kernel.tile.team, 8) << "rows that no group has room for";
  // groups alone have tiles of many rows; few tiles would be shared
  for (const auto& [n, k] :
       {std::pair(1000000, 100), std::pair(100000, 1000), std::pair(100, 5000), std::pair(2, 100000)})
    EXPECT_LE(shape_of_regression(n, k).kernel.tile.team, 1) << n << " x " << k;
}

TEST(TileTeamShape, DevicesNeedWhatTeamsTake) {
  const auto team = [](const auto& change) {
    schedule::device_shape device = h200;
    change(device);
    return shape_of_regression(10000, 5000, device).kernel.tile.team;
  };
  EXPECT_EQ(team([](auto& d) { d.last_group = false; }), 1);
  EXPECT_EQ(team([](auto& d) { d.shown_bytes = d.local_bytes; }), 1);
  EXPECT_EQ(team([](auto& d) { d.largest_group = 256; }), 1);
  // a team is never larger than the groups that run at the same time
  for (const std::int64_t units : {1, 2, 4, 8, 16}) {
    const int own = team([&](auto& d) { d.compute_units = units; });
    EXPECT_LE(own, units);
  }
}

// Of a byte each a line has more rows than a warp completes.
TEST(TileTeamShape, ElementsAreOfFourBytesOrMore) {
  const placeholder<bool> x(0, 4096, 2500);
  const placeholder<float> b(1, 2500, 1), y(2, 4096, 1);
  const auto eta = shared(cast<float>(x) * b);
  const lowered_statement s =
      lowered(sum(elt_multiply(y, eta) - log1p_exp(eta)), transpose(cast<float>(x)) * (y - inv_logit(eta)));
  EXPECT_EQ(shape_of(s, h200, schedule::row_tiles::yes).kernel.tile.team, 1);
}

/// Bytes of the local memory that a kernel declares.
std::int64_t local_bytes_of(const std::string& text) {
  std::int64_t bytes = 0;
  std::istringstream lines(text.substr(0, text.find("_finish(")));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line.compare(first, 6, "local ") != 0 ||
        line.find('*') < line.find('['))
      continue;
    std::istringstream words(line.substr(first + 6));
    std::string type;
    words >> type;
    std::int64_t own = type.starts_with("double") || type == "long" ? 8 : 4;
    if (type.ends_with('2')) own *= 2;
    if (type.ends_with('4')) own *= 4;
    for (std::size_t at = line.find('['); at != std::string::npos; at = line.find('[', at + 1))
      own *= std::stoll(line.substr(at + 1));
    bytes += own;
  }
  return bytes;
}

TEST(TileTeamShape, LocalMemoryHasRoom) {
  int teams = 0;
  for (const std::int64_t k : {2000, 5000, 12000, 20000, 22529, 23000, 24500}) {
    const std::int64_t n = 30000;
    const placeholder<double> x(0, n, k), y(1, n, 1), b(2, k, 1), c(3, k, 1), d(4, k, 1), e(5, k, 1);
    const auto first = shared(x * b), second = shared(x * c), third = shared(x * d), fourth = shared(x * e);
    const auto slope = y - inv_logit(first) + exp(second) - square(third) + sin(fourth);
    for (const lowered_statement& s :
         {lowered(sum(lgamma(y + 1.0)), transpose(x) * slope), lowered(transpose(x) * (y - exp(first)))}) {
      const list_of<std::int64_t> extents = s.extents();
      const schedule::plan p = schedule::make_plan(passes::run_pipeline(s.graph), h200.form, extents.data(),
                                                   extents.size(), schedule::row_tiles::yes);
      for (std::size_t step = 0; step < p.steps.size(); ++step) {
        const schedule::geometry g = kinds::shape(
            {p, p.steps[step], h200, extents, schedule::widest(p, p.steps[step], h200), true, true});
        if (g.groups < 0 || g.kernel.tile.team == 1) continue;
        ++teams;
        const std::int64_t bytes = local_bytes_of(kinds::emit(p, step, g).source);
        EXPECT_GT(bytes, 2 * 16 * 8 * k / g.kernel.tile.team) << "of the copies alone";
        EXPECT_LE(bytes, h200.shown_bytes) << n << " x " << k;
      }
    }
  }
  EXPECT_GE(teams, 8);
}

TEST(TileTeamShape, RowsAreNotStoredWhereOthersReadThem) {
  EXPECT_GT(shape_of_regression(10000, 5000, h200, true).kernel.tile.team, 1);
  EXPECT_LE(shape_of_regression(10000, 5000, h200, true, false).kernel.tile.team, 1);
  EXPECT_GT(shape_of_regression(10000, 5000, h200, false, false).kernel.tile.team, 1);
}

template <class T>
void expect_one_work_item_a_column(std::int64_t n, std::int64_t k) {
  const schedule::geometry g = shape_of_regression<T>(n, k);
  const schedule::tile_variant& t = g.kernel.tile;
  ASSERT_GT(t.team, 1) << n << " x " << k;
  EXPECT_EQ(g.local, t.lanes * t.slots);
  EXPECT_EQ(g.groups % t.team, 0);
  EXPECT_LE(g.groups, h200.compute_units);
  std::vector<int> met(static_cast<std::size_t>(k), 0);
  for (int member = 0; member < t.team; ++member)
    for (int slot = 0; slot < t.slots; ++slot)
      for (int c = 0; c < t.columns[0]; ++c) {
        const std::int64_t j = member * t.slots + slot + std::int64_t{c} * t.slots * t.team;
        if (c + 1 < t.columns[0]) {
          ASSERT_LT(j, k) << "of which only the last register is asked";
        }
        if (j < k) ++met[static_cast<std::size_t>(j)];
      }
  EXPECT_EQ(met, std::vector<int>(met.size(), 1));
  const std::int64_t rows = std::int64_t{t.lanes} * g.kernel.width, teams = g.groups / t.team;
  EXPECT_GE(g.size("tiles") * rows, n);
  EXPECT_LT((g.size("tiles") - 1) * rows, n);
  EXPECT_LE(rows, 32) << "rows that a warp completes";
  EXPECT_LE(rows * t.team, g.local) << "elements that work-items ask for";
  EXPECT_LE(4 * teams * t.team * rows, schedule::most_exchanged);
  EXPECT_LE(2 * t.columns[0] * g.local * g.kernel.width * static_cast<std::int64_t>(sizeof(T)),
            h200.shown_bytes);
  EXPECT_GE(g.size("tags") * teams, g.size("tiles") + teams);
}

TEST(TileTeamShape, EveryColumnHasOneWorkItem) {
  for (const std::int64_t k : {2000, 3000, 4999, 5000, 5001, 7777, 20000}) {
    expect_one_work_item_a_column<double>(10000, k);
    expect_one_work_item_a_column<double>(10001, k);
    if (k < 6000) expect_one_work_item_a_column<float>(20000, 2 * k);
  }
}

}  // namespace
}  // namespace fusecl
