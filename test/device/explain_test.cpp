// explain: of everything that can be evaluated, at any time, with little memory.

#include <support/compare.hpp>

namespace fusecl {
namespace {

using namespace test;

TEST(Explain, ShowsScalarExpressions) {
  const auto a = random_matrix<float>(71, 33);
  const explanation of_sum = explain(2.0f * sum(a));
  EXPECT_FALSE(of_sum.kernels.empty());
  EXPECT_GE(of_sum.bytes_read, 71 * 33 * 4);
  EXPECT_NE(explain(fma(sum(a), 2.0f, 3.0f)).text().find("fma"), std::string::npos);
  EXPECT_EQ(fma(sum(a), 2.0f, 3.0f).view(), matrix_cl_view::Entire);
}

TEST(Explain, ShowsEqualGraphsOnce) {
  const std::string text = explain(exp(random_matrix<float>(7, 3))).text();
  EXPECT_NE(text.find("graph after simplify: the same"), std::string::npos) << text;
}

TEST(Explain, NamesEachPlanAndEachKindOfStep) {
  const auto a = random_matrix<float>(71, 33);
  const std::string tiled = explain(rowwise_softmax(a)).plan;
  for (const char* part :
       {"plan 1 of 2, rows stay on the chip: taken", "plan 2 of 2, steps one after the other",
        "holds for all sizes", "row_tile (tiles of rows in phases)", "flops an element"})
    EXPECT_NE(tiled.find(part), std::string::npos) << part << " in\n" << tiled;
  const auto wide = random_matrix<float>(3, 600000);
  const std::string stepwise = explain(rowwise_softmax(wide)).plan;
  for (const char* part : {"does not fit: 3 rows of step 0 are too long",
                           "plan 2 of 2, steps one after the other: "
                           "taken"})
    EXPECT_NE(stepwise.find(part), std::string::npos) << part << " in\n" << stepwise;
}

TEST(Explain, NamesNumbersThatMakeFloatDouble) {
  const auto a = random_matrix<float>(7, 3);
  if (device_has_double()) {
    const explanation e = explain(a * 0.3 + exp(a * 2.0f) - 1.0);
    EXPECT_NE(e.note.find("are double: 0.3, 1."), std::string::npos) << e.note;
    EXPECT_NE(e.text().find(e.note), std::string::npos) << e.text();
    EXPECT_EQ(explain(random_matrix<double>(7, 3) * 0.3).note, "");
  }
  EXPECT_EQ(explain(a * 0.3f + exp(a * 2)).note, "");
  EXPECT_EQ(explain(random_matrix<int>(7, 3) * 2).note, "");
}

TEST(Explain, TakesLittleMemoryAndBuildsNothingAfterFreeze) {
  const auto a = random_matrix<float>(71, 33);
  const matrix_cl<float> r = exp(a) + 5.0f;
  trim();
  reset_pool_peak();
  const pool_counts before = pool_statistics();
  freeze();
  const counters start = runtime_counters();
  EXPECT_NO_THROW(EXPECT_GT(explain(exp(a) + 5.0f).predicted_seconds, 0));
  EXPECT_NO_THROW(EXPECT_FALSE(explain(exp(a) + 7.0f - rowwise_broadcast(rowwise_sum(a))).kernels.empty()));
  EXPECT_EQ((runtime_counters() - start).programs_built, 0u);
  unfreeze();
  EXPECT_GT(explain(exp(a) + 5.0f).predicted_seconds, 0);
  EXPECT_LT(pool_statistics().peak_bytes_in_use - before.bytes_in_use, 64'000'000u);
}

}  // namespace
}  // namespace fusecl
