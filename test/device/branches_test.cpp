// Branches of selections: what is long is computed where it is looked at only, and is right there, whatever
// the conditions, what they are as large as, and who else needs a part of a branch.

#include <limits>

#include <support/compare.hpp>

#include <fusion/autodiff.hpp>

namespace fusecl {
namespace {

using namespace test;

/// Long enough to be kept from those who do not need it, and needed twice by those who do.
template <class X>
auto long_branch(const X& x) {
  const auto value = lgamma(fabs(x) + 0.5f) + digamma(fabs(x) + 0.25f);
  return elt_multiply(value, value) + value;
}

struct Branches : ::testing::TestWithParam<size_pair> {
  const matrix_cl<float> a = random_matrix<float>(GetParam().rows, GetParam().cols),
                         b = random_matrix<float>(GetParam().rows, GetParam().cols),
                         column = random_matrix<float>(GetParam().rows, 1),
                         row = random_matrix<float>(1, GetParam().cols);
};
INSTANTIATE_TEST_SUITE_P(Sizes, Branches,
                         ::testing::Values(size_pair{0, 0}, size_pair{1, 1}, size_pair{7, 5},
                                           size_pair{1, 300}, size_pair{257, 3}, size_pair{1000, 17}));

TEST_P(Branches, OfEachElement) {
  const float some = 1;
  EXPECT_ALL_MATCH_REFERENCE(select(a > b, long_branch(a), b), select(a > b, b, long_branch(a)),
                             select(a > b, long_branch(a), long_branch(b)),
                             select(a > b, select(a > 0.0f, long_branch(b), a), b),
                             select(some > 0.5f, long_branch(a), b), select(some < 0.5f, long_branch(a), b));
}

TEST_P(Branches, InSums) {
  const auto branches = select(a > b, long_branch(a), select(b > 0.0f, long_branch(b), a));
  expect_matches_reference(sum(branches));
  expect_matches_reference(rowwise_sum(branches));
  expect_matches_reference(colwise_sum(branches));
}

/// The condition has more elements than what it guards, or fewer.
TEST_P(Branches, OfOtherShapes) {
  EXPECT_ALL_MATCH_REFERENCE(select(a > 0.0f, rowwise_broadcast(long_branch(column)), b),
                             select(a > 0.0f, colwise_broadcast(long_branch(row)), b),
                             select(rowwise_broadcast(column) > 0.0f, long_branch(a), b),
                             select(colwise_broadcast(row) > 0.0f, long_branch(a), b));
  expect_matches_reference(rowwise_sum(select(a > 0.0f, rowwise_broadcast(long_branch(column)), b)));
  expect_matches_reference(colwise_sum(select(a > 0.0f, colwise_broadcast(long_branch(row)), b)));
}

TEST_P(Branches, ThatOthersNeedToo) {
  const auto value = long_branch(a);
  matrix_cl<float> chosen, other, rest;
  results(chosen, other, rest) =
      expressions(select(a > b, value, b), select(a > b, b, value), select(b > 0.0f, value, a) + value);
  expect_matches(chosen, expected(select(a > b, value, b)));
  expect_matches(other, expected(select(a > b, b, value)));
  expect_matches(rest, expected(select(b > 0.0f, value, a) + value));
  EXPECT_ALL_MATCH_REFERENCE(select(value > 0.5f, value, -value), select(a > b, value, b) + value);
}

TEST_P(Branches, InGradients) {
  const auto f = [&](const auto& x) { return sum(select(x > b, long_branch(x), elt_multiply(x, b))); };
  const matrix_cl<float> slope = std::get<0>(value_and_gradient(f(a), wrt(a)).gradient);
  // the derivative of v^2 + v, v = lgamma(|x| + 1/2) + digamma(|x| + 1/4)
  const auto v = lgamma(fabs(a) + 0.5f) + digamma(fabs(a) + 0.25f);
  const auto dv = elt_multiply(digamma(fabs(a) + 0.5f) + trigamma(fabs(a) + 0.25f), sign(a));
  expect_matches(slope, expected(select(a > b, elt_multiply(2.0f * v + 1.0f, dv), b)));
}

/// What is not chosen may be anything.
TEST(Branch, ThatIsNotChosenLeavesNothing) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                  infinity = std::numeric_limits<float>::infinity();
  host<float> values(6, 1);
  values << nan, infinity, -infinity, -3, 0, 2;
  const matrix_cl<float> x(values);
  EXPECT_ALL_MATCH_REFERENCE(
      select(x > 1.0f, long_branch(x), 0.0f), select(isfinite(x), long_branch(x), 7.0f),
      sum(select(x > 1.0f, long_branch(x), 0.0f)), sum(select(x > 100.0f, long_branch(x), 1.0f)));
}

/// Branches of whole numbers and of bool, which have zeros of their own types.
TEST(Branch, OfWholeNumbersAndOfBool) {
  const auto n = random_matrix<int>(37, 5);
  const auto x = random_matrix<float>(37, 5);
  const auto counted = cast<int>(long_branch(x));
  const auto tested = long_branch(x) > 1.0f;
  EXPECT_ALL_MATCH_REFERENCE(select(n > 0, elt_multiply(counted, counted) + counted, n),
                             cast<int>(select(n > 0, (tested && x > 0.0f) || tested == (n > 2), n < 0)));
}

}  // namespace
}  // namespace fusecl
