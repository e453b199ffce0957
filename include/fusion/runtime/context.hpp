#pragma once
// The selected device: `opencl_context` reaches its OpenCL objects and capabilities.
// Each selection starts a generation; what was made under an earlier one cannot meet the new device.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

#include <fusion/runtime/device.hpp>

namespace fusecl {

namespace runtime {

/// What one selection made. Never destroyed, so references into it stay good; the context handle is let go
/// when another device is selected.
struct device_state {
  device_entry entry;
  std::uint64_t generation;
  mutable std::mutex context_mutex;
  cl::Context context;
  const device_state* earlier;  ///< the selection before
};

inline constinit std::atomic<device_state*> selected_state{nullptr};
inline constinit std::atomic<std::uint64_t> selected_generation{0};

/// Selects by the environment, else the best device, unless another thread just did.
device_state& select_by_default();

/// The state of the selected device; the first call selects one.
inline device_state& selected() {
  device_state* state = selected_state.load(std::memory_order_acquire);
  return state != nullptr ? *state : select_by_default();
}

/// The context of a state; empty once another device was selected.
cl::Context context_of(const device_state& state);

}  // namespace runtime

/// Type of the object `opencl_context`. Every member selects a device at first use, in this order: what
/// `select_device` was told; the environment (OCL_DEVICE, OCL_PLATFORM, OCL_VENDOR are parts of names,
/// OCL_TYPE is CPU, GPU or ACCELERATOR, OCL_POSITION picks among what remains); the best device: GPU with
/// fp64, GPU, CPU. Throws no_device_error if nothing matches.
class opencl_context_type {
 public:
  cl::Platform platform() const { return runtime::selected().entry.platform; }
  cl::Device device() const { return runtime::selected().entry.device; }
  cl::Context context() const { return runtime::context_of(runtime::selected()); }
  /// The calling thread's in-order queue. Whoever enqueues on it by hand brackets the storages he uses with
  /// `runtime::this_thread_queue()`'s before_read, before_write and enqueued.
  cl::CommandQueue queue() const;
  const fusecl::capabilities& capabilities() const { return runtime::selected().entry.capabilities; }
  /// 1 after the first selection, one more after each further one.
  std::uint64_t generation() const { return runtime::selected().generation; }
};

inline constexpr opencl_context_type opencl_context{};

/// Selects the best device whose name contains `name_part`, ignoring case. Throws no_device_error listing
/// what exists if there is none, and then leaves the selection as it was. Data on the device selected before
/// cannot be used with the new one.
void select_device(std::string_view name_part);
/// Selects the best device that passes the filter; throws as above.
void select_device(const device_filter& filter);

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/queue.hpp>  // ends with the bodies of this file
#endif
