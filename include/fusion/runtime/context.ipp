#pragma once
#include <cstdlib>

#include <fusion/base/fill.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/pool.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {
namespace runtime {

FUSECL_INLINE std::mutex& selection_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

FUSECL_INLINE int preference(const capabilities& c) {
  return c.gpu ? (c.fp64 ? 5 : 4) : c.cpu ? (c.fp64 ? 3 : 2) : 1;
}

/// A variable's value, null if unset or empty.
FUSECL_INLINE const char* environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

struct environment_request {
  device_filter filter = filter::any();
  std::string text;  // of the variables that are set
};

FUSECL_INLINE environment_request request_from_environment() {
  environment_request request;
  const auto require = [&request](const char* variable, const char* value, device_filter wanted) {
    request.filter = request.filter && std::move(wanted);
    text::append(request.text, "{}{}={}", {request.text.empty() ? "" : ", ", variable, value});
  };
  if (const char* value = environment("OCL_DEVICE")) {
    require("OCL_DEVICE", value, filter::name(value));
  }
  if (const char* value = environment("OCL_PLATFORM")) {
    require("OCL_PLATFORM", value, filter::platform(value));
  }
  if (const char* value = environment("OCL_VENDOR")) {
    require("OCL_VENDOR", value, filter::vendor(value));
  }
  if (const char* value = environment("OCL_TYPE")) {
    try {
      require("OCL_TYPE", value, filter::type(value));
    } catch (const std::invalid_argument&) {
      throw error(text::fill("OCL_TYPE is \"{}\", expected CPU, GPU or ACCELERATOR", {value}));
    }
  }
  if (const char* value = environment("OCL_POSITION")) {
    const std::string_view digits = value;
    if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      throw error(text::fill("OCL_POSITION is \"{}\", expected a number from 0", {value}));
    }
    require("OCL_POSITION", value, filter::position(static_cast<std::size_t>(std::atol(value))));
  }
  return request;
}

FUSECL_INLINE cl::Context make_context(const device_entry& entry) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(entry.platform()), 0};
  cl_device_id device = entry.device();
  cl_int code = CL_SUCCESS;
  cl_context context = clCreateContext(properties, 1, &device, nullptr, nullptr, &code);
  if (code != CL_SUCCESS) {
    throw_opencl(code, "clCreateContext for device " + entry.capabilities.name);
  }
  return cl::Context(context);
}

/// The best device that passes the filter, which may be a user's: the caller holds no lock.
FUSECL_INLINE device_entry best_device(const device_filter& filter, const std::string& request) {
  const std::vector<device_entry> devices = list_devices();
  if (devices.empty()) {
    throw no_device_error(
        "no OpenCL device found: install a driver, for a CPU the package pocl-opencl-icd (apt install "
        "pocl-opencl-icd), for a GPU its vendor's OpenCL driver");
  }
  const device_entry* best = nullptr;
  for (std::size_t i : filter.matches(devices)) {
    if (best == nullptr || preference(devices[i].capabilities) > preference(best->capabilities)) {
      best = &devices[i];
    }
  }
  if (best == nullptr) {
    throw no_device_error("no OpenCL device matches " + request + "; there are:\n" + describe(devices));
  }
  return *best;
}

/// Makes a device the selected one. The caller holds `selection_mutex`.
FUSECL_INLINE device_state& select(const device_entry& entry) {
  cl::Context context = make_context(entry);
  device_state* before = selected_state.load(std::memory_order_acquire);
  const std::uint64_t generation = selected_generation.load(std::memory_order_relaxed) + 1;
  auto* state = new device_state{entry, generation, {}, std::move(context), before};
  the_pool().start_generation(*state);
  selected_state.store(state, std::memory_order_release);
  selected_generation.store(generation, std::memory_order_release);
  if (before != nullptr) {
    const std::lock_guard lock(before->context_mutex);
    before->context = cl::Context();
  }
  return *state;
}

FUSECL_INLINE device_state& select_by_default() {
  const std::lock_guard lock(selection_mutex());
  if (device_state* state = selected_state.load(std::memory_order_acquire)) {
    return *state;
  }
  const environment_request request = request_from_environment();
  return select(best_device(request.filter, request.text));
}

FUSECL_INLINE cl::Context context_of(const device_state& state) {
  const std::lock_guard lock(state.context_mutex);
  return state.context;
}

}  // namespace runtime

FUSECL_INLINE cl::CommandQueue opencl_context_type::queue() const {
  return cl::CommandQueue(runtime::this_thread_queue().handle(), true);
}

FUSECL_INLINE void select_device(std::string_view name_part) { select_device(filter::name(name_part)); }

FUSECL_INLINE void select_device(const device_filter& filter) {
  const device_entry best = runtime::best_device(filter, filter.text());
  const std::lock_guard lock(runtime::selection_mutex());
  runtime::select(best);
}

}  // namespace fusecl
