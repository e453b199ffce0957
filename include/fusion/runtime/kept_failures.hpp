#pragma once
// Failures of kernels, as a pivot that is not positive, that a statement tells after its checks.

#include <exception>
#include <utility>

#include <fusion/base/config.hpp>

namespace fusecl::runtime {

/// While it lives, what thread_queue::look_at finds out about kernels that this thread enqueued meanwhile is
/// kept, and `tell` throws it: a statement whose checks have failed says so, whatever else failed because of
/// what they are there to find. Where an exception ends it, what it kept is forgotten with its statement.
class kept_failures {
 public:
  kept_failures() : outer_(std::exchange(innermost, this)) {}
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

  /// Whether `keeper` still lives, on this thread.
  static bool lives(const kept_failures* keeper) {
    const kept_failures* own = innermost;
    while (own && own != keeper) own = own->outer_;
    return own != nullptr;
  }

  kept_failures* outer_;
  std::exception_ptr first_;
};

}  // namespace fusecl::runtime
