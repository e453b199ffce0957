#pragma once
// Keeps apart the few kernel launches that PoCL before 6.0 confuses when they overlap.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string_view>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/program_cache.hpp>

namespace fusecl::runtime {

/// What the driver has loaded of a kernel: code for one local size and for grids up to a width.
struct loaded_code {
  std::uint64_t generation;
  unsigned epoch;
  std::array<std::size_t, 3> local;
  std::size_t width;
};

/// Lets launches overlap, but for those that make the driver load code: such a launch waits on the host until
/// the other queues are done, and the next queue waits for it. A single thread waits only until it has seen
/// the compiler at work once.
class launch_gate {
 public:
  /// True if launches on the device go through the gate.
  static bool needed(const capabilities& device);

  /// Enqueues `object`, the kernel `name`, of which `loaded` is known. The first launch stores its program.
  void launch(thread_queue& queue, cl_kernel object, std::string_view name, list_of<loaded_code>& loaded,
              unsigned dims, const std::size_t* global, const std::size_t* local);

 private:
  void launch_alone(thread_queue& queue, cl_kernel object, std::string_view name,
                    list_of<loaded_code>& loaded, const loaded_code& wanted, unsigned dims,
                    const std::size_t* global, const std::size_t* local);
  bool has(const list_of<loaded_code>& loaded, const loaded_code& wanted) const;
  void launch_and_watch(thread_queue& queue, cl_kernel object, unsigned dims, const std::size_t* global,
                        const std::size_t* local);

  std::shared_mutex mutex_;  // exclusive for launches that load code
  std::mutex turn_;          // held by who wants it exclusive
  std::atomic<unsigned> wanting_{0};
  unsigned epoch_ = 0;  // how often a binary was read; that reorders what is loaded
  unsigned loads_ = 0;
  bool has_compiled_ = false;              // PoCL's compiler was seen at work
  std::atomic<std::uint64_t> users_{0};    // queues with launches since the last that loaded code
  std::atomic<std::uint64_t> loading_{0};  // the queue of that one, until another queue has waited for it
};

/// The gate of all launches of this process.
launch_gate& the_launch_gate();

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/launch_gate.ipp>
#endif
