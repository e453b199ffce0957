// Whether tensor cores multiply matrices of double faster is tried; what work-items compute beside shows what
// either should.

#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/runtime/tensor_cores.hpp>
#include <fusion/runtime/trial.hpp>

namespace fusecl {
namespace {

using runtime::multiplies_by;

/// By so many groups of the selected device.
std::optional<double> time_of(multiplies_by what, unsigned groups) {
  return runtime::time_multiplication(opencl_context.context()(), opencl_context.device()(), what, groups);
}

TEST(TensorCores, AreComparedWithWhatWorkItemsMultiply) {
  if (!opencl_context.capabilities().fp64) GTEST_SKIP() << "the device has no double";
  const auto seconds = time_of(multiplies_by::work_items, 3);
  ASSERT_TRUE(seconds) << "the sums are others";
  EXPECT_GT(*seconds, 0);
  EXPECT_LT(*seconds, std::numeric_limits<double>::infinity());
}

TEST(TensorCores, AreExactInEverySum) {
  // of the first work-item, whose rows are 0 and 8 and columns 0 and 1, in eight units
  std::vector<double> sums;
  for (int unit = 0; unit < 8; ++unit)
    for (const int row : {0, 8})
      for (const int col : {0, 1}) {
        int product = 0;
        for (int k = 0; k < 4; ++k) product += (1 + row + 3 * k) * (1 + k * col);
        sums.push_back(unit + 128 * product);
      }
  EXPECT_TRUE(runtime::are_multiplied(sums));
  for (double& sum : sums) {
    sum += 1;
    EXPECT_FALSE(runtime::are_multiplied(sums));
    sum -= 1;
  }
}

TEST(TensorCores, AreUsedWhereTheyWereFasterAndNothingElseIsTouched) {
  const capabilities& device = opencl_context.capabilities();
  if (!device.fp64) GTEST_SKIP() << "the device has no double";
  const bool fast = runtime::has_fast_tensor_cores();
  EXPECT_EQ(runtime::has_fast_tensor_cores(), fast);
  const auto seconds = time_of(multiplies_by::tensor_cores, 1);
  if (device.nvidia_capability == 90) {
    EXPECT_TRUE(seconds);
    EXPECT_TRUE(fast);
  } else if (device.nvidia_capability == 0) {
    EXPECT_FALSE(seconds);  // no other compiler has the instructions
    EXPECT_FALSE(fast);
  }
  matrix_cl<float> a = constant(1.5f, 7, 3);
  a = a + a;
  EXPECT_EQ(from_matrix_cl(a), (Eigen::MatrixXf::Constant(7, 3, 3.0f)));
}

TEST(Trials, ThatDoNotBuildOrHaveAnotherNameFail) {
  const auto runs = [](const char* source, const char* name) {
    int result = 0;
    const bool ran = runtime::run_trial(opencl_context.context()(), opencl_context.device()(),
                                        {source, name, 1, 1}, &result, sizeof result);
    return ran && result == 7;
  };
  EXPECT_TRUE(runs("kernel void seven(global int* r) { *r = 7; }", "seven"));
  EXPECT_FALSE(runs("kernel void seven(global int* r) { *r = 7; }", "eight"));
  EXPECT_FALSE(runs("kernel void seven(global int* r) { *r = seven_of(7); }", "seven"));
}

}  // namespace
}  // namespace fusecl
