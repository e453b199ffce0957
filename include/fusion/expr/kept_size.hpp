#pragma once
// Sizes of what is held behind a pointer: asked for at every level above it, so they are kept until a matrix
// that expressions refer to takes another size.

#include <atomic>
#include <cstdint>

#include <fusion/base/config.hpp>

namespace fusecl::detail {

/// How often a matrix that expressions refer to has changed its size.
inline FUSECL_SHARED constinit std::atomic<std::uint64_t> size_changes{1};

/// The size that an expression had when it was last asked. Threads may ask at once.
class kept_size {
 public:
  /// Rows of `e`, whose size this is.
  template <class E>
  std::int64_t rows(const E& e) const {
    refresh(e);
    return rows_.load(std::memory_order_relaxed);
  }
  template <class E>
  std::int64_t cols(const E& e) const {
    refresh(e);
    return cols_.load(std::memory_order_relaxed);
  }

 private:
  template <class E>
  void refresh(const E& e) const {
    const std::uint64_t now = size_changes.load(std::memory_order_acquire);
    if (asked_at_.load(std::memory_order_acquire) == now) [[likely]]
      return;
    rows_.store(e.rows(), std::memory_order_relaxed);
    cols_.store(e.cols(), std::memory_order_relaxed);
    asked_at_.store(now, std::memory_order_release);
  }

  mutable std::atomic<std::uint64_t> asked_at_{0};
  mutable std::atomic<std::int64_t> rows_{0};
  mutable std::atomic<std::int64_t> cols_{0};
};

}  // namespace fusecl::detail
