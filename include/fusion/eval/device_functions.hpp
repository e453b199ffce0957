#pragma once
// Functions of the library for kernels that users write, by their names in Stan Math's OpenCL backend.

#include <string_view>

#include <fusion/base/config.hpp>
#include <fusion/ops/library_functions.hpp>

namespace fusecl::opencl_kernels {

/// OpenCL C that declares a function of the library, to stand before the source of a kernel that calls it:
/// \code
///   const kernel_cl<in_buffer, out_buffer> rates("rates", {digamma_device_function, source});
/// \endcode
/// It has the function for float and, where the device has it, for double, and whatever that calls in its
/// turn; a text may be there several times.
class device_function_text {
 public:
  constexpr explicit device_function_text(std::string_view name) : name_(name) {}
  operator std::string_view() const;

 private:
  std::string_view name_;
};

#define FUSECL_DEVICE_FUNCTION(NAME) inline constexpr device_function_text NAME##_device_function{#NAME};
FUSECL_LIBRARY_FUNCTIONS(FUSECL_DEVICE_FUNCTION)
#undef FUSECL_DEVICE_FUNCTION

/// atomic_add_double(at, more) adds to a double in global memory, local_atomic_add_double(at, more) to one in
/// local memory, whichever work-items do so at once; the order is any. The device needs
/// cl_khr_int64_base_atomics.
inline constexpr std::string_view atomic_add_double_device_function = R"(
#ifndef FUSECL_ATOMIC_ADD_DOUBLE
#define FUSECL_ATOMIC_ADD_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define FUSECL_ADDS_TO(NAME, SPACE)                                                                   \
  static inline void NAME(volatile SPACE double* at, double more) {                                   \
    ulong seen = as_ulong(*at), before;                                                               \
    do {                                                                                              \
      before = seen;                                                                                  \
      seen = atom_cmpxchg((volatile SPACE ulong*)at, before, as_ulong(as_double(before) + more));     \
    } while (seen != before);                                                                         \
  }
FUSECL_ADDS_TO(atomic_add_double, global)
FUSECL_ADDS_TO(local_atomic_add_double, local)
#undef FUSECL_ADDS_TO
#endif
)";

}  // namespace fusecl::opencl_kernels

#ifndef FUSECL_SPLIT
#include <fusion/eval/device_functions.ipp>
#endif
