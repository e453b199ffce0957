#pragma once
// Kernels that are run to see what a device does with them.

#include <cstddef>
#include <string>

#include <fusion/runtime/device.hpp>

namespace fusecl::runtime {

/// A kernel of one buffer, which it writes.
struct trial {
  std::string source;
  const char* name;
  std::size_t groups, items;  ///< and work-items of a group
};

/// Builds the kernel and runs it on a queue of its own, so that it has written `bytes` to `results`; with
/// `seconds`, several times, of which it gets the shortest. False where the device does not do this; no
/// failure leaves a trace.
bool run_trial(cl_context context, cl_device_id device, const trial& tried, void* results, std::size_t bytes,
               double* seconds = nullptr);

}  // namespace fusecl::runtime

#ifndef FUSECL_SPLIT
#include <fusion/runtime/trial.ipp>
#endif
