#pragma once
// What a queue still has to look at: whether kernels could do their work, of which the host hears when it
// next waits.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/kept_failures.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl::runtime {

/// What no other thread has, be it one that has ended.
inline FUSECL_SHARED std::uint64_t number_of_this_thread() {
  static constinit std::atomic<std::uint64_t> given{0};
  static constinit thread_local std::uint64_t own = 0;
  if (own == 0) own = given.fetch_add(1, std::memory_order_relaxed) + 1;
  return own;
}

FUSECL_INLINE void thread_queue::look_at(const storage_ref& s, void (*failed)(const void* bytes)) {
  constexpr int most = 64;
  const turn mine(*this);
  const std::uint64_t thread = number_of_this_thread();
  // a program that reads nothing for long must not collect memory
  if (std::count_if(outcomes_.begin(), outcomes_.end(),
                    [&](const outcome& each) { return each.thread == thread; }) >= most) {
    wait_for_outcomes();
    settle_outcomes();
  }
  outcome& fresh = outcomes_.emplace_back();
  fresh.storage = s;
  fresh.failed = failed;
  fresh.keeper = kept_failures::number_of_innermost();
  fresh.thread = thread;
  fresh.bytes = std::min(s->bytes(), sizeof fresh.copy);
}

FUSECL_INLINE bool thread_queue::look_now() {
  const turn mine(*this);
  const std::uint64_t thread = number_of_this_thread();
  if (std::none_of(outcomes_.begin(), outcomes_.end(),
                   [&](const outcome& each) { return each.thread == thread; }))
    return false;
  wait_for_outcomes();
  judge_outcomes();
  return kept_failures::number_of_innermost() != 0;
}

FUSECL_INLINE void thread_queue::wait_for_outcomes() {
  fetch_outcomes();
  finish();
}

FUSECL_INLINE void thread_queue::fetch_outcomes() {
  for (outcome& each : outcomes_)
    if (each.storage && each.thread == number_of_this_thread())
      copies_.enqueue(handle(), each.storage->mem(), 0, each.bytes, each.copy);
}

FUSECL_INLINE list_of<thread_queue::outcome> thread_queue::take_outcomes() {
  list_of<outcome> own;
  erase_if(outcomes_, [&](outcome& each) {
    const bool is_own = each.thread == number_of_this_thread();
    if (is_own) own.push_back(std::move(each));
    return is_own;
  });
  return own;
}

/// Whether it went well, or its failure is kept by a statement that tells it.
FUSECL_INLINE bool thread_queue::is_settled(const outcome& one) {
  try {
    one.failed(one.copy);
  } catch (...) {
    kept_failures* const keeper = kept_failures::living(one.keeper);
    if (keeper == nullptr) return false;
    if (!keeper->first_) keeper->first_ = std::current_exception();
  }
  return true;
}

FUSECL_INLINE void thread_queue::judge_outcomes() {
  for (const outcome& each : take_outcomes())
    if (!is_settled(each)) return each.failed(each.copy);
}

FUSECL_INLINE void thread_queue::settle_outcomes() {
  bool is_first = true;
  for (outcome& each : take_outcomes()) {
    if (is_settled(each) || !std::exchange(is_first, false)) continue;
    each.storage = storage_ref();
    outcomes_.push_back(std::move(each));
  }
}

FUSECL_INLINE void thread_queue::forget_outcomes() noexcept {
  const turn mine(*this);
  erase_if(outcomes_, [](const outcome& each) { return each.thread == number_of_this_thread(); });
}

}  // namespace fusecl::runtime
