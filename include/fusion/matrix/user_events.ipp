#pragma once
#include <algorithm>

#include <fusion/matrix/matrix_base.hpp>

namespace fusecl {
namespace detail {

/// So many events are kept before those that are complete are looked for.
inline constexpr std::size_t many_events = 64;

FUSECL_INLINE bool is_complete(const cl::Event& event) {
  cl_int status = CL_QUEUED;
  return event() != nullptr &&
         clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr) ==
             CL_SUCCESS &&
         status == CL_COMPLETE;
}

FUSECL_INLINE void user_events::add(std::vector<cl::Event>& events, const cl::Event& event) {
  if (events.size() >= many_events && (events.size() & (events.size() - 1)) == 0)
    events.erase(std::remove_if(events.begin(), events.end(), is_complete), events.end());
  events.push_back(event);
}

FUSECL_INLINE void user_events::finish(std::vector<cl::Event>& events) {
  const std::vector<cl::Event> waited_for = std::exchange(events, {});
  for (const cl::Event& event : waited_for) {
    if (event() == nullptr) continue;
    const cl_event one = event();
    runtime::check(clWaitForEvents(1, &one), "clWaitForEvents, for an event that a matrix was told of");
  }
}

FUSECL_INLINE user_events& events_of(matrix_state& state) {
  if (!state.events) state.events = owned<user_events>(new user_events);
  return *state.events;
}

/// Makes what this thread's queue, and with it every other, does with the matrix later wait for the event.
FUSECL_INLINE void order_after(const cl::Event& event, runtime::storage& s, bool writes) {
  if (event() == nullptr) return;
  runtime::thread_queue& queue = runtime::this_thread_queue();
  if (writes)
    queue.before_write(s);
  else
    queue.before_read(s);
  queue.wait_for_event(event());
}

}  // namespace detail

FUSECL_INLINE void matrix_base::add_read_event(const cl::Event& event) const {
  detail::matrix_state& s = state();
  detail::order_after(event, *s.storage, false);
  detail::user_events::add(detail::events_of(s).reads, event);
}
FUSECL_INLINE void matrix_base::add_write_event(const cl::Event& event) const {
  detail::matrix_state& s = state();
  detail::order_after(event, *s.storage, true);
  detail::user_events::add(detail::events_of(s).writes, event);
}
FUSECL_INLINE void matrix_base::add_read_write_event(const cl::Event& event) const {
  add_write_event(event);
  detail::user_events::add(detail::events_of(state()).reads, event);
}

FUSECL_INLINE std::vector<cl::Event> matrix_base::read_events() const {
  const detail::matrix_state* s = held();
  if (s == nullptr) return {};
  std::vector<cl::Event> events;
  if (s->events) events = s->events->reads;
  if (s->storage->identity().users.load() != 0) {
    runtime::thread_queue& queue = runtime::this_thread_queue();
    queue.before_write(*s->storage);
    events.push_back(queue.marker());
  }
  return events;
}
FUSECL_INLINE std::vector<cl::Event> matrix_base::write_events() const {
  const detail::matrix_state* s = held();
  if (s == nullptr) return {};
  std::vector<cl::Event> events;
  if (s->events) events = s->events->writes;
  if (s->storage->identity().last_write.load() != 0) {
    runtime::thread_queue& queue = runtime::this_thread_queue();
    queue.before_read(*s->storage);
    events.push_back(queue.marker());
  }
  return events;
}
FUSECL_INLINE std::vector<cl::Event> matrix_base::read_write_events() const {
  std::vector<cl::Event> events = read_events();  // its marker is for all that the library does
  if (const detail::matrix_state* s = held(); s != nullptr && s->events)
    events.insert(events.end(), s->events->writes.begin(), s->events->writes.end());
  return events;
}

FUSECL_INLINE void matrix_base::clear_read_events() const {
  if (const detail::matrix_state* s = held(); s != nullptr && s->events) s->events->reads.clear();
}
FUSECL_INLINE void matrix_base::clear_write_events() const {
  if (const detail::matrix_state* s = held(); s != nullptr && s->events) s->events->writes.clear();
}
FUSECL_INLINE void matrix_base::clear_read_write_events() const {
  clear_read_events();
  clear_write_events();
}

FUSECL_INLINE void matrix_base::wait_for_read_events() const {
  const detail::matrix_state* s = held();
  if (s == nullptr) return;
  runtime::finish_queues(s->storage->identity().users.load());
  if (s->events) detail::user_events::finish(s->events->reads);
}
FUSECL_INLINE void matrix_base::wait_for_write_events() const {
  const detail::matrix_state* s = held();
  if (s == nullptr) return;
  runtime::finish_queues(s->storage->identity().users.load());
  if (s->events) detail::user_events::finish(s->events->writes);
}
FUSECL_INLINE void matrix_base::finish_user_events() const {
  const detail::matrix_state* s = held();
  detail::user_events::finish(s->events->reads);
  detail::user_events::finish(s->events->writes);
}

}  // namespace fusecl
