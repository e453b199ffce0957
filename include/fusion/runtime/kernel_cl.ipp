#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/runtime/kernel_cl.hpp>

namespace fusecl::runtime {

FUSECL_INLINE std::string kernel_options(
    const std::vector<std::pair<std::string, std::string>>& definitions) {
  std::string options = "-cl-kernel-arg-info";
  for (const auto& [name, value] : definitions) {
    options += " -D " + name + "=" + value;
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

FUSECL_INLINE unsigned char elements_for(std::string_view parameter_type) {
  constexpr unsigned char all = 0xff;
  constexpr auto bit = [](scalar_type type) {
    return static_cast<unsigned char>(1u << static_cast<int>(type));
  };
  constexpr unsigned char whole = bit(scalar_type::int32) | bit(scalar_type::uint32);
  constexpr unsigned char byte = bit(scalar_type::boolean);
  constexpr unsigned char wide = bit(scalar_type::int64);
  constexpr std::pair<std::string_view, unsigned char> numbers[] = {{"char", byte},
                                                                    {"uchar", byte},
                                                                    {"unsigned char", byte},
                                                                    {"bool", byte},
                                                                    {"short", 0},
                                                                    {"ushort", 0},
                                                                    {"unsigned short", 0},
                                                                    {"int", whole},
                                                                    {"uint", whole},
                                                                    {"unsigned int", whole},
                                                                    {"long", wide},
                                                                    {"ulong", wide},
                                                                    {"unsigned long", wide},
                                                                    {"half", 0},
                                                                    {"float", bit(scalar_type::float32)},
                                                                    {"double", bit(scalar_type::float64)}};
  if (!parameter_type.ends_with('*')) return all;
  parameter_type.remove_suffix(1);
  const std::size_t last = parameter_type.find_last_not_of("0123456789 ");  // of a vector: its width
  parameter_type = parameter_type.substr(0, last == std::string_view::npos ? 0 : last + 1);
  for (const auto& [name, elements] : numbers)
    if (name == parameter_type) return elements;
  return all;
}

/// A parameter's type in OpenCL C; empty where the driver does not know.
FUSECL_INLINE std::string parameter_type(cl_kernel object, cl_uint index) {
  std::size_t bytes = 0;
  if (clGetKernelArgInfo(object, index, CL_KERNEL_ARG_TYPE_NAME, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string name(bytes, '\0');
  if (clGetKernelArgInfo(object, index, CL_KERNEL_ARG_TYPE_NAME, bytes, name.data(), nullptr) != CL_SUCCESS)
    return {};
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

/// elements_for each parameter of a kernel.
FUSECL_INLINE std::vector<unsigned char> elements_of_parameters(cl_kernel object) {
  cl_uint count = 0;
  clGetKernelInfo(object, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr);
  std::vector<unsigned char> elements(count);
  for (cl_uint i = 0; i < count; ++i) {
    elements[i] = elements_for(parameter_type(object, i));
  }
  return elements;
}

/// Throws std::invalid_argument for a matrix whose elements are not the parameter's.
FUSECL_INLINE void check_elements(kernel& target, cl_kernel object, const kernel_argument* arguments,
                                  std::size_t count) {
  const std::vector<unsigned char>& elements = target.parameters(object, elements_of_parameters);
  for (std::size_t i = 0; i < std::min(count, elements.size()); ++i) {
    const kernel_argument& given = arguments[i];
    if (!given.has_element || (elements[i] >> static_cast<int>(given.element) & 1) != 0) [[likely]] {
      continue;
    }
    const std::string number = std::to_string(i);
    throw std::invalid_argument("kernel " + target.function() + ": argument " + number +
                                " (counted from 0) is a matrix of " + std::string(cpp_name(given.element)) +
                                ", the kernel's parameter is " +
                                parameter_type(object, static_cast<cl_uint>(i)));
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
  check_elements(target, object, arguments, count);
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
