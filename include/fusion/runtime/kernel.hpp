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
    cl_kernel object = handle();
    this_thread_queue().launch(object, dims, global, local);
    if (launched_generation_.load(std::memory_order_relaxed) != selected_generation.load()) [[unlikely]] {
      after_first_launch();
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
  void after_first_launch();

  const program_request request_;
  const std::string function_;
  const std::uint64_t serial_;
  own_object own_[thread_queue::exclusive_count];  // each touched only by the thread that holds that queue
  std::mutex mutex_;
  cl::Program program_;
  std::uint64_t program_generation_ = 0;
  std::atomic<std::uint64_t> launched_generation_{0};
};

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/kernel.ipp>
#endif
