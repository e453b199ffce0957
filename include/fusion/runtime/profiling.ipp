#pragma once
#include <algorithm>

#include <time.h>

#include <fusion/base/owned.hpp>
#include <fusion/runtime/profiling.hpp>

namespace fusecl {
namespace runtime {

/// Seconds since some moment, by a clock that is never set back. <chrono> alone would cost every program that
/// includes FuseCL from its headers as much as twenty expressions.
FUSECL_INLINE double steady_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Copies between two buffers a few times; the best time counts, since everything that disturbs only adds to
/// it. After `freeze()` the driver copies, which needs no kernel.
FUSECL_INLINE double measure_copy_bandwidth(const capabilities& device) {
  // 16 bytes per work-item reach the memory of a GPU best; a CPU wants whole cache lines.
  const std::size_t item = device.cpu ? 64 : 16;
  owned<kernel> copy;
  if (!frozen())
    copy = owned(new kernel(
        program_request{"fusecl_copy",
                        "__kernel __attribute__((reqd_work_group_size(256, 1, 1)))\n"
                        "void fusecl_copy(__global const ITEM* restrict from, __global ITEM* restrict to) {\n"
                        "  const size_t i = get_global_id(0);\n"
                        "  to[i] = from[i];\n"
                        "}\n",
                        device.cpu ? "-D ITEM=uint16" : "-D ITEM=uint4"}));
  // both together below 64 MB
  const std::size_t wanted = std::size_t{28} << 20;
  const std::size_t local = 256;
  const std::size_t bytes =
      std::max<std::size_t>(std::min<std::size_t>(wanted, device.max_allocation / 4) / (item * local), 1) *
      item * local;
  const storage_ref from = make_storage(bytes), to = make_storage(bytes);
  thread_queue& queue = this_thread_queue();
  const unsigned zero = 0;
  queue.fill(*from, 0, bytes, &zero, sizeof(zero));
  cl_mem arguments[] = {from->mem(), to->mem()};
  for (cl_uint i = 0; copy && i < 2; ++i) {
    check(clSetKernelArg(copy->handle(), i, sizeof(cl_mem), &arguments[i]), "clSetKernelArg");
  }
  const std::size_t global = bytes / item;
  const auto launch = [&] {
    if (!copy) {
      queue.copy(*from, 0, *to, 0, bytes);
      return;
    }
    queue.before_read(*from);
    queue.before_write(*to);
    copy->launch(1, &global, &local);
  };
  launch();
  queue.finish();
  const int repetitions = device.cpu ? 1 : 8;  // per wait, so that the wait weighs little
  double best = 0;
  for (int round = 0; round < 6; ++round) {
    const double start = steady_seconds();
    for (int i = 0; i < repetitions; ++i) {
      launch();
    }
    queue.finish();
    best = std::max(best, 2.0 * static_cast<double>(bytes) * repetitions / (steady_seconds() - start));
  }
  return best;
}

}  // namespace runtime

FUSECL_INLINE double copy_bandwidth() {
  static std::mutex& mutex = *new std::mutex;
  static std::uint64_t measured_generation = 0;
  static double measured = 0;
  const std::lock_guard lock(mutex);
  const runtime::device_state state = runtime::selected();
  if (measured_generation == state.generation) return measured;
  const double bandwidth = runtime::measure_copy_bandwidth(state.entry.capabilities);
  if (frozen()) return bandwidth;
  measured_generation = state.generation;
  return measured = bandwidth;
}

}  // namespace fusecl
