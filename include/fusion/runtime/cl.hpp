#pragma once
// The one place that includes the OpenCL C++ bindings, set to version 1.2 with exceptions, and turns status
// codes into exceptions. The runtime itself calls the C interface; cl:: types appear where users meet them.

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_TARGET_OPENCL_VERSION
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_ENABLE_EXCEPTIONS
#endif

#if __has_include(<CL/opencl.hpp>)
#include <CL/opencl.hpp>
#else
#include <CL/cl2.hpp>
#endif

#include <algorithm>
#include <string>

#include <fusion/base/config.hpp>
#include <fusion/base/error.hpp>

namespace fusecl::runtime {

/// Name of an OpenCL status code ("CL_INVALID_VALUE"), or "unknown OpenCL error".
const char* error_name(cl_int code) noexcept;

/// True for the codes by which a driver says that memory ran out when a buffer is created or first used.
/// CL_OUT_OF_RESOURCES can mean other things too: the caller knows whether memory is plausible.
constexpr bool is_memory_failure(cl_int code) noexcept {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
         code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

/// Throws out_of_device_memory for CL_MEM_OBJECT_ALLOCATION_FAILURE and CL_INVALID_BUFFER_SIZE, opencl_error
/// for every other code. `call` is the function that failed and whatever explains it.
[[noreturn]] void throw_opencl(cl_int code, const std::string& call);

/// Throws as `throw_opencl` does unless `code` is CL_SUCCESS.
inline void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) [[unlikely]] {
    throw_opencl(code, call);
  }
}

/// Text that the driver tells in two calls, first how long it is: `ask(bytes, characters, length)` is a call
/// of a clGet...Info. Empty where the driver does not know.
template <class Ask>
std::string info_text(const Ask& ask) {
  std::size_t bytes = 0;
  if (ask(std::size_t{0}, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (ask(bytes, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace fusecl::runtime

namespace fusecl {

/// Throws std::system_error with the name of the function, of the OpenCL call that failed and of the status
/// code, unless that is CL_SUCCESS: for programs that call OpenCL themselves, as in Stan Math.
void check_opencl_error(const char* function, const cl::Error& e);

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/cl.ipp>
#endif
