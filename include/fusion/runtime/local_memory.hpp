#pragma once
// How much local memory a group has. NVIDIA's OpenCL says 48 KB of every device, and builds and runs kernels
// with as much as CUDA gives a block where it is asked to: whether it does is tried.

#include <cstdint>

#include <fusion/runtime/device.hpp>

namespace fusecl::runtime {

/// Bytes of local memory that a block of CUDA may have on a device of this compute capability (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability"), less one KB, which OpenCL takes of
/// them on an H200; 0 where it is not known to be more than what OpenCL says.
std::int64_t local_bytes_of_cuda(unsigned capability);

/// Builds and runs a kernel whose groups have so many bytes. Whether it computed what it should; no failure
/// of it leaves a trace.
bool runs_with_local_bytes(cl_context context, cl_device_id device, std::int64_t bytes);

/// Bytes of local memory that groups were seen to have on the selected device: what OpenCL says, or more. Is
/// tried once for each device of a process.
std::int64_t shown_local_bytes();

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/local_memory.ipp>
#endif
