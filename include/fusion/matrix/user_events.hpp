#pragma once
// Events of work that a program enqueues by itself and tells a matrix of, by Stan Math's names. Statements
// need none: queues keep their order.

#include <atomic>
#include <mutex>
#include <vector>

#include <fusion/runtime/cl.hpp>

namespace fusecl::detail {

/// Events that a matrix was told of and that were not cleared since. Threads that read the matrix may tell it
/// of theirs at once.
class user_events {
 public:
  using list = std::vector<cl::Event> user_events::*;
  static constexpr list reading() { return &user_events::reads_; }
  static constexpr list writing() { return &user_events::writes_; }

  /// Keeps one more, and forgets those that are complete whenever there are many.
  void add(list which, const cl::Event& event);
  void append_to(std::vector<cl::Event>& events, list which) const;
  void clear(list which);
  /// Waits for all and forgets them. Throws opencl_error where one of them failed.
  void finish(list which);

 private:
  mutable std::mutex mutex_;
  std::vector<cl::Event> reads_, writes_;
};

/// The events of one matrix, which are made when it is first told of one.
class events_when_told {
 public:
  events_when_told() = default;
  events_when_told(const events_when_told&) = delete;
  ~events_when_told() { delete get(); }
  /// Null if the matrix was told of none.
  user_events* get() const { return made_.load(std::memory_order_acquire); }
  user_events& make();

 private:
  std::atomic<user_events*> made_{nullptr};
};

}  // namespace fusecl::detail
