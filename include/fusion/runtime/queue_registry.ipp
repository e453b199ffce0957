#pragma once
// Which host thread holds which queue. Read by the bodies of queues only.

#include <atomic>
#include <mutex>

#include <fusion/base/config.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl::runtime {

/// Hands queue ids to threads. Queues are made when first needed and kept for later threads.
class queue_registry {
 public:
  thread_queue& lease() {
    const std::lock_guard lock(mutex_);
    if (!returned_.empty()) {
      const unsigned id = returned_.back();
      returned_.pop_back();
      return at(id);
    }
    return next_ < thread_queue::exclusive_count ? made(next_++) : next_shared();
  }
  void give_back(thread_queue& queue) {
    if (!queue.shared()) {
      const std::lock_guard lock(mutex_);
      returned_.push_back(queue.id());
    }
  }
  thread_queue& at(unsigned id) { return *queues_[id].load(std::memory_order_acquire); }
  thread_queue* find(unsigned id) { return queues_[id].load(std::memory_order_acquire); }

 private:
  thread_queue& made(unsigned id) {
    if (queues_[id].load(std::memory_order_acquire) == nullptr) {
      if (id == 0) finish_at_the_end();
      queues_[id].store(new thread_queue(id), std::memory_order_release);
    }
    return at(id);
  }
  thread_queue& next_shared() {
    constexpr unsigned shared = thread_queue::count - thread_queue::exclusive_count;
    return made(thread_queue::exclusive_count + shared_turn_++ % shared);
  }

  std::mutex mutex_;
  std::atomic<thread_queue*> queues_[thread_queue::count] = {};
  list_of<unsigned> returned_;
  unsigned next_ = 0;
  unsigned shared_turn_ = 0;
};

inline FUSECL_SHARED queue_registry& the_queues() {
  static queue_registry& queues = *new queue_registry;
  return queues;
}

/// A thread's hold on a queue.
struct queue_lease {
  thread_queue& queue = the_queues().lease();
  queue_lease() = default;
  queue_lease(const queue_lease&) = delete;
  ~queue_lease() {
    if (driver_is_gone()) return;
    held_queue = nullptr;
    queue.forget_outcomes();
    queue.let_go_of_adopted();
    if (queue.handle() != nullptr) {
      clFlush(queue.handle());
    }
    the_queues().give_back(queue);
  }
};

}  // namespace fusecl::runtime
