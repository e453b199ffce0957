#pragma once
// A kernel of a program with one cl_kernel object per host thread, since setting arguments is not
// thread-safe.

#include <string>

#include <fusion/runtime/program_cache.hpp>

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
    if (launched_generation_.load(std::memory_order_acquire) == selected_generation.load()) [[likely]] {
      this_thread_queue().launch(handle(), dims, global, local);
    } else {
      launch_first(dims, global, local);
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
  void launch_first(unsigned dims, const std::size_t* global, const std::size_t* local);

  const program_request request_;
  const std::string function_;
  const std::uint64_t serial_;
  own_object own_[thread_queue::exclusive_count];  // each touched only by the thread that holds that queue
  std::mutex mutex_;
  std::mutex first_launch_;
  cl::Program program_;
  std::uint64_t program_generation_ = 0;
  std::atomic<std::uint64_t> launched_generation_{0};
};

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/kernel.ipp>
#endif
