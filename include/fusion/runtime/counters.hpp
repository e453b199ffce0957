#pragma once
// What the calling thread has made the runtime do. Tests assert on these numbers, which, unlike times, do
// not depend on the machine.

#include <cstdint>

#include <fusion/base/config.hpp>

namespace fusecl {

/// Counts of one host thread since it started.
struct counters {
  std::uint64_t launches = 0;           ///< kernels enqueued
  std::uint64_t buffers_created = 0;    ///< device buffers the driver was asked for
  std::uint64_t buffers_reused = 0;     ///< device buffers that came from the pool
  std::uint64_t host_waits = 0;         ///< times the host waited for the device
  std::uint64_t bytes_to_device = 0;    ///< written from host memory
  std::uint64_t bytes_to_host = 0;      ///< read into host memory
  std::uint64_t host_reads = 0;         ///< copies that read them
  std::uint64_t host_reads_ahead = 0;   ///< of these, what later kernels of the same statement did not delay
  std::uint64_t programs_built = 0;     ///< programs compiled from source
  std::uint64_t programs_loaded = 0;    ///< programs taken from the disk cache
  std::uint64_t cross_queue_waits = 0;  ///< device-side waits for another thread's queue
  std::uint64_t events_created = 0;     ///< OpenCL events the runtime asked for
  std::uint64_t events_released = 0;    ///< and gave back; a queue keeps at most four

  /// Counts between two moments: `after - before`.
  friend constexpr counters operator-(const counters& after, const counters& before) {
    return {after.launches - before.launches,
            after.buffers_created - before.buffers_created,
            after.buffers_reused - before.buffers_reused,
            after.host_waits - before.host_waits,
            after.bytes_to_device - before.bytes_to_device,
            after.bytes_to_host - before.bytes_to_host,
            after.host_reads - before.host_reads,
            after.host_reads_ahead - before.host_reads_ahead,
            after.programs_built - before.programs_built,
            after.programs_loaded - before.programs_loaded,
            after.cross_queue_waits - before.cross_queue_waits,
            after.events_created - before.events_created,
            after.events_released - before.events_released};
  }
  friend constexpr bool operator==(const counters&, const counters&) = default;
};

namespace runtime {
/// The calling thread's counts, for `++` by the runtime.
inline FUSECL_SHARED constinit thread_local counters thread_counters{};
}  // namespace runtime

/// Copy of the calling thread's counts.
inline counters runtime_counters() { return runtime::thread_counters; }

}  // namespace fusecl
