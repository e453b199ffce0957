#pragma once
// The selected device: `opencl_context` reaches its OpenCL objects and capabilities.
// Each selection starts a generation; what was made under an earlier one cannot meet the new device.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/device.hpp>
#include <fusion/runtime/tuning.hpp>

namespace fusecl {

namespace runtime {

/// A device that was selected at some time. There is one for each, never destroyed: references into it stay
/// good, and what is known of the device is known again when it is selected again.
struct known_device {
  device_entry entry;
  unsigned number;  ///< in the order in which devices were first selected
  const known_device* earlier;
  mutable std::mutex mutex = {};       ///< guards all below
  mutable bool is_tuned = false;       ///< `tuning` has been read since the device was selected
  mutable tuning_options tuning = {};  ///< what the program has set of it stays
  mutable tuning_options tuning_read = {};
  mutable std::int64_t local_bytes_shown = 0;  ///< local memory that groups were seen to have; 0: not tried
  mutable bool tensor_cores_tried = false;
  mutable bool has_fast_tensor_cores = false;
};

/// A selection, which may be over by now.
struct device_state {
  const known_device& known;
  const device_entry& entry;  ///< its device
  std::uint64_t generation;
};

/// A queue of the program for the thread that adopted it.
struct adopted_queue {
  cl::CommandQueue queue;
  unsigned of;  ///< id of that thread's queue
};

/// What the present selection holds and lets go when another begins.
struct present_selection {
  const known_device* devices = nullptr;  ///< all that were ever selected, the latest first
  std::mutex mutex;                       ///< of the members below
  std::uint64_t generation = 0;
  cl::Context context;
  bool adopted = false;           ///< the context is the program's own
  list_of<adopted_queue> queues;  ///< that their threads have not taken over yet

  /// What a thread takes over, which is no longer here then; empty if there is nothing for it. The caller
  /// holds the mutex.
  cl::CommandQueue take_queue(unsigned of);
};
present_selection& the_selection();

/// The device and the number of the selection, which is `being_selected` while both change, so that they are
/// read as a pair.
inline constexpr std::uint64_t being_selected = ~std::uint64_t{0};
inline FUSECL_SHARED constinit std::atomic<const known_device*> selected_device{nullptr};
inline FUSECL_SHARED constinit std::atomic<std::uint64_t> selected_generation{0};

/// A generation is the number of the selection, and before it what no other copy of the library in the same
/// process has.
inline constexpr unsigned selection_bits = 20;
inline bool is_own_generation(std::uint64_t generation) {
  return generation >> selection_bits == reinterpret_cast<std::uintptr_t>(&selected_device) >> 4;
}
constexpr std::uint64_t selection_number(std::uint64_t generation) {
  return generation & ((std::uint64_t{1} << selection_bits) - 1);
}

/// Selects by the environment, else the best device, unless another thread just did.
device_state select_by_default();

/// The selection; the first call makes one.
inline device_state selected() {
  while (true) {
    const std::uint64_t generation = selected_generation.load(std::memory_order_acquire);
    const known_device* device = selected_device.load(std::memory_order_acquire);
    if (device == nullptr) return select_by_default();
    if (generation != being_selected && generation == selected_generation.load(std::memory_order_relaxed))
        [[likely]]
      return {*device, device->entry, generation};
  }
}

/// The context of a selection; empty once it is over.
cl::Context context_of(const device_state& state);
/// The same; throws error once it is over.
cl::Context living_context_of(const device_state& state);
/// Throws the error of a statement during which another thread made a selection.
[[noreturn]] void throw_overtaken(const capabilities& device);

/// Selects the selected device once more, with a new context, as if it were another one.
void select_anew();

}  // namespace runtime

/// The selected device or platform. Where programs written for Stan Math want a list, it is one of this
/// alone.
template <class Object>
class selected_object : public Object {
 public:
  explicit selected_object(const Object& object) : Object(object) {}
  operator std::vector<Object>() const { return {static_cast<const Object&>(*this)}; }
  /// This, for 0. Throws std::out_of_range for any other number.
  Object operator[](std::size_t k) const { return static_cast<std::vector<Object>>(*this).at(k); }
};

/// Type of the object `opencl_context`. Every member selects a device at first use, in this order: what
/// `select_device` was told; the environment (OCL_DEVICE, OCL_PLATFORM, OCL_VENDOR are parts of names,
/// OCL_TYPE is CPU, GPU or ACCELERATOR, OCL_POSITION picks among what remains); the best device: GPU with
/// fp64, GPU, CPU. Throws no_device_error if nothing matches.
class opencl_context_type {
 public:
  selected_object<cl::Platform> platform() const {
    return selected_object<cl::Platform>(runtime::selected().entry.platform);
  }
  selected_object<cl::Device> device() const {
    return selected_object<cl::Device>(runtime::selected().entry.device);
  }
  /// The selected device's context, in a handle of the calling thread's, which is the present one after every
  /// call and keeps it until the next, or until the thread ends.
  cl::Context& context() const;
  /// The calling thread's in-order queue. Whoever enqueues on it by hand brackets the storages he uses with
  /// `runtime::this_thread_queue()`'s before_read, before_write and enqueued.
  /// The reference is this thread's; the next call gives it the queue of then.
  cl::CommandQueue& queue() const;
  /// Whether commands on it run in their order: they do.
  bool in_order() const { return true; }
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
  /// The first call reads the user's file, and so does the first after each selection; throws error where
  /// that is not as tuning.hpp says. What the program has set for a device stays set for it.
  tuning_options& tuning_opts() const;
  /// Selects a device by the numbers that OpenCL gives platforms and their devices, from 0. Throws
  /// std::system_error where there is none and leaves the selection as it was.
  void select_device(int platform, int device) const;

  /// Selects a context and a device of it that the program already has, as `select_device` does a device. The
  /// library keeps them alive while they are selected. Statements of the calling thread go to `queue` until
  /// it ends, in order with what the program itself enqueues there; other threads get queues of their own, or
  /// adopt some. Without `queue` the calling thread gets its own, too. Throws std::invalid_argument if the
  /// context does not have the device, the queue is of another context or device or runs out of order,
  /// no_device_error if the device has no compiler; the selection is then as before. What is adopted already
  /// stays: no data is lost, and with another queue of the same context and device only the calling thread's
  /// queue changes.
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
