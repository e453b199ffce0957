#pragma once
// Failures of kernels, as a pivot that is not positive, that a statement tells after its checks.

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include <fusion/base/config.hpp>

namespace fusecl::runtime {

/// While it lives, what thread_queue::look_at finds out about kernels that this thread enqueued meanwhile is
/// kept, and `tell` throws it: a statement whose checks have failed says so, whatever else failed because of
/// what they are there to find. Where an exception ends it, what it kept is forgotten with its statement.
class kept_failures {
 public:
  kept_failures()
      : outer_(std::exchange(innermost, this)), number_(made.fetch_add(1, std::memory_order_relaxed) + 1) {}
  kept_failures(const kept_failures&) = delete;
  kept_failures& operator=(const kept_failures&) = delete;
  ~kept_failures() { innermost = outer_; }

  /// Throws the first failure that was kept.
  void tell() {
    if (first_) [[unlikely]]
      std::rethrow_exception(std::exchange(first_, nullptr));
  }

 private:
  friend class thread_queue;
  static inline FUSECL_SHARED constinit thread_local kept_failures* innermost = nullptr;
  static inline FUSECL_SHARED constinit std::atomic<std::uint64_t> made{0};

  /// Number of the innermost one of this thread, which no other one ever has; 0 if there is none.
  static std::uint64_t number_of_innermost() { return innermost ? innermost->number_ : 0; }
  /// The one with this number, if it still lives, on this thread; else null.
  static kept_failures* living(std::uint64_t number) {
    kept_failures* own = innermost;
    while (own && own->number_ != number) own = own->outer_;
    return own;
  }

  kept_failures* outer_;
  std::uint64_t number_;
  std::exception_ptr first_;
};

}  // namespace fusecl::runtime
