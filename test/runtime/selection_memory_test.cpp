// What a selection leaves behind once another device is selected: nothing.

#include <chrono>
#include <cmath>
#include <thread>

#include <Eigen/Core>
#include <malloc.h>

#include <fusion/fusion.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

/// Statements and kernels, as a program has them.
void run_statements() {
  static const kernel_cl<in_out_buffer> twice(
      "twice", "kernel void twice(global double* a) { a[get_global_id(0)] *= 2; }");
  matrix_cl<double> a(Eigen::MatrixXd::Constant(8, 8, 1.5));
  const matrix_cl<double> b = exp(a) + 1.0;
  twice(cl::NDRange(64), a);
  EXPECT_EQ(from_matrix_cl(a)(7, 7), 3.0);
  EXPECT_NEAR(sum(b), 64 * (std::exp(1.5) + 1), 1e-10);
}

/// Bytes of host memory that a selection leaves behind, of many.
template <class Use>
double bytes_left(int selections, const Use& use) {
  const auto once = [&] {
    runtime::select_anew();
    use();
  };
  const auto in_use = [] { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); };
  for (int k = 0; k < 10; ++k) once();
  const double before = in_use();
  for (int k = 0; k < selections; ++k) once();
  return (in_use() - before) / selections;
}

TEST(Selection, LeavesNoHostMemoryBehind) {
  EXPECT_LT(bytes_left(200, [] {}), 128);  // a record of it took 1,100; NVIDIA's driver keeps 73
}

TEST(Selection, LeavesNoProgramsBehind) {
  if (!opencl_context.capabilities().fp64) GTEST_SKIP() << "needs double";
  // PoCL itself keeps about 1,200 of each program; a program that stays takes a million
  EXPECT_LT(bytes_left(30, run_statements), 65536);
}

TEST(Selection, LetsGoOfItsContextWhateverRanThere) {
  if (!opencl_context.capabilities().fp64) GTEST_SKIP() << "needs double";
  const cl::Context context = opencl_context.context();
  run_statements();
  runtime::select_anew();
  opencl_context.context();      // the thread's handle
  runtime::this_thread_queue();  // and its queue are those of the new one
  // PoCL's own thread lets go of a finished command some time after those who wait know that it is finished
  const auto references = [&] { return context.getInfo<CL_CONTEXT_REFERENCE_COUNT>(); };
  for (int k = 0; k < 1000 && references() > 1; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(references(), 1u);
}

TEST(Selection, KnowsADeviceAgain) {
  const capabilities& before = opencl_context.capabilities();
  runtime::select_anew();
  EXPECT_EQ(&opencl_context.capabilities(), &before);
}

}  // namespace
}  // namespace fusecl
