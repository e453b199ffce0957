#pragma once
// Faults of drivers that decide how kernels are made, or whether at all: docs/decisions/0030.

#include <cstdint>

#include <fusion/runtime/device.hpp>

namespace fusecl::runtime {

/// Major version of PoCL, 0 where it does not say; -1 where the device is not PoCL's on a CPU.
int pocl_version(const capabilities& device);

/// Whether it is a device of Mesa, by its OpenCL front end rusticl.
bool is_mesa(const capabilities& device);

/// Whether asking for the binary of a program may end the process: the driver then compiles kernels for
/// groups of any size, in which its compiler takes what it did not simplify at once for an error of its own.
bool may_abort_on_binaries(const capabilities& device);

/// Rounds of all its loops together after which the driver ends those of a work-item; 0 where it does not.
std::int64_t most_loop_rounds(const capabilities& device);

/// Whether the driver's compiler may share between work-items what each computes for itself, in groups of
/// several with barriers. Whether it does in a kernel depends on where its own objects lie in memory.
bool may_share_private_values(const capabilities& device);

/// Says once in a process, on stderr, that kernels with groups of several work-items may be wrong.
void warn_of_shared_private_values(const capabilities& device);

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/driver_faults.ipp>
#endif
