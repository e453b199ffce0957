#pragma once
#include <algorithm>

#include <fusion/runtime/kernel_cl.hpp>

namespace fusecl::runtime {

FUSECL_INLINE std::string define_options(
    const std::vector<std::pair<std::string, std::string>>& definitions) {
  std::string options;
  for (const auto& [name, value] : definitions) {
    options += (options.empty() ? "-D " : " -D ") + name + "=" + value;
  }
  return options;
}

FUSECL_INLINE std::size_t largest_divisor(std::size_t size, std::size_t limit) {
  std::size_t divisor = std::min(size, limit);
  while (divisor > 1 && size % divisor != 0) {
    --divisor;
  }
  return std::max<std::size_t>(divisor, 1);
}

/// Local size for a kernel that was given none.
FUSECL_INLINE void choose_local_size(cl_kernel object, unsigned dims, const std::size_t* global,
                                     std::size_t* local) {
  cl_device_id device = selected().entry.device();
  std::size_t required[3] = {0, 0, 0};
  clGetKernelWorkGroupInfo(object, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required), required,
                           nullptr);
  if (required[0] != 0) {
    std::copy(required, required + dims, local);
    return;
  }
  std::size_t limit = 0;
  clGetKernelWorkGroupInfo(object, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(limit), &limit, nullptr);
  limit = std::clamp<std::size_t>(limit, 1, 256);
  for (unsigned d = 0; d < dims; ++d) {
    local[d] = largest_divisor(global[d], limit);
    limit /= local[d];
  }
}

FUSECL_INLINE void launch_with_arguments(kernel& target, const cl::NDRange& global, const cl::NDRange& local,
                                         const kernel_argument* arguments, std::size_t count) {
  const auto dims = static_cast<unsigned>(global.dimensions());
  const std::size_t* global_sizes = global;
  if (std::find(global_sizes, global_sizes + dims, std::size_t{0}) != global_sizes + dims) {
    return;
  }
  cl_kernel object = target.handle();
  std::size_t local_sizes[3] = {1, 1, 1};
  if (local.dimensions() != 0) {
    const std::size_t* given = local;
    std::copy(given, given + local.dimensions(), local_sizes);
  } else {
    choose_local_size(object, dims, global_sizes, local_sizes);
  }
  // only now: a kernel that cannot be built leaves the matrices as they are
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].writes && arguments[i].make_writable != nullptr) {
      arguments[i].make_writable(arguments[i].matrix);
    }
  }
  for (cl_uint i = 0; i < count; ++i) {
    const kernel_argument& argument = arguments[i];
    cl_int code = CL_SUCCESS;
    if (argument.matrix != nullptr) {
      cl_mem buffer = argument.memory(argument.matrix)->mem();
      code = clSetKernelArg(object, i, sizeof(buffer), &buffer);
    } else {
      code = clSetKernelArg(object, i, argument.size, argument.bytes);
    }
    if (code != CL_SUCCESS) {
      throw_opencl(code, "setting argument " + std::to_string(i) + " of kernel " + target.function());
    }
  }
  thread_queue& queue = this_thread_queue();
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].reads) {
      queue.before_read(*arguments[i].memory(arguments[i].matrix));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].writes) {
      queue.before_write(*arguments[i].memory(arguments[i].matrix));
    }
  }
  target.launch(dims, global_sizes, local_sizes);
}

}  // namespace fusecl::runtime
