#pragma once
// What the selected device reaches in practice, measured on demand; predictions and reports compare with it.

#include <fusion/runtime/kernel.hpp>

namespace fusecl {

/// Bytes per second, read and written together, of a plain copy kernel on the selected device. The first call
/// on a device measures it (tens of milliseconds, besides building the kernel; below 64 MB of its memory);
/// later ones return that. After `freeze()` the driver copies, and every call measures.
double copy_bandwidth();

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/profiling.ipp>
#endif
