#pragma once
// What the calling thread and this process may still do: a process that was forked, and a thread that has
// ended the program, have no device.

#include <atomic>
#include <cstdint>

#include <fusion/base/config.hpp>

namespace fusecl::runtime {

class thread_queue;

/// The queue this thread holds; null before its first use and after its end.
inline FUSECL_SHARED constinit thread_local thread_queue* held_queue = nullptr;

/// The selection for which the calling thread runs a statement: a `statement_in_work`'s; 0 outside of them.
inline FUSECL_SHARED constinit thread_local std::uint64_t statement_generation = 0;

/// While true, statements and hand-written kernels of the calling thread build what they need and do not run:
/// results have sizes and no contents.
inline FUSECL_SHARED constinit thread_local bool preparing = false;

inline FUSECL_SHARED constinit std::atomic<bool> process_was_forked{false};
inline FUSECL_SHARED constinit thread_local bool program_is_ending = false;
inline FUSECL_SHARED constinit thread_local bool compiler_is_gone = false;

/// True after fork() in the child, and on the thread that ends the program once static objects made before
/// the first use of the device are destroyed: the driver's threads or the driver itself may be gone.
inline bool driver_is_gone() {
  return program_is_ending || process_was_forked.load(std::memory_order_relaxed);
}

/// Throws error where the driver is gone.
void require_driver();

/// Called before the driver is loaded: from then on, children that this process forks have none.
void watch_forks();

/// Called after the driver is loaded: after main, before the driver's own static objects end, the thread that
/// ends the program has no device any more.
void watch_the_end();
/// Throws error where the driver may have nothing left to compile with: on the thread that ends the program,
/// once static objects made before the driver first compiled are destroyed.
void require_compiler();
/// When a driver compiles.
enum class compiled { from_source, from_binary, at_launch };
/// Called after it has: what the driver made for the first program of this kind ends before objects that are
/// older, and after a wait for all queues.
void watch_the_compiler(compiled when);

/// Queues that finish_queues waits for.
enum class queues_of { selected_device, all_selections };
/// Waits for everything that is enqueued on those of some queues whose bits are set (runtime/queue.hpp).
/// Throws error where the driver is gone.
void finish_queues(std::uint64_t bits, queues_of which = queues_of::selected_device);

/// Called before the first queue is used: waits for all queues after main, before what the driver has loaded
/// meanwhile ends.
void finish_at_the_end();
/// Called before a thread first uses its queue: the main thread waits for all queues when it leaves main or
/// calls exit, before any static object ends. What a driver's own thread makes while it still compiles may
/// end first of all.
void finish_when_main_ends();

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/process.ipp>
#endif
