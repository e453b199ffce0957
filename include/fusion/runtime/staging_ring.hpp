#pragma once
// Host memory of a queue from which small writes are made without a wait.

#include <cstddef>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/cl.hpp>

namespace fusecl::runtime {

/// Two halves, filled in turns. One is filled again when the device has done what was enqueued until the
/// other one's turn began, for which the host waits only where the device is that far behind.
class staging_ring {
 public:
  /// A copy of `bytes` bytes that stays until all is done that `queue` is given before the next call.
  const void* copy(cl_command_queue queue, const void* host, std::size_t bytes);
  /// Forgets all copies, where every queue is done with them.
  void clear();

 private:
  static constexpr std::size_t half_bytes = 128 * 1024;

  list_of<unsigned char> bytes_;
  std::size_t used_ = 0;  // bytes of the current half
  unsigned half_ = 0;
  cl_event half_done_[2] = {nullptr, nullptr};
};

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/staging_ring.ipp>
#endif
