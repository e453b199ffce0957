#pragma once
// From OpenCL C text to a built program: from memory, else from disk, else by the driver's compiler.
// The cl_kernel objects of a program, one per host thread, are in kernel.hpp.

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include <fusion/runtime/program_text.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {

/// From now on, building or loading a program that is not in memory throws frozen_error naming the kernel and
/// its statement. A sampler that calls this after its warm-up promises itself that its hot loop compiles
/// nothing. What has only been seen with numbers of special values is built for other values first.
void freeze();
void unfreeze();
bool frozen();

namespace runtime {

/// What `freeze()` calls before it takes effect.
struct before_freeze {
  void (*call)();
  before_freeze* next = nullptr;
};
inline FUSECL_SHARED constinit std::atomic<before_freeze*> all_before_freeze{nullptr};

/// The program, built for the selected device. Threads that ask for the same one at once build it once.
/// Throws build_error with name, options, device, driver, log and numbered source, or frozen_error; either
/// leaves the context usable, and a later request tries again.
cl::Program build_program(const program_request& request);
/// The same for a selection, error where that has ended. The program counts as used while `use` is held.
cl::Program build_program(const program_request& request, std::shared_ptr<const void>& use,
                          const device_state& state);

/// Of the programs in memory that no kernel uses, at most about this many are kept: beyond, all of them go.
inline constexpr std::size_t most_unused_programs = 64;
/// Number of programs in memory.
std::size_t programs_in_memory();
/// Lets go of the programs of earlier selections, if this is the present one.
void forget_earlier_programs(std::uint64_t generation);

/// Puts the program on disk if this process compiled it and its platform completes binaries at the first
/// launch of each kernel (PoCL). Waits for the calling thread's queue then. The first launch of `kernel`
/// calls this. True if it read the binary.
bool store_program_after_first_launch(cl_program program, std::string_view kernel);
/// Number of programs with kernels of which that is to come.
std::size_t awaited_binaries();

}  // namespace runtime
}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/program_cache.ipp>
#endif
