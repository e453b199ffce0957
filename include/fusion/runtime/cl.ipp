#pragma once
#include <system_error>

#include <fusion/base/fill.hpp>
#include <fusion/runtime/cl.hpp>

namespace fusecl::runtime {

FUSECL_INLINE const char* error_name(cl_int code) noexcept {
  switch (code) {
#define FUSECL_CASE(name) \
  case name:              \
    return #name;
    FUSECL_CASE(CL_SUCCESS)
    FUSECL_CASE(CL_DEVICE_NOT_FOUND)
    FUSECL_CASE(CL_DEVICE_NOT_AVAILABLE)
    FUSECL_CASE(CL_COMPILER_NOT_AVAILABLE)
    FUSECL_CASE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    FUSECL_CASE(CL_OUT_OF_RESOURCES)
    FUSECL_CASE(CL_OUT_OF_HOST_MEMORY)
    FUSECL_CASE(CL_PROFILING_INFO_NOT_AVAILABLE)
    FUSECL_CASE(CL_MEM_COPY_OVERLAP)
    FUSECL_CASE(CL_BUILD_PROGRAM_FAILURE)
    FUSECL_CASE(CL_MAP_FAILURE)
    FUSECL_CASE(CL_MISALIGNED_SUB_BUFFER_OFFSET)
    FUSECL_CASE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    FUSECL_CASE(CL_COMPILE_PROGRAM_FAILURE)
    FUSECL_CASE(CL_LINKER_NOT_AVAILABLE)
    FUSECL_CASE(CL_LINK_PROGRAM_FAILURE)
    FUSECL_CASE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
    FUSECL_CASE(CL_INVALID_VALUE)
    FUSECL_CASE(CL_INVALID_DEVICE_TYPE)
    FUSECL_CASE(CL_INVALID_PLATFORM)
    FUSECL_CASE(CL_INVALID_DEVICE)
    FUSECL_CASE(CL_INVALID_CONTEXT)
    FUSECL_CASE(CL_INVALID_QUEUE_PROPERTIES)
    FUSECL_CASE(CL_INVALID_COMMAND_QUEUE)
    FUSECL_CASE(CL_INVALID_HOST_PTR)
    FUSECL_CASE(CL_INVALID_MEM_OBJECT)
    FUSECL_CASE(CL_INVALID_BINARY)
    FUSECL_CASE(CL_INVALID_BUILD_OPTIONS)
    FUSECL_CASE(CL_INVALID_PROGRAM)
    FUSECL_CASE(CL_INVALID_PROGRAM_EXECUTABLE)
    FUSECL_CASE(CL_INVALID_KERNEL_NAME)
    FUSECL_CASE(CL_INVALID_KERNEL_DEFINITION)
    FUSECL_CASE(CL_INVALID_KERNEL)
    FUSECL_CASE(CL_INVALID_ARG_INDEX)
    FUSECL_CASE(CL_INVALID_ARG_VALUE)
    FUSECL_CASE(CL_INVALID_ARG_SIZE)
    FUSECL_CASE(CL_INVALID_KERNEL_ARGS)
    FUSECL_CASE(CL_INVALID_WORK_DIMENSION)
    FUSECL_CASE(CL_INVALID_WORK_GROUP_SIZE)
    FUSECL_CASE(CL_INVALID_WORK_ITEM_SIZE)
    FUSECL_CASE(CL_INVALID_GLOBAL_OFFSET)
    FUSECL_CASE(CL_INVALID_EVENT_WAIT_LIST)
    FUSECL_CASE(CL_INVALID_EVENT)
    FUSECL_CASE(CL_INVALID_OPERATION)
    FUSECL_CASE(CL_INVALID_BUFFER_SIZE)
    FUSECL_CASE(CL_INVALID_GLOBAL_WORK_SIZE)
    FUSECL_CASE(CL_INVALID_PROPERTY)
    FUSECL_CASE(CL_INVALID_COMPILER_OPTIONS)
    FUSECL_CASE(CL_INVALID_LINKER_OPTIONS)
#undef FUSECL_CASE
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    case -9999:
      return "illegal read or write to a buffer (NVIDIA)";
    default:
      return "unknown OpenCL error";
  }
}

FUSECL_INLINE void throw_opencl(cl_int code, const std::string& call) {
  const std::string message = text::fill("{} failed: {} ({})", {call, error_name(code), code});
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE) {
    throw out_of_device_memory(message, code);
  }
  throw opencl_error(message, code);
}

}  // namespace fusecl::runtime

namespace fusecl {

FUSECL_INLINE void check_opencl_error(const char* function, const cl::Error& e) {
  if (e.err() == CL_SUCCESS) return;
  throw std::system_error(
      std::error_code(e.err(), std::generic_category()),
      text::fill("{}: {} failed: {} ({})", {function, e.what(), runtime::error_name(e.err()), e.err()}));
}

}  // namespace fusecl
