#pragma once
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/owned.hpp>
#include <fusion/base/per_thread.hpp>
#include <fusion/runtime/kernel.hpp>

namespace fusecl::runtime {

/// The kernel objects of a thread whose queue others share too.
struct shared_queue_kernels {
  struct item {
    std::uint64_t kernel, generation;
    cl_kernel object;
  };
  list_of<item> items;
  ~shared_queue_kernels() {
    if (driver_is_gone()) return;
    for (const item& each : items) {
      clReleaseKernel(each.object);
    }
  }
};

/// A list of all kernels of the process, for when another device is selected.
class all_kernels {
 public:
  void add(kernel& fresh) {
    const std::lock_guard lock(mutex_);
    fresh.after_ = first_;
    if (first_ != nullptr) first_->before_ = &fresh;
    first_ = &fresh;
  }
  void remove(kernel& gone) {
    const std::lock_guard lock(mutex_);
    (gone.before_ != nullptr ? gone.before_->after_ : first_) = gone.after_;
    if (gone.after_ != nullptr) gone.after_->before_ = gone.before_;
  }
  void let_go_before(const thread_queue& queue) {
    const std::lock_guard lock(mutex_);
    for (kernel* each = first_; each != nullptr; each = each->after_) each->let_go_before(queue);
  }

 private:
  std::mutex mutex_;
  kernel* first_ = nullptr;
};

inline FUSECL_SHARED all_kernels& kernels_of_process() {
  static all_kernels& kernels = *new all_kernels;
  return kernels;
}

FUSECL_INLINE void let_go_of_earlier_kernels(const thread_queue& queue) {
  kernels_of_process().let_go_before(queue);
  forget_earlier_programs(queue.generation());
}

inline FUSECL_SHARED std::uint64_t next_kernel_serial() {
  static std::atomic<std::uint64_t> serial{0};
  return serial.fetch_add(1, std::memory_order_relaxed);
}

FUSECL_INLINE kernel::kernel(program_request request, std::string function)
    : request_(std::move(request)),
      function_(function.empty() ? request_.name : function),
      serial_(next_kernel_serial()) {
  if (!process_was_forked.load(std::memory_order_relaxed)) kernels_of_process().add(*this);
}

FUSECL_INLINE kernel::~kernel() {
  // in a forked child a lock could be held for ever, the driver's too
  if (process_was_forked.load(std::memory_order_relaxed)) {
    program_() = nullptr;
    return;
  }
  kernels_of_process().remove(*this);
  if (driver_is_gone()) return;
  for (const own_object& each : own_) {
    if (each.object != nullptr) {
      clReleaseKernel(each.object);
    }
  }
}

FUSECL_INLINE void kernel::let_go_before(const thread_queue& queue) {
  if (!queue.shared()) {
    own_object& mine = own_[queue.id()];
    if (mine.object != nullptr && mine.generation != queue.generation()) {
      clReleaseKernel(mine.object);
      mine = {};
    }
  }
  // whoever holds the mutex is about to have the program of the present selection
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && program_generation_ != queue.generation()) {
    program_ = cl::Program();
    use_of_program_.reset();
    program_generation_ = 0;
  }
}

FUSECL_INLINE cl::Program kernel::program(std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  if (program_generation_ != generation) {
    const device_state state = selected();
    if (state.generation != generation) throw_overtaken(state.entry.capabilities);
    program_ = build_program(request_, use_of_program_, state);
    program_generation_ = generation;
  }
  return program_;
}

FUSECL_INLINE const list_of<unsigned char>& kernel::ask_parameters(cl_kernel object,
                                                                   list_of<unsigned char> (*ask)(cl_kernel)) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t generation = selected_generation.load();
  const asked_parameters* known = parameters_.load(std::memory_order_relaxed);
  if (known != nullptr && known->generation.load(std::memory_order_relaxed) == generation) return known->each;
  list_of<unsigned char> found = ask(object);
  known = asked_.get();
  while (known != nullptr && known->each != found) known = known->earlier.get();
  if (known == nullptr) {
    asked_ =
        owned<const asked_parameters>(new asked_parameters{generation, std::move(found), std::move(asked_)});
    known = asked_.get();
  }
  known->generation.store(generation, std::memory_order_relaxed);
  parameters_.store(known, std::memory_order_release);
  return known->each;
}

FUSECL_INLINE cl_kernel kernel::make_handle(thread_queue& queue) {
  static constinit thread_local shared_queue_kernels* own = nullptr;
  shared_queue_kernels& borrowed = per_thread<shared_queue_kernels>::get(own);
  if (queue.shared()) {
    for (const shared_queue_kernels::item& each : borrowed.items) {
      if (each.kernel == serial_ && each.generation == queue.generation()) {
        return each.object;
      }
    }
  }
  const cl::Program built = program(queue.generation());
  cl_int code = CL_SUCCESS;
  cl_kernel object = clCreateKernel(built(), function_.c_str(), &code);
  if (code == CL_INVALID_KERNEL_NAME) {
    const std::string names = info_text([&](std::size_t bytes, char* to, std::size_t* length) {
      return clGetProgramInfo(built(), CL_PROGRAM_KERNEL_NAMES, bytes, to, length);
    });
    throw std::invalid_argument(
        text::fill("the source has no kernel {}{}{}",
                   {function_, names.empty() ? " and no other" : "; it has: ", names}));
  }
  if (code != CL_SUCCESS) {
    throw_opencl(code, text::fill("clCreateKernel for {} in program {}", {function_, request_.name}));
  }
  if (queue.shared()) {
    erase_if(borrowed.items, [&](const shared_queue_kernels::item& each) {
      const bool old = each.generation != queue.generation();
      if (old) clReleaseKernel(each.object);
      return old;
    });
    borrowed.items.push_back({serial_, queue.generation(), object});
    return object;
  }
  own_object& mine = own_[queue.id()];
  if (mine.object != nullptr) {
    clReleaseKernel(mine.object);
  }
  mine = {object, queue.generation()};
  return object;
}

FUSECL_INLINE void kernel::launch_with_care(unsigned dims, const std::size_t* global,
                                            const std::size_t* local) {
  thread_queue& queue = this_thread_queue();
  cl_kernel object = handle();
  const std::uint64_t generation = queue.generation();
  if (gated_generation_.load(std::memory_order_relaxed) != generation &&
      launch_gate::needed(selected().entry.capabilities)) {
    gated_generation_.store(generation, std::memory_order_relaxed);
  }
  if (gated_generation_.load(std::memory_order_relaxed) == generation) {
    the_launch_gate().launch(queue, object, function_, loaded_, dims, global, local);
    return;
  }
  queue.launch(object, dims, global, local);
  if (free_generation_.exchange(generation, std::memory_order_relaxed) != generation) {
    store_program_after_first_launch(program(generation)(), function_);
  }
}

}  // namespace fusecl::runtime
