#pragma once
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
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

/// Whether a source defines a macro by itself.
inline bool defines(std::string_view source, std::string_view name) {
  constexpr std::string_view blanks = " \t", directive = "define";
  for (std::size_t at = source.find(directive); at != std::string_view::npos;
       at = source.find(directive, at)) {
    at += directive.size();
    const std::size_t word = source.find_first_not_of(blanks, at);
    if (word != std::string_view::npos && word > at && source.substr(word).starts_with(name) &&
        text::has_word(source.substr(word, name.size() + 1), name))
      return true;
  }
  return false;
}

FUSECL_INLINE void add_known_macros(std::vector<std::pair<std::string, std::string>>& definitions,
                                    std::string_view source) {
  const std::size_t given = definitions.size();
  for (const auto& [name, value] : known_kernel_macros) {
    const auto is_this = [&name = name](const auto& each) { return each.first == name; };
    if (text::has_word(source, name) && !defines(source, name) &&
        std::none_of(definitions.data(), definitions.data() + given, is_this))
      definitions.emplace_back(name, std::to_string(value));
  }
}

FUSECL_INLINE int macro_of(const program_request& request, std::string_view name) {
  const std::string definition = text::fill(" -D {}=", {name});
  const std::size_t at = request.options.find(definition);
  if (at != std::string::npos) return std::stoi(request.options.substr(at + definition.size()));
  for (const kernel_macro& known : known_kernel_macros)
    if (known.name == name) return known.value;
  throw std::out_of_range(text::fill("kernel_cl {}: there is no macro {}", {request.name, name}));
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

/// A number in OpenCL C: the elements whose matrices its pointers take, and what it is as a parameter.
struct opencl_number {
  std::string_view name;
  unsigned char elements;
  parameter_form form;
};
inline const opencl_number* find_number(std::string_view name) {
  constexpr auto bit = [](scalar_type type) {
    return static_cast<unsigned char>(1u << static_cast<int>(type));
  };
  constexpr unsigned char int_or_uint = bit(scalar_type::int32) | bit(scalar_type::uint32);
  constexpr unsigned char byte = bit(scalar_type::boolean);
  constexpr unsigned char wide = bit(scalar_type::int64);
  using form = parameter_form;
  static constexpr opencl_number numbers[] = {{"char", byte, {form::whole, 1}},
                                              {"uchar", byte, {form::whole, 1}},
                                              {"unsigned char", byte, {form::whole, 1}},
                                              {"bool", byte, {}},
                                              {"short", 0, {form::whole, 2}},
                                              {"ushort", 0, {form::whole, 2}},
                                              {"unsigned short", 0, {form::whole, 2}},
                                              {"int", int_or_uint, {form::whole, 4}},
                                              {"uint", int_or_uint, {form::whole, 4}},
                                              {"unsigned int", int_or_uint, {form::whole, 4}},
                                              {"long", wide, {form::whole, 8}},
                                              {"ulong", wide, {form::whole, 8}},
                                              {"unsigned long", wide, {form::whole, 8}},
                                              {"half", 0, {form::floating, 2}},
                                              {"float", bit(scalar_type::float32), {form::floating, 4}},
                                              {"double", bit(scalar_type::float64), {form::floating, 8}}};
  for (const opencl_number& each : numbers)
    if (each.name == name) return &each;
  return nullptr;
}

FUSECL_INLINE unsigned char elements_for(std::string_view parameter_type) {
  constexpr unsigned char all = 0xff;
  if (!parameter_type.ends_with('*')) return all;
  parameter_type.remove_suffix(1);
  const std::size_t last = parameter_type.find_last_not_of("0123456789 ");  // of a vector: its width
  const opencl_number* to =
      find_number(parameter_type.substr(0, last == std::string_view::npos ? 0 : last + 1));
  return to != nullptr ? to->elements : all;
}

FUSECL_INLINE parameter_form form_of_parameter(std::string_view parameter_type) {
  if (parameter_type.ends_with('*')) return {parameter_form::pointer, 0};
  const opencl_number* number = find_number(parameter_type);
  return number != nullptr ? number->form : parameter_form{};
}

/// A parameter's type in OpenCL C; empty where the driver does not know.
FUSECL_INLINE std::string parameter_type(cl_kernel object, cl_uint index) {
  return info_text([&](std::size_t bytes, char* to, std::size_t* length) {
    return clGetKernelArgInfo(object, index, CL_KERNEL_ARG_TYPE_NAME, bytes, to, length);
  });
}

/// elements_for, kind and bytes of each parameter of a kernel, one after another.
inline constexpr std::size_t facts_of_parameter = 3;
FUSECL_INLINE list_of<unsigned char> facts_of_parameters(cl_kernel object) {
  cl_uint count = 0;
  clGetKernelInfo(object, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr);
  list_of<unsigned char> facts;
  for (cl_uint i = 0; i < count; ++i) {
    const std::string type = parameter_type(object, i);
    const parameter_form form = form_of_parameter(type);
    facts.push_back(elements_for(type));
    facts.push_back(form.is);
    facts.push_back(form.bytes);
  }
  return facts;
}

/// Whether an argument can be that of a parameter of this form.
inline bool fits(const kernel_argument& given, unsigned char kind, unsigned char bytes) {
  if (kind == parameter_form::unknown) return true;
  if (kind == parameter_form::pointer) return given.bytes == nullptr;
  return given.bytes != nullptr && given.size == bytes &&
         given.floating == (kind == parameter_form::floating);
}

inline std::string text_of(const unfit_number& given) {
  if (given.is != unfit_number::floating)
    return (given.is == unfit_number::negative ? "-" : "") + std::to_string(given.whole);
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", given.number);
  return text;
}

/// "in_buffer, int, float": what kernel_cl was told.
inline std::string listed(const kernel_argument* arguments, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + std::string(arguments[i].given_as);
  return list;
}
/// The types of a kernel's parameters; empty where the driver does not know them.
inline std::string list_of_parameters(cl_kernel object, std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string type = parameter_type(object, static_cast<cl_uint>(i));
    if (type.empty()) return {};
    list += (i == 0 ? "" : ", ") + type;
  }
  return list;
}

/// Throws std::invalid_argument where a kernel_cl has not as many parameters as the kernel, or one of another
/// kind, or is given a matrix whose elements are not the parameter's or a number that its type does not have.
FUSECL_INLINE void check_arguments(kernel& target, cl_kernel object, const kernel_argument* arguments,
                                   std::size_t count) {
  const list_of<unsigned char>& facts = target.parameters(object, facts_of_parameters);
  if (const std::size_t wanted = facts.size() / facts_of_parameter; wanted != count) {
    const std::string types = list_of_parameters(object, wanted);
    throw std::invalid_argument("kernel " + target.function() + " has " + std::to_string(wanted) +
                                " parameters" + (types.empty() ? "" : " (" + types + ")") + ", kernel_cl<" +
                                listed(arguments, count) + "> has " + std::to_string(count) +
                                ": one template argument per parameter of the kernel, in their order");
  }
  const auto refuse = [&](std::size_t i, const std::string& what) {
    throw std::invalid_argument("kernel " + target.function() + ": argument " + std::to_string(i) +
                                " (counted from 0) is " + what + ", the kernel's parameter is " +
                                parameter_type(object, static_cast<cl_uint>(i)));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const kernel_argument& given = arguments[i];
    const unsigned char* known = facts.data() + i * facts_of_parameter;
    if (!fits(given, known[1], known[2])) [[unlikely]]
      refuse(i, std::string(given.given_as) + " in kernel_cl<...>");
    if (given.unfit.is != unfit_number::none) [[unlikely]]
      throw std::invalid_argument("kernel " + target.function() + ": argument " + std::to_string(i) +
                                  " (counted from 0) is " + text_of(given.unfit) +
                                  ", which is no number of type " + given.given_as);
    if (given.has_element && (known[0] >> static_cast<int>(given.element) & 1) == 0) [[unlikely]]
      refuse(i, "a matrix of " + std::string(cpp_name(given.element)));
  }
}

/// Throws std::invalid_argument for ranges that no launch can have.
inline void check_ranges(const kernel& target, const cl::NDRange& global, const cl::NDRange& local) {
  if (global.dimensions() == 0)
    throw std::invalid_argument("kernel " + target.function() +
                                ": the global size has no dimension; write cl::NDRange(n), of n work-items");
  if (local.dimensions() != 0 && local.dimensions() != global.dimensions())
    throw std::invalid_argument("kernel " + target.function() + ": the global size has " +
                                std::to_string(global.dimensions()) + " dimensions, the local size has " +
                                std::to_string(local.dimensions()));
}

/// Launches, and gives the event that is reached with it.
inline cl::Event launch_with_event(kernel& target, unsigned dims, const std::size_t* global,
                                   const std::size_t* local) {
  thread_queue& queue = this_thread_queue();
  if (queue.shared()) {  // what another thread launches meanwhile is not of this list
    target.launch(dims, global, local);
    return queue.marker();
  }
  list_of<cl_event> events;
  {
    const noted_events of_this(queue, events);
    target.launch(dims, global, local);
  }
  if (events.empty()) return queue.marker();  // launched at the second attempt
  return cl::Event(events.back());
}

FUSECL_INLINE cl::Event launch_with_arguments(kernel& target, const kernel_sizes& sizes,
                                              const cl::NDRange& global, const cl::NDRange& local,
                                              const kernel_argument* arguments, std::size_t count) {
  check_ranges(target, global, local);
  const auto dims = static_cast<unsigned>(global.dimensions());
  const std::size_t* global_sizes = global;
  if (std::find(global_sizes, global_sizes + dims, std::size_t{0}) != global_sizes + dims) {
    return {};
  }
  thread_queue& queue = this_thread_queue();
  const statement_in_work in_work(queue);
  cl_kernel object = target.handle();
  check_arguments(target, object, arguments, count);
  sizes.check(target.function(), arguments, count);
  std::size_t local_sizes[3] = {1, 1, 1};
  if (local.dimensions() != 0) {
    const std::size_t* given = local;
    std::copy(given, given + local.dimensions(), local_sizes);
  } else {
    choose_local_size(object, dims, global_sizes, local_sizes);
  }
  if (preparing) [[unlikely]]
    return {};
  // only now: a kernel that cannot be built leaves the matrices as they are
  for (std::size_t i = 0; i < count; ++i) {
    if (arguments[i].writes && arguments[i].make_writable != nullptr) {
      arguments[i].make_writable(arguments[i].matrix);
    }
  }
  // before they are set: these say which matrix is of another selection, some drivers only that one is
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
      throw_opencl(code, "setting argument " + std::to_string(i) + " (counted from 0, " + argument.given_as +
                             ") of kernel " + target.function());
    }
  }
  return launch_with_event(target, dims, global_sizes, local_sizes);
}

}  // namespace fusecl::runtime
