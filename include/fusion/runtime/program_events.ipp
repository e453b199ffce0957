#pragma once
#include <mutex>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/program_events.hpp>

namespace fusecl::runtime {
namespace detail {

struct program_events {
  std::mutex mutex;
  list_of<cl::Event> pending;

  bool any() {
    erase_if(pending, [](const cl::Event& event) {
      cl_int status = CL_QUEUED;
      return clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr) !=
                 CL_SUCCESS ||
             status <= CL_COMPLETE;
    });
    return !pending.empty();
  }
};
inline FUSECL_SHARED program_events& noted_events() {
  static program_events& own = *new program_events;  // outlives every thread
  return own;
}

}  // namespace detail

FUSECL_INLINE void note_program_event(cl_event event) {
  detail::program_events& noted = detail::noted_events();
  const std::lock_guard lock(noted.mutex);
  noted.any();  // forgets those that are complete
  noted.pending.push_back(cl::Event(event, true));
}

FUSECL_INLINE bool awaits_program_event() {
  detail::program_events& noted = detail::noted_events();
  const std::lock_guard lock(noted.mutex);
  return noted.any();
}

}  // namespace fusecl::runtime
