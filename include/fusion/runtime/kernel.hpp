#pragma once
// A kernel of a program with one cl_kernel object per host thread, since setting arguments is not
// thread-safe.

#include <atomic>
#include <memory>
#include <string>

#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
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
  /// What `ask` finds out about each parameter: asked once per selection.
  const list_of<unsigned char>& parameters(cl_kernel object, list_of<unsigned char> (*ask)(cl_kernel)) {
    const asked_parameters* known = parameters_.load(std::memory_order_acquire);
    return known != nullptr && known->generation.load(std::memory_order_relaxed) == selected_generation.load()
               ? known->each
               : ask_parameters(object, ask);
  }
  /// Lets go of the program, and of the object of the thread whose queue this is, where they are of an
  /// earlier selection than the queue's.
  void let_go_before(const thread_queue& queue);
  const std::string& function() const { return function_; }
  const program_request& request() const { return request_; }

 private:
  struct own_object {
    cl_kernel object = nullptr;
    std::uint64_t generation = 0;
  };
  /// What is known of the parameters. What was known otherwise, of another device, stays, since another
  /// thread may read it.
  struct asked_parameters {
    mutable std::atomic<std::uint64_t> generation;  ///< of the selection in which it was found last
    list_of<unsigned char> each;
    owned<const asked_parameters> earlier;
  };
  const list_of<unsigned char>& ask_parameters(cl_kernel object, list_of<unsigned char> (*ask)(cl_kernel));
  cl_kernel make_handle(thread_queue& queue);
  /// Throws error where that selection has ended.
  cl::Program program(std::uint64_t generation);
  void launch_with_care(unsigned dims, const std::size_t* global, const std::size_t* local);

  friend class all_kernels;
  const program_request request_;
  const std::string function_;
  const std::uint64_t serial_;
  own_object own_[thread_queue::exclusive_count];  // each touched only by the thread that holds that queue
  std::mutex mutex_;
  cl::Program program_;
  std::shared_ptr<const void> use_of_program_;
  std::uint64_t program_generation_ = 0;
  owned<const asked_parameters> asked_;
  std::atomic<const asked_parameters*> parameters_{nullptr};  // that of them which was found last
  std::atomic<std::uint64_t> free_generation_{0};   // after the first launch where launches need no gate
  std::atomic<std::uint64_t> gated_generation_{0};  // where they need it
  list_of<loaded_code> loaded_;                     // the gate's
  kernel *before_ = nullptr, *after_ = nullptr;     // of the list of all kernels
};

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/kernel.ipp>
#endif
