#pragma once
#include <algorithm>

#include <fusion/matrix/matrix_base.hpp>
#include <fusion/runtime/program_events.hpp>

namespace fusecl {
namespace detail {

FUSECL_INLINE void user_events::add(list which, const cl::Event& event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  runtime::keep_event(this->*which, event);
}

FUSECL_INLINE void user_events::append_to(std::vector<cl::Event>& events, list which) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  events.insert(events.end(), (this->*which).begin(), (this->*which).end());
}

FUSECL_INLINE void user_events::clear(list which) {
  const std::lock_guard<std::mutex> lock(mutex_);
  (this->*which).clear();
}

FUSECL_INLINE void user_events::finish(list which) {
  std::vector<cl::Event> waited_for;
  append_to(waited_for, which);
  cl_int code = CL_SUCCESS;
  for (const cl::Event& event : waited_for) {
    if (event() == nullptr) continue;
    const cl_event one = event();
    const cl_int of_one = clWaitForEvents(1, &one);
    if (code == CL_SUCCESS) code = of_one;
  }
  {
    // Only now: another thread that waits has to find them until they are complete.
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto is_done = [&](const cl::Event& event) {
      return std::any_of(waited_for.begin(), waited_for.end(),
                         [&](const cl::Event& one) { return one() == event(); });
    };
    std::vector<cl::Event>& events = this->*which;
    events.erase(std::remove_if(events.begin(), events.end(), is_done), events.end());
  }
  runtime::check(code, "clWaitForEvents, for an event that a matrix was told of");
}

FUSECL_INLINE user_events& events_when_told::make() {
  user_events* made = get();
  if (made != nullptr) return *made;
  auto* const mine = new user_events;
  if (made_.compare_exchange_strong(made, mine, std::memory_order_acq_rel)) return *mine;
  delete mine;  // another thread was first
  return *made;
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
  s.events.make().add(detail::user_events::reading(), event);
}
FUSECL_INLINE void matrix_base::add_write_event(const cl::Event& event) const {
  detail::matrix_state& s = state();
  detail::order_after(event, *s.storage, true);
  s.events.make().add(detail::user_events::writing(), event);
}
FUSECL_INLINE void matrix_base::add_read_write_event(const cl::Event& event) const {
  add_write_event(event);
  state().events.make().add(detail::user_events::reading(), event);
}

FUSECL_INLINE detail::user_events* matrix_base::told_of() const {
  const detail::matrix_state* s = held();
  return s != nullptr ? s->events.get() : nullptr;
}

FUSECL_INLINE std::vector<cl::Event> matrix_base::read_events() const {
  const detail::matrix_state* s = held();
  if (s == nullptr) return {};
  std::vector<cl::Event> events;
  if (const detail::user_events* told = told_of()) told->append_to(events, detail::user_events::reading());
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
  if (const detail::user_events* told = told_of()) told->append_to(events, detail::user_events::writing());
  if (s->storage->identity().last_write.load() != 0) {
    runtime::thread_queue& queue = runtime::this_thread_queue();
    queue.before_read(*s->storage);
    events.push_back(queue.marker());
  }
  return events;
}
FUSECL_INLINE std::vector<cl::Event> matrix_base::read_write_events() const {
  std::vector<cl::Event> events = read_events();  // its marker is for all that the library does
  if (const detail::user_events* told = told_of()) told->append_to(events, detail::user_events::writing());
  return events;
}

FUSECL_INLINE void matrix_base::clear_read_events() const {
  if (detail::user_events* told = told_of()) told->clear(detail::user_events::reading());
}
FUSECL_INLINE void matrix_base::clear_write_events() const {
  if (detail::user_events* told = told_of()) told->clear(detail::user_events::writing());
}
FUSECL_INLINE void matrix_base::clear_read_write_events() const {
  clear_read_events();
  clear_write_events();
}

FUSECL_INLINE void matrix_base::wait_for_read_events() const {
  const detail::matrix_state* s = held();
  if (s == nullptr) return;
  runtime::finish_queues(s->storage->identity().users.load());
  if (detail::user_events* told = told_of()) told->finish(detail::user_events::reading());
}
FUSECL_INLINE void matrix_base::wait_for_write_events() const {
  const detail::matrix_state* s = held();
  if (s == nullptr) return;
  runtime::finish_queues(s->storage->writer());
  if (detail::user_events* told = told_of()) told->finish(detail::user_events::writing());
}
FUSECL_INLINE void matrix_base::finish_user_events() const {
  detail::user_events* const told = told_of();
  told->finish(detail::user_events::reading());
  told->finish(detail::user_events::writing());
}

}  // namespace fusecl
