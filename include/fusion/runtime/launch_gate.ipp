#pragma once
#include <algorithm>
#include <chrono>
#include <thread>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/driver_faults.hpp>
#include <fusion/runtime/launch_gate.hpp>

// PoCL keeps a list of loaded code with reference counts. An entry is for the hash of a kernel, a local size
// and the widest grid it was loaded for. A wider grid, or reading the program's binary, puts another entry
// for the same hash and local size in front. A launch counts up the entry it uses, but before 6.0 it counts
// down the first one with its hash and local size: a launch that was in work meanwhile counts down the wrong
// one, and PoCL aborts in pocl_release_dlhandle_cache. Once an entry is in front, all grids up to its width
// use it.
//
// The gate is one for all programs because PoCL hashes them without their comments: two of ours may be one
// for it. Sharing costs little, PoCL itself starts and ends no kernel while it compiles one.

namespace fusecl::runtime {

inline FUSECL_SHARED launch_gate& gate_of_process() {
  static launch_gate& gate = *new launch_gate;  // outlives every thread
  return gate;
}
FUSECL_INLINE launch_gate& the_launch_gate() { return gate_of_process(); }

FUSECL_INLINE bool launch_gate::needed(const capabilities& device) {
  const int version = pocl_version(device);
  return version >= 0 && version < 6;
}

FUSECL_INLINE bool launch_gate::has(const list_of<loaded_code>& loaded, const loaded_code& wanted) const {
  constexpr unsigned loads_kept =
      48;  // of PoCL's 128 entries; when it may have dropped some, widths must agree
  return loaded.any_of([&](const loaded_code& each) {
    return each.local == wanted.local && each.generation == wanted.generation &&
           (loads_ > loads_kept ? wanted.width == each.width : wanted.width <= each.width) &&
           each.epoch == epoch_;
  });
}

FUSECL_INLINE void launch_gate::launch(thread_queue& queue, cl_kernel object, std::string_view name,
                                       list_of<loaded_code>& loaded, unsigned dims, const std::size_t* global,
                                       const std::size_t* local) {
  loaded_code wanted{queue.generation(), 0, {1, 1, 1}, global[0]};
  for (unsigned d = 0; d < dims; ++d) wanted.local[d] = local[d];
  if (dims > 1) {
    wanted.width = std::max(global[0], global[1]);  // PoCL leaves the third dimension out
  }
  if (wanting_.load(std::memory_order_relaxed) != 0) {
    const std::lock_guard after_them(turn_);
  }
  {
    const std::shared_lock lock(mutex_);
    if (has(loaded, wanted) && (loading_.load(std::memory_order_relaxed) & ~queue.bit()) == 0) [[likely]] {
      if ((users_.load(std::memory_order_relaxed) & queue.bit()) == 0) {
        users_.fetch_or(queue.bit(), std::memory_order_relaxed);
      }
      queue.launch(object, dims, global, local);
      return;
    }
  }
  struct want {
    explicit want(std::atomic<unsigned>& w) : wanting(w) { ++wanting; }
    ~want() { --wanting; }
    want(const want&) = delete;
    want& operator=(const want&) = delete;
    std::atomic<unsigned>& wanting;
  };
  const want exclusive(wanting_);
  const std::lock_guard turn(turn_);
  const std::lock_guard lock(mutex_);
  launch_alone(queue, object, name, loaded, wanted, dims, global, local);
}

/// Waits for what was enqueued, so long at most: it may wait itself, for an event of the program's.
inline bool is_done_within(std::chrono::milliseconds limit, thread_queue& queue) {
  const cl::Event reached = queue.marker();
  const auto end = std::chrono::steady_clock::now() + limit;
  cl_int status = CL_QUEUED;
  while (clGetEventInfo(reached(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) ==
             CL_SUCCESS &&
         status > CL_COMPLETE && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  return status <= CL_COMPLETE;
}

// PoCL compiles a kernel when it begins to run, on a thread of its own, unless it has it on disk. What the
// compiler makes for its first kernel ends before objects that are older, so it has to be there when it is
// watched: launches that load code are waited for until one took as long as compiling does.
FUSECL_INLINE void launch_gate::launch_and_watch(thread_queue& queue, cl_kernel object, unsigned dims,
                                                 const std::size_t* global, const std::size_t* local) {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  constexpr milliseconds longest_before(50), longest_launch(1000), least_to_compile(5);
  if (has_compiled_ || !is_done_within(longest_before, queue))
    return queue.launch(object, dims, global, local);
  const auto start = steady_clock::now();
  queue.launch(object, dims, global, local);
  is_done_within(longest_launch, queue);
  if (steady_clock::now() - start < least_to_compile) return;
  watch_the_compiler(compiled::at_launch);
  has_compiled_ = true;
}

FUSECL_INLINE void launch_gate::launch_alone(thread_queue& queue, cl_kernel object, std::string_view name,
                                             list_of<loaded_code>& loaded, const loaded_code& wanted,
                                             unsigned dims, const std::size_t* global,
                                             const std::size_t* local) {
  if (has(loaded, wanted)) {
    finish_queues(loading_.exchange(0, std::memory_order_relaxed) & ~queue.bit());
    users_.fetch_or(queue.bit(), std::memory_order_relaxed);
    queue.launch(object, dims, global, local);
    return;
  }
  require_compiler();  // PoCL compiles a kernel for each local size that it is launched with
  finish_queues(users_.load(std::memory_order_relaxed) & ~queue.bit());
  users_.store(queue.bit(), std::memory_order_relaxed);
  loading_.store(queue.bit(), std::memory_order_relaxed);
  launch_and_watch(queue, object, dims, global, local);
  erase_if(loaded, [&](const loaded_code& each) { return each.generation != wanted.generation; });
  const bool first = loaded.empty();
  const loaded_code* known = loaded.begin();
  while (known != loaded.end() && known->local != wanted.local) ++known;
  loads_ += known == loaded.end() || known->width != wanted.width;
  if (known != loaded.end()) {
    loaded.erase(known);
  }
  loaded.push_back(wanted);
  loaded.back().epoch = epoch_;
  cl_program program = nullptr;
  if (first && clGetKernelInfo(object, CL_KERNEL_PROGRAM, sizeof(program), &program, nullptr) == CL_SUCCESS &&
      store_program_after_first_launch(program, name)) {
    ++epoch_;
  }
}

}  // namespace fusecl::runtime
