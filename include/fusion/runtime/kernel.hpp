#pragma once
// A kernel of a program with one cl_kernel object per host thread, since setting arguments is not
// thread-safe.

#include <string>
#include <vector>

#include <fusion/runtime/launch_gate.hpp>

namespace fusecl::runtime {

/// One kernel function, built for whatever device is selected when it is used. Costs nothing before.
class kernel {
 public:
  /// `function` is the kernel's name in the source, by default the request's name.
  explicit kernel(program_request request, std::string function = {});
  ~kernel();
  kernel(const kernel&) = delete;
  kernel& operator=(const kernel&) = delete;

  /// The calling thread's object on its queue's device; arguments set on it stay. Throws as build_program
  /// does.
  cl_kernel handle() {
    thread_queue& queue = this_thread_queue();
    if (!queue.shared()) [[likely]] {
      const own_object& mine = own_[queue.id()];
      if (mine.generation == queue.generation()) [[likely]] {
        return mine.object;
      }
    }
    return make_handle(queue);
  }
  /// Enqueues it on the calling thread's queue with the arguments set on `handle()`.
  void launch(unsigned dims, const std::size_t* global, const std::size_t* local) {
    if (free_generation_.load(std::memory_order_relaxed) == selected_generation.load()) [[likely]] {
      this_thread_queue().launch(handle(), dims, global, local);
    } else {
      launch_with_care(dims, global, local);
    }
  }
  const std::string& function() const { return function_; }
  const program_request& request() const { return request_; }

 private:
  struct own_object {
    cl_kernel object = nullptr;
    std::uint64_t generation = 0;
  };
  cl_kernel make_handle(thread_queue& queue);
  cl::Program program();
  void launch_with_care(unsigned dims, const std::size_t* global, const std::size_t* local);

  const program_request request_;
  const std::string function_;
  const std::uint64_t serial_;
  own_object own_[thread_queue::exclusive_count];  // each touched only by the thread that holds that queue
  std::mutex mutex_;
  cl::Program program_;
  std::shared_ptr<const void> use_of_program_;
  std::uint64_t program_generation_ = 0;
  std::atomic<std::uint64_t> free_generation_{0};   // after the first launch where launches need no gate
  std::atomic<std::uint64_t> gated_generation_{0};  // where they need it
  std::vector<loaded_code> loaded_;                 // the gate's
};

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/kernel.ipp>
#endif
