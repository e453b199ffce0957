#pragma once
// The selected device: `opencl_context` reaches its OpenCL objects and capabilities.
// Each selection starts a generation; what was made under an earlier one cannot meet the new device.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include <fusion/runtime/device.hpp>
#include <fusion/runtime/tuning.hpp>

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
  bool adopted = false;         ///< the program's own context
  cl::CommandQueue queue = {};  ///< of the program, for the thread that adopted it; empty once it has it
  unsigned queue_of = 0;        ///< id of that thread's queue
  mutable std::mutex tuning_mutex = {};
  bool is_tuned = false;       ///< `tuning` has been read
  tuning_options tuning = {};  ///< of the device, until the program changes it
};

inline FUSECL_SHARED constinit std::atomic<device_state*> selected_state{nullptr};
inline FUSECL_SHARED constinit std::atomic<std::uint64_t> selected_generation{0};

/// A generation is the number of the selection, and before it what no other copy of the library in the same
/// process has.
inline constexpr unsigned selection_bits = 20;
inline bool is_own_generation(std::uint64_t generation) {
  return generation >> selection_bits == reinterpret_cast<std::uintptr_t>(&selected_state) >> 4;
}
constexpr std::uint64_t selection_number(std::uint64_t generation) {
  return generation & ((std::uint64_t{1} << selection_bits) - 1);
}

/// Selects by the environment, else the best device, unless another thread just did.
device_state& select_by_default();

/// The state of the selected device; the first call selects one.
inline device_state& selected() {
  device_state* state = selected_state.load(std::memory_order_acquire);
  return state != nullptr ? *state : select_by_default();
}

/// The context of a state; empty once another device was selected.
cl::Context context_of(const device_state& state);

/// Selects the selected device once more, with a new context, as if it were another one.
void select_anew();

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
  std::uint64_t generation() const { return runtime::selection_number(runtime::selected().generation); }
  /// Platform and device in a few lines: names, versions, driver, kind, compute units, memory.
  std::string description() const;
  /// Most work-items of a work-group.
  int max_thread_block_size() const {
    return static_cast<int>(runtime::selected().entry.capabilities.max_work_group);
  }

  /// From which sizes on functions of host matrices use the device. To be set before other threads use it.
  /// The first call reads the user's file; throws error where that is not as tuning.hpp says.
  tuning_options& tuning_opts() const;

  /// Selects a context and a device of it that the program already has, as `select_device` does a device. The
  /// library keeps them alive while they are selected. Statements of the calling thread go to `queue`, in
  /// order with what the program itself enqueues there; other threads get queues of their own. Without
  /// `queue` the calling thread does, too. Throws std::invalid_argument if the context does not have the
  /// device, the queue is of another context or device or runs out of order, no_device_error if the device
  /// has no compiler; the selection is then as before. What is adopted already stays: no data is lost, and
  /// with another queue of the same context and device only the calling thread's queue changes.
  void adopt(const cl::Context& context, const cl::Device& device, const cl::CommandQueue& queue = {}) const;
};

inline constexpr opencl_context_type opencl_context{};

/// Selects the best device whose name contains `name_part`, ignoring case. Throws no_device_error listing
/// what exists if there is none, and then leaves the selection as it was. Data on the device selected before
/// cannot be used with the new one. Selecting the device that is selected changes nothing.
void select_device(std::string_view name_part);
/// Selects the best device that passes the filter; throws as above.
void select_device(const device_filter& filter);

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/queue.hpp>  // ends with the bodies of this file
#endif
