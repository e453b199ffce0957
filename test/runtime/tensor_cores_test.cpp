// Whether tensor cores multiply matrices of double faster is tried; what work-items compute beside shows what
// either should.

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/runtime/tensor_cores.hpp>
#include <fusion/runtime/trial.hpp>

namespace fusecl {
namespace {

using runtime::detail::are_multiplied, runtime::detail::multiplied_items, runtime::detail::multiplied_units;

TEST(TensorCores, AreComparedWithWhatWorkItemsMultiply) {
  if (!opencl_context.capabilities().fp64) GTEST_SKIP() << "the device has no double";
  constexpr std::size_t groups = 3;
  std::vector<double> sums(groups * multiplied_items * multiplied_units * 4);
  const runtime::trial tried{runtime::detail::multiplying_kernel(runtime::detail::by_work_items),
                             "fusecl_try_multiplying", groups, multiplied_items};
  double seconds = 0;
  ASSERT_TRUE(runtime::run_trial(opencl_context.context()(), opencl_context.device()(), tried, sums.data(),
                                 sums.size() * sizeof(double), &seconds));
  EXPECT_TRUE(are_multiplied(sums));
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, std::numeric_limits<double>::infinity());
  for (const std::size_t place : {std::size_t{0}, std::size_t{1234}, sums.size() - 1}) {
    sums[place] += 1;
    EXPECT_FALSE(are_multiplied(sums)) << place;
    sums[place] -= 1;
  }
}

TEST(TensorCores, AreUsedWhereTheyWereFasterAndNothingElseIsTouched) {
  const capabilities& device = opencl_context.capabilities();
  if (!device.fp64) GTEST_SKIP() << "the device has no double";
  const bool fast = runtime::has_fast_tensor_cores();
  EXPECT_EQ(runtime::has_fast_tensor_cores(), fast);
  const auto times = runtime::time_multiplications(opencl_context.context()(), opencl_context.device()(), 1);
  if (device.nvidia_capability == 90) {
    ASSERT_TRUE(times);
    EXPECT_TRUE(fast);
  } else if (device.nvidia_capability == 0) {
    EXPECT_FALSE(times);  // no other compiler has the instructions
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
