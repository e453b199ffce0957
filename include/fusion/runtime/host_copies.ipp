#pragma once
#include <cstring>
#include <utility>

#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/host_copies.hpp>

namespace fusecl::runtime {

FUSECL_INLINE unsigned char* host_copies::memory(cl_command_queue queue) {
  if (buffer_ != nullptr || room_ == 0) return mapped_;
  cl_context context = nullptr;
  check(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr),
        "clGetCommandQueueInfo");
  cl_int code = CL_SUCCESS;
  const std::size_t bytes = room_ + most_ahead;
  buffer_ = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &code);
  if (code == CL_SUCCESS)
    mapped_ = static_cast<unsigned char*>(clEnqueueMapBuffer(
        queue, buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &code));
  if (code == CL_SUCCESS) return mapped_;
  mapped_ = nullptr;
  room_ = 0;  // copies go to their places
  if (buffer_ != nullptr) clReleaseMemObject(std::exchange(buffer_, nullptr));
  return nullptr;
}

FUSECL_INLINE void host_copies::release(cl_event& event) {
  if (event == nullptr) return;
  clReleaseEvent(std::exchange(event, nullptr));
  ++thread_counters.events_released;
}

FUSECL_INLINE void host_copies::enqueue(cl_command_queue queue, cl_mem from, std::size_t offset,
                                        std::size_t bytes, void* to, cl_event& done) {
  cl_event fresh = nullptr;
  check(clEnqueueReadBuffer(queue, from, CL_FALSE, offset, bytes, to, 0, nullptr, &fresh), reading);
  ++thread_counters.events_created;
  release(done);
  done = fresh;
}

FUSECL_HOT_INLINE void host_copies::enqueue(cl_command_queue queue, cl_mem from, std::size_t offset,
                                            std::size_t bytes, void* host) {
  unsigned char* const all = has_room(bytes) ? memory(queue) : nullptr;
  if (all == nullptr) return enqueue(queue, from, offset, bytes, host, last_);
  unsigned char* const at = all + used_;
  enqueue(queue, from, offset, bytes, at, last_);
  used_ += (bytes + alignment - 1) / alignment * alignment;
  under_way_.push_back({at, host, bytes});
}

FUSECL_HOT_INLINE void host_copies::complete(cl_command_queue queue) {
  cl_event awaited[2];
  cl_uint count = 0;
  for (const cl_event each : {last_, ahead_})
    if (each != nullptr) awaited[count++] = each;
  cl_int code = clFlush(queue);
  if (code == CL_SUCCESS) [[likely]]
    code = clWaitForEvents(count, awaited);
  if (code != CL_SUCCESS) [[unlikely]] {
    cl_int status = CL_COMPLETE;
    for (cl_uint k = 0; k < count && status >= CL_COMPLETE; ++k)
      clGetEventInfo(awaited[k], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status < CL_COMPLETE) code = status;
    forget();
  }
  check(code, reading);
  deliver();
}

FUSECL_HOT_INLINE void host_copies::deliver() {
  for (const copy& each : under_way_) std::memcpy(each.to, each.from, each.bytes);
  forget();
}

FUSECL_HOT_INLINE void host_copies::forget() {
  under_way_.clear();
  used_ = 0;
  release(last_);
  forget_ahead();
}

FUSECL_INLINE bool host_copies::enqueue_ahead(cl_command_queue queue, cl_mem from, std::size_t bytes) {
  unsigned char* const all = bytes <= most_ahead ? memory(queue) : nullptr;
  if (all != nullptr) enqueue(queue, from, 0, bytes, all + room_, ahead_);
  return all != nullptr;
}

FUSECL_INLINE void host_copies::take_ahead(std::size_t offset, std::size_t bytes, void* host) {
  under_way_.push_back({mapped_ + room_ + offset, host, bytes});
}

FUSECL_INLINE void host_copies::clear(cl_command_queue queue) {
  forget();
  if (buffer_ == nullptr) return;
  unsigned char* const mapped = std::exchange(mapped_, nullptr);
  if (queue != nullptr) {  // a thread that ended may have let go of it
    clEnqueueUnmapMemObject(queue, buffer_, mapped, 0, nullptr, nullptr);
    clFinish(queue);
  }
  clReleaseMemObject(std::exchange(buffer_, nullptr));
}

}  // namespace fusecl::runtime
