#pragma once
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <fusion/runtime/driver_faults.hpp>

namespace fusecl::runtime {

FUSECL_INLINE int pocl_version(const capabilities& device) {
  if (!device.cpu || device.platform != "Portable Computing Language") return -1;
  const std::string& version = device.platform_version;  // "OpenCL 3.0 PoCL 5.0+debian ..."
  const std::size_t name = version.find("PoCL ");
  return name == std::string::npos ? 0 : std::atoi(version.c_str() + name + 5);
}

FUSECL_INLINE bool is_mesa(const capabilities& device) { return device.platform == "rusticl"; }

FUSECL_INLINE bool may_abort_on_binaries(const capabilities& device) {
  return pocl_version(device) == 6 && device.platform_version.find("LLVM 18") != std::string::npos;
}

FUSECL_INLINE std::int64_t most_loop_rounds(const capabilities& device) {
  // Mesa 22.3 ends them, 25.0 does not
  const bool ends_loops =
      is_mesa(device) && device.name.starts_with("llvmpipe") && std::atoi(device.driver.c_str()) < 25;
  return ends_loops ? 65535 : 0;
}

FUSECL_INLINE bool may_share_private_values(const capabilities& device) { return pocl_version(device) >= 4; }

FUSECL_INLINE void warn_of_shared_private_values(const capabilities& device) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(
      stderr,
      "FuseCL: FUSECL_SCHEDULE=gpu on %s: PoCL 4 and later compile some kernels of this form wrong, at "
      "random; results are for tests only\n",
      device.name.c_str());
}

}  // namespace fusecl::runtime
