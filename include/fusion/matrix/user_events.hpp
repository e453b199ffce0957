#pragma once
// Events of work that a program enqueues by itself and tells a matrix of, by Stan Math's names. Statements
// need none: queues keep their order.

#include <vector>

#include <fusion/runtime/cl.hpp>

namespace fusecl::detail {

/// Events that a matrix was told of and that were not cleared since.
struct user_events {
  std::vector<cl::Event> reads, writes;

  /// Keeps one more, and forgets those that are complete whenever there are many.
  static void add(std::vector<cl::Event>& events, const cl::Event& event);
  /// Waits for all and forgets them. Throws opencl_error where one of them failed.
  static void finish(std::vector<cl::Event>& events);
};

}  // namespace fusecl::detail
