#pragma once
#include <bit>
#include <utility>

#include <fusion/base/environment.hpp>
#include <fusion/base/fill.hpp>
#include <fusion/base/per_thread.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/queue.hpp>
#include <fusion/runtime/queue_registry.ipp>

namespace fusecl::runtime {

/// Bytes of small copies to the host that may be under way: a CPU makes no detours.
inline constexpr std::size_t copied_on = 1 << 20, copied_on_by_cpu = 1 << 14;

FUSECL_INLINE thread_queue& own_queue() {
  if (held_queue == nullptr) {
    static constinit thread_local queue_lease* lease = nullptr;
    finish_when_main_ends();
    held_queue = &per_thread<queue_lease>::get(lease).queue;
  }
  return *held_queue;
}

FUSECL_INLINE thread_queue& acquire_queue() {
  require_driver();
  thread_queue& own = own_queue();
  if (statement_generation != 0) throw_overtaken(selected().entry.capabilities);
  while (!own.open(selected())) {
  }
  return own;
}

FUSECL_INLINE void finish_all_queues() { finish_queues(~std::uint64_t{0}); }

FUSECL_INLINE void finish_queues(std::uint64_t bits, queues_of which) {
  require_driver();
  const std::uint64_t generation = selected_generation.load(std::memory_order_acquire);
  for (; bits != 0; bits &= bits - 1) {
    thread_queue* queue = the_queues().find(static_cast<unsigned>(std::countr_zero(bits)));
    if (queue == nullptr) {
      continue;
    }
    cl_command_queue handle = nullptr;
    {
      const std::lock_guard lock(queue->handle_mutex_);
      if ((which == queues_of::all_selections || queue->generation() == generation) &&
          queue->handle() != nullptr) {
        handle = queue->handle();
        clRetainCommandQueue(handle);
      }
    }
    if (handle != nullptr) {
      clFinish(handle);
      clReleaseCommandQueue(handle);
    }
  }
}

/// Of all queues.
struct exchange_memory {
  std::mutex mutex;
  storage_ref memory;
};
inline FUSECL_SHARED exchange_memory& the_exchange_memory() {
  static exchange_memory& own = *new exchange_memory;
  return own;
}

FUSECL_INLINE std::unique_lock<std::mutex> exchange_turn() {
  return std::unique_lock(the_exchange_memory().mutex);
}

/// Gives the memory back unless it is of this selection; kernels that use it have ended then, as the next
/// ones have other memory and do not wait for them. Who has a queue's turn must not wait for this one.
FUSECL_INLINE void forget_exchange_memory(std::uint64_t generation) {
  storage_ref gone;  // after the turn
  const std::unique_lock<std::mutex> exchanging = exchange_turn();
  storage_ref& own = the_exchange_memory().memory;
  if (!own || own->generation() == generation) return;
  finish_queues(own->identity().users.load(std::memory_order_relaxed), queues_of::all_selections);
  // who has taken it for a kernel that is not enqueued yet keeps it for all
  if (own.unique()) gone = std::move(own);
}

FUSECL_INLINE thread_queue::thread_queue(unsigned id)
    : id_(id),
      shared_(id >= exclusive_count),
      bit_(std::uint64_t{1} << id),
      tag_(static_cast<std::uint64_t>(id) << 48) {}

FUSECL_INLINE cl_command_queue thread_queue::take_adopted_queue(const device_state& state) {
  present_selection& present = the_selection();
  const std::lock_guard lock(present.mutex);
  if (present.generation != state.generation) return nullptr;
  cl::CommandQueue taken = present.take_queue(id_);
  return std::exchange(taken(), nullptr);
}

FUSECL_INLINE bool thread_queue::open(const device_state& state) {
  forget_exchange_memory(state.generation);
  const turn mine(*this);
  if (generation() == state.generation) {
    return true;
  }
  if (handle() != nullptr) {
    clFinish(handle());  // the staging ring is about to be used on another device
  }
  forget_reads_ahead();
  copies_.clear(handle());
  ring_.clear();
  arrivals_ = handed_on_ = {};
  outcomes_.clear();
  const cl::Context context = context_of(state);
  if (context() == nullptr) return false;
  cl_command_queue fresh = take_adopted_queue(state);
  const bool adopted = fresh != nullptr;
  if (!adopted) {
    const bool profile = switch_is_on("FUSECL_PROFILE", false);
    cl_int code = CL_SUCCESS;
    fresh =
        clCreateCommandQueue(context(), state.entry.device(), profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    check(code, "clCreateCommandQueue");
  }
  use(fresh, state.generation, adopted);
  if (!shared_) copies_.set_room(state.entry.capabilities.cpu ? copied_on_by_cpu : copied_on);
  let_go_of_earlier_kernels(*this);
  return true;
}

FUSECL_INLINE void thread_queue::change_to(const cl::CommandQueue& queue) {
  const device_state state = selected();
  const turn mine(*this);
  if (generation() != state.generation) {  // opens later, with this queue
    present_selection& present = the_selection();
    cl::CommandQueue before;  // let go after the lock
    const std::lock_guard lock(present.mutex);
    if (present.generation != state.generation) return;
    before = present.take_queue(id_);
    present.queues.push_back({queue, id_});
    return;
  }
  check(clFinish(handle()), "clFinish");  // what is enqueued stays before what comes
  check(clRetainCommandQueue(queue()), "clRetainCommandQueue");
  use(queue(), state.generation, true);
}

FUSECL_INLINE void thread_queue::let_go_of_adopted() noexcept {
  if (shared_) return;
  cl::CommandQueue unused;
  {
    const std::lock_guard lock(the_selection().mutex);
    unused = the_selection().take_queue(id_);
  }
  if (!adopted_) return;
  clFinish(handle());  // what is enqueued stays before what the next queue of this id is given
  replace(nullptr, 0, false);
}

FUSECL_INLINE void thread_queue::use(cl_command_queue fresh, std::uint64_t generation, bool adopted) {
  cl_command_queue_properties properties = 0;
  check(clGetCommandQueueInfo(fresh, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, nullptr),
        "clGetCommandQueueInfo");
  profiles_ = (properties & CL_QUEUE_PROFILING_ENABLE) != 0 && !shared_;
  replace(fresh, generation, adopted);
}

FUSECL_INLINE void thread_queue::replace(cl_command_queue fresh, std::uint64_t generation, bool adopted) {
  adopted_ = adopted;
  cl_command_queue before = nullptr;
  {
    const std::lock_guard lock(handle_mutex_);
    before = handle_.exchange(fresh, std::memory_order_relaxed);
    generation_.store(generation, std::memory_order_relaxed);
  }
  if (before != nullptr) {
    clReleaseCommandQueue(before);
  }
}

FUSECL_HOT_INLINE void thread_queue::launch(cl_kernel kernel, unsigned dims, const std::size_t* global,
                                            const std::size_t* local) {
  const turn mine(*this);
  if (statement_generation != 0 && generation() != statement_generation) [[unlikely]]
    throw_overtaken(selected().entry.capabilities);  // by a thread that shares this queue
  cl_event done = nullptr;
  const cl_int code = clEnqueueNDRangeKernel(handle(), kernel, dims, nullptr, global, local, 0, nullptr,
                                             events_ == nullptr ? nullptr : &done);
  if (code != CL_SUCCESS) [[unlikely]] {
    if (!relaunch(code, kernel, dims, global, local)) {
      return;
    }
  }
  if (done != nullptr) [[unlikely]] {
    events_->push_back(done);
  }
  advance();
  ++thread_counters.launches;
}

FUSECL_INLINE std::string sizes_text(unsigned dims, const std::size_t* sizes) {
  std::string list;
  for (unsigned d = 0; d < dims; ++d) text::append(list, "{}{}", {d == 0 ? "(" : ", ", sizes[d]});
  list += ')';
  return list;
}

FUSECL_INLINE bool thread_queue::relaunch(cl_int code, cl_kernel kernel, unsigned dims,
                                          const std::size_t* global, const std::size_t* local) {
  std::size_t group = 1;
  for (unsigned d = 0; d < dims; ++d) {
    if (global[d] == 0) {
      return false;
    }
    group *= local[d];
  }
  std::size_t largest_group = 0;
  clGetKernelWorkGroupInfo(kernel, selected().entry.device(), CL_KERNEL_WORK_GROUP_SIZE,
                           sizeof(largest_group), &largest_group, nullptr);
  const bool memory = is_memory_failure(code) && group <= largest_group;
  if (memory) {
    free_memory();
    code = clEnqueueNDRangeKernel(handle(), kernel, dims, nullptr, global, local, 0, nullptr, nullptr);
    if (code == CL_SUCCESS) {
      return true;
    }
  }
  char name[256] = "?";
  clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, nullptr);
  const std::string call = text::fill("launch of kernel {} with global size {} and local size {}",
                                      {name, sizes_text(dims, global), sizes_text(dims, local)});
  if (memory && is_memory_failure(code)) {
    the_pool().throw_out_of_memory(call.c_str(), 0, code);
  }
  throw_opencl(code, text::fill("{} (at most {} work-items)", {call, largest_group}));
}

FUSECL_INLINE storage_ref thread_queue::kept(storage_ref& own, std::size_t bytes, cl_uint each) {
  const turn mine(*this);
  if (!own) {
    storage_ref fresh = make_storage(bytes);
    fill(*fresh, 0, bytes, &each, sizeof each);
    own = std::move(fresh);
  }
  return own;
}

FUSECL_INLINE storage_ref thread_queue::exchanged(std::size_t bytes) {
  storage_ref& own = the_exchange_memory().memory;
  {
    const std::unique_lock<std::mutex> exchanging = exchange_turn();
    if (own && own->generation() == generation()) return own;
  }
  storage_ref fresh;
  kept(fresh, bytes, 0);
  const std::unique_lock<std::mutex> exchanging = exchange_turn();
  if (!own || own->generation() != generation()) std::swap(own, fresh);
  return own;
}

FUSECL_INLINE void thread_queue::release_arrivals() {
  {
    const turn mine(*this);
    arrivals_ = handed_on_ = {};
  }
  forget_exchange_memory(being_selected);  // of none
}

FUSECL_INLINE void thread_queue::finish() {
  const cl_int code = clFinish(handle());
  ++thread_counters.host_waits;
  const turn mine(*this);
  forget_reads_ahead();
  if (code == CL_SUCCESS)
    copies_.deliver();
  else
    copies_.forget();
  check(code, "clFinish, which also reports failures of the kernels before it,");
}

}  // namespace fusecl::runtime
