#pragma once
#include <algorithm>
#include <limits>

#include <fusion/runtime/trial.hpp>

namespace fusecl::runtime {

FUSECL_INLINE bool run_trial(cl_context context, cl_device_id device, const trial& tried, void* results,
                             std::size_t bytes, double* seconds) {
  constexpr int timed_runs = 4;
  const char* source = tried.source.c_str();
  cl_int code = CL_SUCCESS;
  const cl::Program program(clCreateProgramWithSource(context, 1, &source, nullptr, &code));
  if (code != CL_SUCCESS || clBuildProgram(program(), 1, &device, "-w", nullptr, nullptr) != CL_SUCCESS)
    return false;
  const cl::Kernel kernel(clCreateKernel(program(), tried.name, &code));
  if (code != CL_SUCCESS) return false;
  const cl::CommandQueue queue(
      clCreateCommandQueue(context, device, seconds ? CL_QUEUE_PROFILING_ENABLE : 0, &code));
  if (code != CL_SUCCESS) return false;
  const cl::Buffer buffer(clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &code));
  if (code != CL_SUCCESS) return false;
  const cl_mem memory = buffer();
  if (clSetKernelArg(kernel(), 0, sizeof memory, &memory) != CL_SUCCESS) return false;
  const std::size_t global = tried.groups * tried.items;
  if (seconds) *seconds = std::numeric_limits<double>::infinity();
  for (int run = 0; run < (seconds ? timed_runs : 1); ++run) {
    cl::Event event;
    if (clEnqueueNDRangeKernel(queue(), kernel(), 1, nullptr, &global, &tried.items, 0, nullptr, &event()) !=
            CL_SUCCESS ||
        clWaitForEvents(1, &event()) != CL_SUCCESS)
      return false;
    if (!seconds) break;
    cl_ulong start = 0, end = 0;
    if (clGetEventProfilingInfo(event(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr) !=
            CL_SUCCESS ||
        clGetEventProfilingInfo(event(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS)
      return false;
    *seconds = std::min(*seconds, 1e-9 * static_cast<double>(end - start));
  }
  return clEnqueueReadBuffer(queue(), memory, CL_TRUE, 0, bytes, results, 0, nullptr, nullptr) == CL_SUCCESS;
}

}  // namespace fusecl::runtime
