// Matrices and a new selection of a device; what a filter may ask; host memory that is still to be written.

#include <new>

#include <support/operands.hpp>

#include <fusion/fusion.hpp>

#include "scratch.hpp"

namespace fusecl {
namespace {

using test::run_probe;
using test::select_same_device;

using matrix = matrix_cl<float>;

TEST(MatrixOfAnEarlierSelection, CanBeAssignedTo) {
  const Eigen::MatrixXf values = test::random_host<float>(5, 3);
  matrix by_expression(values), by_copy(values), by_move(values), zeroed(values), destroyed(values);
  const auto kept = by_copy + 1.0f;
  select_same_device();
  const matrix fresh(values);
  by_expression = fresh * 2.0f;  // its size stays
  EXPECT_EQ(by_expression.to_host(), 2 * values);
  by_copy = fresh;
  EXPECT_EQ(by_copy.to_host(), values);
  EXPECT_EQ(matrix(kept).to_host(), (values.array() + 1).matrix());
  by_move = matrix(values);
  EXPECT_EQ(by_move.to_host(), values);
  EXPECT_EQ(zeroed.setZero().to_host(), Eigen::MatrixXf::Zero(5, 3));
  EXPECT_EQ(destroyed.rows(), 5);
  EXPECT_THROW(destroyed.to_host(), error);
}

TEST(CopyAssignment, ThatThrowsLeavesTheTargetAsItWas) {
  const Eigen::MatrixXf values = test::random_host<float>(5, 3);
  matrix target(values, matrix_cl_view::Entire), same(values);
  const auto memory = target.storage();
  const matrix huge(std::int64_t{1} << 31, 1024, matrix_cl_view::Lower);
  EXPECT_THROW(target = huge, out_of_device_memory);
  EXPECT_EQ(target.storage(), memory);
  EXPECT_EQ(target.view(), matrix_cl_view::Entire);
  EXPECT_EQ(target.to_host(), values);
  const matrix old(values);
  select_same_device();
  matrix now(values);
  EXPECT_THROW(now = old, error);
  EXPECT_EQ(now.to_host(), values);
}

TEST(Probe, DISABLED_AFilterAsksForCapabilities) {
  select_device(
      device_filter([](const capabilities& c) { return opencl_context.capabilities().name == c.name; }));
  std::printf("selected=%s\n", opencl_context.capabilities().name.c_str());
}

TEST(DeviceFilter, MayAskForCapabilities) {
  const auto [output, status] = run_probe("Probe.DISABLED_AFilterAsksForCapabilities", "timeout 60");
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("selected=" + opencl_context.capabilities().name), std::string::npos) << output;
}

TEST(PendingReads, AreOverWhenAnExceptionLeavesTheirScope) {
  const kernel_cl<in_out_buffer> slow("slow",
                                      "kernel void slow(global uint* a) {\n"
                                      "  uint x = a[0];\n"
                                      "  for (int k = 0; k < 30000000; ++k) x = x * 1664525u + 1013904223u;\n"
                                      "  a[0] = x | 1u;\n}\n");
  // as large as goes to its place at once; smaller ones are forgotten there
  const std::vector<unsigned> ones(400000, 1);
  test::device_array<unsigned> array(ones);
  slow(cl::NDRange(1), cl::NDRange(1), array);  // built, and over
  EXPECT_NE(array.read()[0], 0u);
  std::vector<unsigned> host(ones.size(), 0);
  try {
    const runtime::pending_reads into_host;
    slow(cl::NDRange(1), cl::NDRange(1), array);
    runtime::this_thread_queue().read(*array.storage(), 0, host.size() * sizeof(unsigned), host.data(),
                                      false);
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
  }
  EXPECT_NE(host.front(), 0u);
  EXPECT_EQ(host.back(), 1u);
}

}  // namespace
}  // namespace fusecl
