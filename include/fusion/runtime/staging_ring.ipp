#pragma once
#include <cstring>

#include <fusion/runtime/counters.hpp>
#include <fusion/runtime/staging_ring.hpp>

namespace fusecl::runtime {

FUSECL_INLINE const void* staging_ring::copy(cl_command_queue queue, const void* host, std::size_t bytes) {
  if (bytes_.empty()) {
    bytes_.resize(2 * half_bytes);
  }
  if (used_ + bytes > half_bytes) {
    cl_event& filled = half_done_[half_];
    check(clEnqueueMarkerWithWaitList(queue, 0, nullptr, &filled), "clEnqueueMarkerWithWaitList");
    ++thread_counters.events_created;
    half_ ^= 1;
    used_ = 0;
    if (cl_event& earlier = half_done_[half_]; earlier != nullptr) {
      cl_int status = CL_COMPLETE;
      clGetEventInfo(earlier, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
      if (status > CL_COMPLETE) {
        ++thread_counters.host_waits;
        clWaitForEvents(1, &earlier);
      }
      clReleaseEvent(earlier);
      ++thread_counters.events_released;
      earlier = nullptr;
    }
  }
  unsigned char* staged = bytes_.data() + half_ * half_bytes + used_;
  std::memcpy(staged, host, bytes);
  used_ += (bytes + 63) / 64 * 64;
  return staged;
}

FUSECL_INLINE void staging_ring::clear() {
  for (cl_event& event : half_done_) {
    if (event != nullptr) {
      clReleaseEvent(event);
      ++thread_counters.events_released;
      event = nullptr;
    }
  }
  used_ = 0;
}

}  // namespace fusecl::runtime
