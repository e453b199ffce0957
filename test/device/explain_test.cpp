// explain: of everything that can be evaluated, at any time, with little memory.

#include <cstdlib>
#include <optional>

#include <support/compare.hpp>
#include <support/messages.hpp>
#include <support/scoped_variable.hpp>

#include <fusion/autodiff/value_and_gradient.hpp>

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

TEST(Explain, ShowsOnlyPassesThatChangedTheGraph) {
  const auto a = random_matrix<float>(7, 3);
  const auto shown = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("graph after ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const explanation unchanged = explain(exp(a));
  EXPECT_GT(unchanged.graphs.size(), 1u);
  EXPECT_EQ(shown(unchanged.text()), 0u) << unchanged.text();
  EXPECT_NE(unchanged.text().find("graph as written:"), std::string::npos);
  const explanation simplified = explain(exp(a) * 1.0f);
  EXPECT_LT(shown(simplified.text()), simplified.graphs.size() - 1) << simplified.text();
  EXPECT_NE(simplified.text().find("graph after simplify:"), std::string::npos) << simplified.text();
}

TEST(Explain, BeginsWithTheAnswer) {
  const auto a = random_matrix<float>(71, 33);
  const std::string one = explain(exp(a)).text();
  EXPECT_EQ(one.find("1 launch, reads 9372 bytes, writes 9372 bytes, "), 0u) << one;
  EXPECT_LT(one.find(" us expected, at the copy bandwidth of "), one.find("graph as written")) << one;
  const explanation several = explain(sum(a - rowwise_broadcast(rowwise_sum(a))) + a);
  EXPECT_EQ(several.text().find(std::to_string(several.kernels.size()) + " launches, "), 0u);
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

/// A variable of the environment for a scope, in which the device is selected anew.
class profiling_device {
 public:
  explicit profiling_device(const char* value) {
    variable_.emplace("FUSECL_PROFILE", value);
    runtime::select_anew();
  }
  profiling_device(const profiling_device&) = delete;
  ~profiling_device() {
    variable_.reset();
    runtime::select_anew();
  }

 private:
  std::optional<scoped_variable> variable_;
};

TEST(Explain, ShowsMeasuredTimesOfWhatRan) {
  const profiling_device profiling("1");
  const auto a = random_matrix<float>(710, 330);
  const auto e = colwise_sum(a - rowwise_broadcast(rowwise_sum(a))) * 2.0f;
  EXPECT_EQ(explain(e).measured_seconds, 0);
  EXPECT_NE(explain(e).text().find("not measured"), std::string::npos);
  for (int k = 0; k < 2; ++k) {
    const matrix_cl<float> result = e;
    const counters before = runtime_counters();
    const explanation after = explain(e);
    EXPECT_EQ((runtime_counters() - before).launches, 0u);
    double all = 0;
    for (const explained_kernel& kernel : after.kernels) {
      EXPECT_GT(kernel.measured_seconds, 0);
      all += kernel.measured_seconds;
    }
    EXPECT_EQ(all, after.measured_seconds);
    EXPECT_LT(all, 5);
    EXPECT_NE(after.text().find(" us measured when it ran last, "), std::string::npos) << after.text();
    EXPECT_GT(after.bandwidth, 0);
  }
  const auto other = random_matrix<float>(71, 33);
  EXPECT_EQ(explain(colwise_sum(other - rowwise_broadcast(rowwise_sum(other))) * 2.0f).measured_seconds, 0);
}

TEST(Explain, ShowsMeasuredTimesOfGradients) {
  const profiling_device profiling("on");
  const auto a = random_matrix<float>(71, 33), b = random_matrix<float>(71, 33);
  EXPECT_EQ(explain(sum(exp(a) - b), wrt(a)).measured_seconds, 0);
  value_and_gradient(sum(exp(a) - b), wrt(a));
  const explanation e = explain(sum(exp(a) - b), wrt(a));
  EXPECT_GT(e.measured_seconds, 0) << e;
}

TEST(Explain, ShowsMeasuredTimesOfAQueueOfTheProgram) {
  const cl::Device device = opencl_context.device();
  const cl::Context context(device);
  opencl_context.adopt(context, device, cl::CommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE));
  {
    const auto a = random_matrix<float>(71, 33);
    const matrix_cl<float> result = exp(a) - 2.0f;
    EXPECT_GT(explain(exp(a) - 2.0f).measured_seconds, 0);
  }
  runtime::select_anew();
}

TEST(Explain, AnUnknownWordIsRefused) {
  const profiling_device profiling("maybe");
  EXPECT_EQ(message_of<error>([] { const matrix_cl<float> result = random_matrix<float>(7, 3) + 1.0f; }),
            "FUSECL_PROFILE is \"maybe\", expected 0 or off, 1 or on");
}

TEST(Explain, SaysHowToMeasure) {
  const auto a = random_matrix<float>(7, 3);
  const matrix_cl<float> result = exp(a) - 3.0f;
  const explanation e = explain(exp(a) - 3.0f);
  if (std::getenv("FUSECL_PROFILE") == nullptr) {
    EXPECT_EQ(e.measured_seconds, 0);
    EXPECT_NE(e.text().find("not measured: with FUSECL_PROFILE=1"), std::string::npos) << e.text();
  }
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
