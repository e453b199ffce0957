// How many kernels a statement launches, what a warm one allocates, and when the host waits.

#include <cstdlib>
#include <string_view>

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

using matrix = matrix_cl<float>;

/// What `statement` makes the runtime do once everything is built.
template <class F>
counters warm(F statement) {
  for (int k = 0; k < 3; ++k) statement();
  const counters before = runtime_counters();
  statement();
  return runtime_counters() - before;
}

void expect_no_cost_besides_launches(const counters& spent) {
  EXPECT_EQ(spent.buffers_created, 0u);
  EXPECT_EQ(spent.host_waits, 0u);
  EXPECT_EQ(spent.programs_built + spent.programs_loaded, 0u);
  EXPECT_EQ(spent.bytes_to_device + spent.bytes_to_host, 0u);
}

class Count : public ::testing::Test {
 protected:
  matrix a = random_matrix<float>(711, 333, matrix_cl_view::Entire, 1, 2);
  matrix b = random_matrix<float>(711, 333, matrix_cl_view::Entire, 1, 2);
  matrix c = random_matrix<float>(711, 333, matrix_cl_view::Entire, 1, 2);
  matrix r, s, t, u;
};

TEST_F(Count, AnElementWiseStatementIsOneLaunch) {
  const counters spent = warm([&] { r = exp(a) * 2.0f + elt_divide(b, c); });
  EXPECT_EQ(spent.launches, 1u);
  EXPECT_EQ(spent.buffers_reused, 0u);
  expect_no_cost_besides_launches(spent);
}

TEST_F(Count, ThreeResultsAndAReductionAreOneLaunchAndAFinish) {
  const counters spent =
      warm([&] { results(r, s, t, u) = expressions(a + b, a - b, exp(elt_multiply(a, c)), sum(a + c)); });
  EXPECT_LE(spent.launches, 2u);
  expect_no_cost_besides_launches(spent);
}

TEST_F(Count, AReductionIsOneLaunchAndAtMostAFinish) {
  EXPECT_LE(warm([&] { r = rowwise_sum(exp(a)); }).launches, 2u);
  EXPECT_LE(warm([&] { r = colwise_sum(exp(a)); }).launches, 2u);
  const counters spent = warm([&] { r = sum(exp(a)); });
  EXPECT_LE(spent.launches, 2u);
  expect_no_cost_besides_launches(spent);
}

TEST_F(Count, AFullSumOnPoclIsOneLaunch) {
  const bool pocl = opencl_context.capabilities().platform.find("Portable Computing Language") == 0;
  const char* forced = std::getenv("FUSECL_SCHEDULE");
  if (!pocl || (forced && std::string_view(forced) == "gpu")) GTEST_SKIP() << "another device or schedule";
  const counters spent = warm([&] { results(r, s) = expressions(sum(exp(a)), max_2d(a + b) * 2.0f); });
  EXPECT_EQ(spent.launches, 1u);
  expect_no_cost_besides_launches(spent);
}

TEST_F(Count, AReductionUsedInTheStatementCostsNoHostWait) {
  const counters spent = warm([&] { r = a / sum(a) + b; });
  EXPECT_LE(spent.launches, 3u);
  expect_no_cost_besides_launches(spent);
}

TEST_F(Count, ReductionsOverOneDomainShareALaunch) {
  EXPECT_LE(warm([&] { results(r, s, t) = expressions(sum(a), max_2d(b), min_2d(a + b)); }).launches, 2u);
  EXPECT_LE(
      warm([&] { results(r, s) = expressions(rowwise_sum(a), rowwise_max(elt_multiply(a, b))); }).launches,
      2u);
}

TEST_F(Count, WhatFollowsFromReductionsIsPartOfTheirLaunch) {
  EXPECT_LE(warm([&] { r = log(rowwise_sum(exp(a))) + 1.0f; }).launches, 2u);
  EXPECT_LE(warm([&] { r = sqrt(sum(a)) * 2.0f + max_2d(a + b); }).launches, 2u);
}

TEST_F(Count, MemoryBetweenStepsBelongsToOneEvaluation) {
  const auto statement = [&] {
    r = exp(a - rowwise_broadcast(rowwise_max(a))) / sum(b) + colwise_broadcast(colwise_sum(c));
  };
  expect_no_cost_besides_launches(warm(statement));
  r = a;
  const pool_counts before = pool_statistics();
  statement();
  EXPECT_EQ(pool_statistics().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ(pool_statistics().blocks_in_use, before.blocks_in_use);
  trim();
  EXPECT_EQ(pool_statistics().bytes_free, 0u);
  statement();
  expect_matches(
      r, expected(exp(a - rowwise_broadcast(rowwise_max(a))) / sum(b) + colwise_broadcast(colwise_sum(c))));
}

TEST_F(Count, TrimLeavesNothingOfThisThread) {
  const auto spent_by = [](auto f) {
    trim();
    const std::uint64_t before = pool_statistics().bytes_in_use;
    f();
    trim();
    return pool_statistics().bytes_in_use + pool_statistics().bytes_free - before;
  };
  EXPECT_EQ(spent_by([&] { matrix x = rowwise_sum(a) * sum(b), y = a / max_2d(c); }), 0u);
}

TEST_F(Count, ANumberOnTheHostCostsOneWait) {
  const counters spent = warm([&] { static_cast<void>(static_cast<float>(sum(a))); });
  EXPECT_EQ(spent.host_waits, 1u);
  EXPECT_EQ(spent.bytes_to_host, sizeof(float));
  EXPECT_EQ(spent.buffers_created, 0u);
}

TEST_F(Count, NewScalarsAndSizesBuildNothing) {
  float factor = 3.25f;
  const counters spent = warm([&] { r = a * (factor += 1.0f); });
  EXPECT_EQ(spent.programs_built + spent.programs_loaded, 0u);
  const auto other = random_matrix<float>(711, 334);
  r = other * factor;
  const counters before = runtime_counters();
  matrix q = random_matrix<float>(711, 335) * factor;
  EXPECT_EQ((runtime_counters() - before).programs_built, 0u);
}

TEST_F(Count, AFreshResultTakesItsBufferFromThePool) {
  const counters spent = warm([&] { const matrix fresh = a + b; });
  EXPECT_EQ(spent.buffers_created, 0u);
  EXPECT_EQ(spent.buffers_reused, 1u);
  EXPECT_EQ(spent.host_waits, 0u);
}

TEST_F(Count, NothingIsLaunchedForNoElements) {
  const matrix none(0, 5);
  const counters spent = warm([&] { r = none + 1.0f; });
  EXPECT_EQ(spent.launches, 0u);
  EXPECT_EQ(r.cols(), 5);
}

TEST_F(Count, DestroyingAndReassigningNeverWait) {
  const counters spent = warm([&] {
    matrix big = exp(a);
    big = matrix(3, 3);
    big = b + c;
  });
  EXPECT_EQ(spent.host_waits, 0u);
}

TEST_F(Count, ManyEvaluationsOfAReadOnlyMatrixKeepMemoryFlat) {
  const matrix x = random_matrix<float>(8, 8);
  for (int k = 0; k < 100; ++k) r = x + 1.0f;
  const pool_counts before = pool_statistics();
  const counters counted = runtime_counters();
  for (int k = 0; k < 20000; ++k) r = x + 1.0f;
  EXPECT_EQ(pool_statistics().buffers_created, before.buffers_created);
  EXPECT_EQ(pool_statistics().bytes_in_use, before.bytes_in_use);
  EXPECT_EQ((runtime_counters() - counted).launches, 20000u);
}

}  // namespace
}  // namespace fusecl
