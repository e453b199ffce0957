#pragma once
#include <algorithm>
#include <mutex>

#include <fusion/runtime/program_events.hpp>

namespace fusecl::runtime {
namespace detail {

/// CL_QUEUED where it cannot be asked.
inline cl_int status_of(const cl::Event& event) {
  cl_int status = CL_QUEUED;
  if (event() != nullptr)
    clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
  return status;
}

struct program_events {
  std::mutex mutex;
  std::vector<cl::Event> noted;
};
inline FUSECL_SHARED program_events& events_of_program() {
  static program_events& own = *new program_events;  // outlives every thread
  return own;
}

}  // namespace detail

FUSECL_INLINE void keep_event(std::vector<cl::Event>& events, const cl::Event& event) {
  constexpr std::size_t many = 64;
  if (events.size() >= many && (events.size() & (events.size() - 1)) == 0)
    events.erase(std::remove_if(events.begin(), events.end(),
                                [](const cl::Event& e) { return detail::status_of(e) == CL_COMPLETE; }),
                 events.end());
  events.push_back(event);
}

FUSECL_INLINE void note_program_event(cl_event event) {
  detail::program_events& known = detail::events_of_program();
  const std::lock_guard lock(known.mutex);
  keep_event(known.noted, cl::Event(event, true));
}

FUSECL_INLINE bool awaits_program_event() {
  detail::program_events& known = detail::events_of_program();
  const std::lock_guard lock(known.mutex);
  return std::any_of(known.noted.begin(), known.noted.end(),
                     [](const cl::Event& e) { return detail::status_of(e) > CL_COMPLETE; });
}

}  // namespace fusecl::runtime
