// Which drivers are taken to have which fault.

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <fusion/runtime/driver_faults.hpp>

namespace fusecl {
namespace {

capabilities pocl(const char* version) {
  capabilities device;
  device.platform = "Portable Computing Language";
  device.platform_version = version;
  device.cpu = true;
  return device;
}

capabilities mesa(const char* name, const char* driver) {
  capabilities device;
  device.platform = "rusticl";
  device.name = name;
  device.driver = driver;
  return device;
}

TEST(DriverFaults, AreThoseOfVersions) {
  EXPECT_EQ(runtime::pocl_version(pocl("OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts")), 3);
  EXPECT_EQ(runtime::pocl_version(pocl("OpenCL 3.0 PoCL 10.2")), 10);
  EXPECT_EQ(runtime::pocl_version(pocl("OpenCL 3.0")), 0);
  capabilities on_gpu = pocl("OpenCL 3.0 PoCL 6.0");
  on_gpu.cpu = false;
  EXPECT_EQ(runtime::pocl_version(on_gpu), -1);
  EXPECT_EQ(runtime::pocl_version(mesa("llvmpipe", "22.3.6")), -1);

  EXPECT_FALSE(runtime::may_share_private_values(pocl("OpenCL 3.0 PoCL 3.1+debian")));
  EXPECT_TRUE(runtime::may_share_private_values(pocl("OpenCL 3.0 PoCL 5.0+debian")));
  EXPECT_TRUE(runtime::may_share_private_values(pocl("OpenCL 3.0 PoCL 6.0+debian")));
  EXPECT_FALSE(runtime::may_share_private_values(on_gpu));

  EXPECT_TRUE(
      runtime::may_abort_on_binaries(pocl("OpenCL 3.0 PoCL 6.0+debian  Linux, RELOC, LLVM 18.1.8, SLEEF")));
  EXPECT_FALSE(
      runtime::may_abort_on_binaries(pocl("OpenCL 3.0 PoCL 6.0+debian  Linux, RELOC, LLVM 17.0.6, SLEEF")));
  EXPECT_FALSE(runtime::may_abort_on_binaries(pocl("OpenCL 3.0 PoCL 7.0  Linux, RELOC, LLVM 18.1.8, SLEEF")));
  EXPECT_FALSE(runtime::may_abort_on_binaries(pocl("OpenCL 3.0 PoCL 3.1+debian  Linux, LLVM 15.0.6")));

  EXPECT_EQ(runtime::most_loop_rounds(mesa("llvmpipe (LLVM 15.0.6, 256 bits)", "22.3.6")), 65535);
  EXPECT_EQ(runtime::most_loop_rounds(mesa("llvmpipe (LLVM 19.1.7, 256 bits)", "25.0.7-2+deb13u1")), 0);
  EXPECT_EQ(runtime::most_loop_rounds(mesa("Mesa Intel(R) Iris(R) Xe Graphics", "22.3.6")), 0);
  EXPECT_EQ(runtime::most_loop_rounds(pocl("OpenCL 3.0 PoCL 3.1")), 0);
}

}  // namespace
}  // namespace fusecl
