#pragma once
// The pool of device buffers: released blocks wait in free lists by size class and are handed out again.
// One pool serves all threads; a block remembers which queues used it, so reuse never waits on the host.

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/cl.hpp>

namespace fusecl {

/// State of the buffer pool; `buffers_*` count since the program started, over all threads.
struct pool_counts {
  std::uint64_t bytes_in_use = 0;  ///< in blocks that storages hold
  std::uint64_t bytes_free = 0;    ///< in blocks that wait for reuse
  std::uint64_t blocks_in_use = 0;
  std::uint64_t blocks_free = 0;
  std::uint64_t buffers_created = 0;
  std::uint64_t buffers_reused = 0;
  std::uint64_t buffers_released = 0;   ///< given back to the driver
  std::uint64_t peak_bytes_in_use = 0;  ///< most at any time since the start or `reset_pool_peak`
};

pool_counts pool_statistics();

/// Lets the peak start again from what is in use now.
void reset_pool_peak();

/// Gives every free block back to the driver.
void trim();

namespace runtime {

struct device_state;

/// Bytes that every block extends past its requested size rounded up to `block_alignment`.
inline constexpr std::size_t block_padding = 128;
inline constexpr std::size_t block_alignment = 128;

/// Capacity of the block that serves a request: padded, then rounded up to one of 4 sizes per power of two,
/// 16 above 16 MiB.
std::size_t block_capacity(std::size_t bytes);

/// A device buffer with its history: the queues that touched it since its last write, and that write.
struct block {
  cl_mem buffer = nullptr;
  std::size_t capacity = 0;
  std::uint64_t generation = 0;
  std::uint64_t users = 0;
  std::uint64_t last_write = 0;
};

class buffer_pool {
 public:
  /// A block of the selected device with room for `bytes` and padding, preferably one that only the queues in
  /// `own_queue` touched. Throws out_of_device_memory if it cannot be had even after trimming.
  block take(std::size_t bytes, std::uint64_t own_queue);
  /// Takes a block back, to the driver unless `reusable`. Never waits.
  void give(const block& returned, bool reusable = true) noexcept;
  void trim();
  pool_counts statistics();
  void reset_peak();
  /// Serves the device of `state` from now on; the free blocks of the one before go to the driver.
  void start_generation(const device_state& state);
  [[noreturn]] void throw_out_of_memory(const char* call, std::size_t bytes, cl_int code);

 private:
  static constexpr std::size_t class_count = 1024;
  list_of<block> take_all_free();
  void count_taken(std::uint64_t capacity);

  std::mutex mutex_;
  std::uint64_t generation_ = 0;
  std::uint64_t free_limit_ = 0;
  pool_counts counts_;
  list_of<block> free_[class_count];
};

/// The program's pool. Never destroyed, so that objects with static lifetime can release into it.
buffer_pool& the_pool();

/// Room for `bytes` of the selected device's memory, straight from the driver; throws out_of_device_memory.
cl_mem create_buffer(const device_state& state, std::size_t bytes);

}  // namespace runtime
}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/queue.hpp>  // ends with the bodies of this file
#endif
