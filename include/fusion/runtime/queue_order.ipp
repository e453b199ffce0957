#pragma once
// What a queue waits for on the device: other queues that use a storage, and events of the program's.

#include <bit>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/program_events.hpp>
#include <fusion/runtime/queue.hpp>
#include <fusion/runtime/queue_registry.ipp>

namespace fusecl::runtime {

FUSECL_INLINE void thread_queue::require_generation(storage& s, const char* role) {
  s.mem();
  const std::uint64_t made = s.generation();
  if (made == generation()) return;
  if (!is_own_generation(made)) {
    throw error(text::fill(
        "{} ({} bytes) was made by another copy of FuseCL in this process, on a context of its own: the "
        "parts of a program share one copy where the linker sees it, as docs/plugins.md says",
        {role, s.bytes()}));
  }
  if (selection_number(made) > selection_number(generation())) throw_overtaken(selected().entry.capabilities);
  throw error(
      text::fill("{} ({} bytes) was made on a device selected before (selection {}, now {}: {}); copy it to "
                 "the host before select_device and back after it",
                 {role, s.bytes(), selection_number(made), selection_number(generation()),
                  selected().entry.capabilities.name}));
}

FUSECL_INLINE void thread_queue::order_read(storage& s) {
  const turn mine(*this);
  require_generation(s, "a matrix that is read");
  storage& marks = s.identity();
  const std::uint64_t write = marks.last_write.load(std::memory_order_relaxed);
  const auto writer = static_cast<unsigned>(write >> 48);
  if (write != 0 && writer != id_) {
    // Numbers of a shared queue say too little: another of its threads may have used up the one noted here.
    const std::uint64_t number = write & ((std::uint64_t{1} << 48) - 1);
    if (writer >= exclusive_count || synced_[writer] < number) {
      wait_for(std::uint64_t{1} << writer);
    }
  }
  marks.users.fetch_or(bit_, std::memory_order_relaxed);
}

FUSECL_INLINE void thread_queue::order_write(storage& s) {
  const turn mine(*this);
  require_generation(s, "the matrix that is written to");
  wait_for(s.identity().users.load(std::memory_order_relaxed) & ~bit_);
  s.identity().users.store(bit_, std::memory_order_relaxed);
}

FUSECL_INLINE void thread_queue::wait_for(std::uint64_t others) {
  for (; others != 0; others &= others - 1) {
    thread_queue& other = the_queues().at(static_cast<unsigned>(std::countr_zero(others)));
    // Everything up to this number is enqueued there, hence before the marker.
    const std::uint64_t number = other.sequence_.load(std::memory_order_acquire);
    if (number == synced_[other.id_]) {
      continue;
    }
    cl_event reached = nullptr;
    {
      const std::lock_guard lock(other.handle_mutex_);
      if (other.generation() != generation()) {
        continue;  // its queue on this device was finished when it moved to the next
      }
      check(clEnqueueMarkerWithWaitList(other.handle(), 0, nullptr, &reached), "clEnqueueMarkerWithWaitList");
      clFlush(other.handle());
    }
    ++thread_counters.events_created;
    const cl_int code = clEnqueueBarrierWithWaitList(handle(), 1, &reached, nullptr);
    clReleaseEvent(reached);
    ++thread_counters.events_released;
    check(code, "clEnqueueBarrierWithWaitList");
    synced_[other.id_] = number;
    ++thread_counters.cross_queue_waits;
  }
}

FUSECL_INLINE void thread_queue::wait_for_event(cl_event event) {
  const turn mine(*this);
  // NVIDIA takes events of other contexts and waits for them for ever.
  cl_context of_event = nullptr, own = nullptr;
  check(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(of_event), &of_event, nullptr), "clGetEventInfo");
  check(clGetCommandQueueInfo(handle(), CL_QUEUE_CONTEXT, sizeof(own), &own, nullptr),
        "clGetCommandQueueInfo");
  if (of_event != own)
    throw_opencl(CL_INVALID_CONTEXT, "clEnqueueBarrierWithWaitList, for an event of another");
  check(clEnqueueBarrierWithWaitList(handle(), 1, &event, nullptr), "clEnqueueBarrierWithWaitList");
  note_program_event(event);
  advance();
  cl_command_queue from = nullptr;  // none of a user event
  if (clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(from), &from, nullptr) == CL_SUCCESS &&
      from != nullptr)
    clFlush(from);
}

FUSECL_INLINE cl::Event thread_queue::marker() {
  const turn mine(*this);
  cl_event reached = nullptr;
  check(clEnqueueMarkerWithWaitList(handle(), 0, nullptr, &reached), "clEnqueueMarkerWithWaitList");
  advance();
  clFlush(handle());
  return cl::Event(reached);
}

}  // namespace fusecl::runtime
