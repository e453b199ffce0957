// How much local memory groups are seen to have: what the device says at least, and more only where a kernel
// that uses it has computed what it should.

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/runtime/local_memory.hpp>

namespace fusecl {
namespace {

TEST(LocalMemory, IsTriedWithAKernelThatUsesIt) {
  const cl_context context = opencl_context.context()();
  const cl_device_id device = opencl_context.device()();
  const auto said = static_cast<std::int64_t>(opencl_context.capabilities().local_bytes);
  EXPECT_TRUE(runtime::runs_with_local_bytes(context, device, 16 * 1024));
  EXPECT_TRUE(runtime::runs_with_local_bytes(context, device, std::min<std::int64_t>(said, 32 * 1024) - 256));
  EXPECT_GE(runtime::shown_local_bytes(), said);
  EXPECT_EQ(runtime::shown_local_bytes(), runtime::shown_local_bytes());
}

// NVIDIA's compiler refuses what a unit does not have, and everything else goes on.
TEST(LocalMemory, ThatIsNotThereIsNotShown) {
  if (opencl_context.capabilities().nvidia_capability == 0)
    GTEST_SKIP() << "local memory is that of the host";
  EXPECT_FALSE(
      runtime::runs_with_local_bytes(opencl_context.context()(), opencl_context.device()(), 1 << 20));
  matrix_cl<float> a = constant(1.5f, 7, 3);
  a = a + a;
  EXPECT_EQ(from_matrix_cl(a), (Eigen::MatrixXf::Constant(7, 3, 3.0f)));
}

TEST(LocalMemory, IsThatOfCudaWhereItIsKnown) {
  EXPECT_EQ(runtime::local_bytes_of_cuda(90), 226 * 1024);
  EXPECT_EQ(runtime::local_bytes_of_cuda(80), 162 * 1024);
  EXPECT_EQ(runtime::local_bytes_of_cuda(89), 98 * 1024);
  EXPECT_EQ(runtime::local_bytes_of_cuda(75), 0);
  EXPECT_EQ(runtime::local_bytes_of_cuda(0), 0);
}

}  // namespace
}  // namespace fusecl
