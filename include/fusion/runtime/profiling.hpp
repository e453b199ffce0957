#pragma once
// What the selected device reaches in practice, measured on demand; predictions and reports compare with it.

#include <fusion/runtime/kernel.hpp>

namespace fusecl {

/// Bytes per second, read and written together, of a plain copy kernel on the selected device. The first call
/// on a device measures it (tens of milliseconds, besides building the kernel); later ones return that.
double copy_bandwidth();

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/profiling.ipp>
#endif
