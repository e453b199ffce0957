#pragma once
// From which sizes on functions of host matrices go to the device.

#include <cstdint>

#include <fusion/runtime/context.hpp>

namespace fusecl::test {

/// Sets all sizes for the time it lives.
class transfer_from {
 public:
  explicit transfer_from(std::int64_t size) : before_(opencl_context.tuning_opts()) {
    opencl_context.tuning_opts() = {size, size, size, size};
  }
  ~transfer_from() { opencl_context.tuning_opts() = before_; }

 private:
  tuning_options before_;
};

}  // namespace fusecl::test
