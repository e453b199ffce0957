#pragma once
// Threads that start together.

#include <barrier>
#include <thread>
#include <vector>

namespace fusecl::test {

inline constexpr int thread_count = 8;

/// Runs f(0) ... f(7) on a thread each, all released at the same moment.
template <class F>
void at_once(F f) {
  std::barrier start(thread_count);
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      f(t);
    });
  for (std::thread& each : threads) each.join();
}

}  // namespace fusecl::test
