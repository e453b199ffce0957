// How large the groups of a GPU are that go through rows in phases.

#include <cstdint>

#include <gtest/gtest.h>
#include <support/placeholder.hpp>
#include <support/shape_of.hpp>

#include <fusion/fusion.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Work-items of a group for the value and derivatives of a density of n rows with k columns, whose
/// derivative by the linear predictor takes as many logistic functions.
std::int64_t group_of_regression(std::int64_t n, std::int64_t k, int functions) {
  const placeholder<double> x(0, n, k), b(1, k, 1), y(2, n, 1);
  const auto eta = shared(x * b);
  const auto value = sum(elt_multiply(y, eta) - log1p_exp(eta));
  const auto one = y - inv_logit(eta);
  const auto three = inv_logit(eta + 1.0) + inv_logit(eta - 1.0) - inv_logit(elt_multiply(y, eta));
  const lowered_statement s =
      functions == 1 ? lowered(value, transpose(x) * one) : lowered(value, transpose(x) * three);
  return shape_of(s, h200, schedule::row_tiles::yes).local;
}

TEST(RowTileShape, GroupsTakeTurnsWhereColumnsWaitLongForTheirRows) {
  for (const auto& [n, k] : {std::pair(1000000, 100), std::pair(500000, 200), std::pair(2000000, 50)}) {
    EXPECT_EQ(group_of_regression(n, k, 1), 256) << n << " x " << k;
    EXPECT_EQ(group_of_regression(n, k, 3), 128) << n << " x " << k;
  }
}

TEST(RowTileShape, GroupsThatHaveAWholeRowEachOrFewRowsStayLarge) {
  EXPECT_EQ(group_of_regression(10000000, 8, 3), 256);
  EXPECT_EQ(group_of_regression(100000, 1000, 3), 256);
}

}  // namespace
}  // namespace fusecl
