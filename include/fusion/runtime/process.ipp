#pragma once
#include <cstddef>
#include <cstdlib>
#include <mutex>

#include <pthread.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <fusion/base/error.hpp>
#include <fusion/runtime/process.hpp>

namespace fusecl::runtime {

FUSECL_INLINE void require_driver() {
  if (process_was_forked.load(std::memory_order_relaxed))
    throw error(
        "this process was made by fork() after its parent had used OpenCL, whose threads are not in it: fork "
        "before the first use of the device, or start programs by exec or posix_spawn");
  if (program_is_ending)
    throw error(
        "the program is ending and the OpenCL driver may be gone: an object whose destructor uses the device "
        "is made after the first use of the device");
}

FUSECL_INLINE void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    process_was_forked = true;
    held_queue = nullptr;
  });
  static_cast<void>(registered);
}

/// Kernels that still run while the driver's static objects end would crash some drivers. A forked child has
/// none of the driver's threads and must not wait.
FUSECL_INLINE void finish_unless_forked() {
  if (!driver_is_gone()) finish_queues(~std::uint64_t{0}, queues_of::all_selections);
}

FUSECL_INLINE void watch_the_end() {
  static const int registered = std::atexit([] {
    finish_unless_forked();
    program_is_ending = true;
    held_queue = nullptr;
  });
  static_cast<void>(registered);
}

FUSECL_INLINE void require_compiler() {
  if (compiler_is_gone)
    throw error(
        "the program is ending and the compiler of the OpenCL driver may be gone: an object whose destructor "
        "evaluates what was not evaluated before is made after the first kernel was built");
}

FUSECL_INLINE void watch_the_compiler(compiled when) {
  static std::once_flag registered[3];
  std::call_once(registered[static_cast<std::size_t>(when)], [] {
    std::atexit([] {
      finish_unless_forked();
      compiler_is_gone = true;
    });
  });
}

FUSECL_INLINE void finish_at_the_end() {
  static const int registered = std::atexit(finish_unless_forked);
  static_cast<void>(registered);
}

/// Whether the calling thread is the one that began the process.
FUSECL_INLINE bool is_main_thread() {
#if defined(__linux__)
  return getpid() == static_cast<pid_t>(syscall(SYS_gettid));
#elif defined(__APPLE__)
  return pthread_main_np() != 0;
#else
  return false;
#endif
}

FUSECL_INLINE void finish_when_main_ends() {
  struct end_of_main {
    ~end_of_main() { finish_unless_forked(); }
  };
  if (!is_main_thread()) return;
  static thread_local const end_of_main waits;
  static_cast<void>(&waits);
}

}  // namespace fusecl::runtime
