#pragma once
#include <algorithm>
#include <cstdlib>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/pool.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {
namespace runtime {

inline FUSECL_SHARED std::mutex& selection_mutex() {
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

/// Makes a context and its device the selected ones. The caller holds `selection_mutex`.
FUSECL_INLINE device_state& start_selection(const device_entry& entry, cl::Context context,
                                            const cl::CommandQueue* adopted_queue = nullptr,
                                            unsigned queue_of = 0) {
  device_state* before = selected_state.load(std::memory_order_acquire);
  const std::uint64_t earliest = std::uint64_t{reinterpret_cast<std::uintptr_t>(&selected_state) >> 4}
                                 << selection_bits;
  const std::uint64_t generation = (before != nullptr ? before->generation : earliest) + 1;
  auto* state = new device_state{entry, generation, {}, std::move(context), before};
  if (adopted_queue != nullptr) {
    state->adopted = true;
    state->queue = *adopted_queue;
    state->queue_of = queue_of;
  }
  the_pool().start_generation(*state);
  selected_state.store(state, std::memory_order_release);
  selected_generation.store(generation, std::memory_order_release);
  if (before != nullptr) {
    const std::lock_guard lock(before->context_mutex);
    before->context = cl::Context();
    before->queue = cl::CommandQueue();
  }
  return *state;
}

/// The best device that passes the filter, which may be a user's: the caller holds no lock.
FUSECL_INLINE device_entry best_device(const device_filter& filter, const std::string& request) {
  const std::vector<device_entry> devices = list_devices();
  watch_the_end();
  if (devices.empty()) {
    throw no_device_error(
        "no OpenCL device found: install a driver, for a CPU the package pocl-opencl-icd (apt install "
        "pocl-opencl-icd), for a GPU its vendor's OpenCL driver. PoCL, where it is installed, offers no "
        "device "
        "if it cannot write to its cache, $XDG_CACHE_HOME/pocl or $HOME/.cache/pocl: set POCL_CACHE_DIR to a "
        "folder that can be written");
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

/// Makes a device the selected one, if it is not. The caller holds `selection_mutex`.
FUSECL_INLINE device_state& select(const device_entry& entry) {
  device_state* before = selected_state.load(std::memory_order_acquire);
  if (before != nullptr && !before->adopted && before->entry.device() == entry.device()) {
    return *before;
  }
  return start_selection(entry, make_context(entry));
}

FUSECL_INLINE device_state& select_by_default() {
  require_driver();
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

FUSECL_INLINE void select_anew() {
  const device_state& now = selected();
  const std::lock_guard lock(selection_mutex());
  start_selection(now.entry, make_context(now.entry));
}

/// A property of a command queue or context, of fixed size.
template <class Value, class Ask, class Object>
Value property_of(Ask ask, Object object, cl_uint name) {
  Value value{};
  check(ask(object, name, sizeof(value), &value, nullptr), "asking what was given to opencl_context.adopt");
  return value;
}

/// Throws std::invalid_argument unless the context has the device and the queue is of both, and in order.
FUSECL_INLINE void check_adoptable(const cl::Context& context, const cl::Device& device,
                                   const cl::CommandQueue& queue) {
  if (context() == nullptr || device() == nullptr) {
    throw std::invalid_argument("opencl_context.adopt: the context or the device is empty");
  }
  list_of<cl_device_id> devices(property_of<cl_uint>(clGetContextInfo, context(), CL_CONTEXT_NUM_DEVICES));
  check(clGetContextInfo(context(), CL_CONTEXT_DEVICES, devices.size() * sizeof(cl_device_id), devices.data(),
                         nullptr),
        "clGetContextInfo");
  if (std::find(devices.begin(), devices.end(), device()) == devices.end()) {
    throw std::invalid_argument("opencl_context.adopt: the context does not have the device " +
                                device_text(device(), CL_DEVICE_NAME));
  }
  if (queue() == nullptr) {
    return;
  }
  if (property_of<cl_context>(clGetCommandQueueInfo, queue(), CL_QUEUE_CONTEXT) != context() ||
      property_of<cl_device_id>(clGetCommandQueueInfo, queue(), CL_QUEUE_DEVICE) != device()) {
    throw std::invalid_argument("opencl_context.adopt: the queue is of another context or device");
  }
  const auto properties =
      property_of<cl_command_queue_properties>(clGetCommandQueueInfo, queue(), CL_QUEUE_PROPERTIES);
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
    throw std::invalid_argument(
        "opencl_context.adopt: the queue runs commands out of order; statements need one that keeps the "
        "order");
  }
}

}  // namespace runtime

FUSECL_INLINE cl::CommandQueue opencl_context_type::queue() const {
  return cl::CommandQueue(runtime::this_thread_queue().handle(), true);
}

FUSECL_INLINE std::string opencl_context_type::description() const {
  const fusecl::capabilities& c = capabilities();
  return text::fill(
      "platform: {}, {}\n"
      "device: {} ({}), {}, driver {}\n"
      "{}, {}, {} compute units, work-groups of at most {}, {} bytes of local memory\n"
      "{} bytes of memory, at most {} in one buffer\n",
      {c.platform, c.platform_version, c.name, c.vendor, c.version, c.driver, runtime::device_kind(c),
       c.fp64 ? "fp64" : "no fp64", c.compute_units, c.max_work_group, c.local_bytes, c.global_bytes,
       c.max_allocation});
}

FUSECL_INLINE void opencl_context_type::adopt(const cl::Context& context, const cl::Device& device,
                                              const cl::CommandQueue& queue) const {
  runtime::require_driver();
  runtime::watch_forks();
  runtime::check_adoptable(context, device, queue);
  const std::lock_guard lock(runtime::selection_mutex());
  const runtime::device_state* now = runtime::selected_state.load(std::memory_order_acquire);
  const bool same = now != nullptr && now->adopted && now->entry.device() == device() &&
                    runtime::context_of(*now)() == context();
  if (same &&
      (queue() == nullptr || (runtime::held_queue != nullptr && runtime::held_queue->handle() == queue()))) {
    return;
  }
  if (same) {
    runtime::own_queue().change_to(queue);
    return;
  }
  device_entry entry;
  entry.platform =
      cl::Platform(runtime::property_of<cl_platform_id>(clGetDeviceInfo, device(), CL_DEVICE_PLATFORM));
  entry.device = device;
  if (!runtime::is_usable(device())) {
    throw no_device_error("opencl_context.adopt: the device " +
                          runtime::device_text(device(), CL_DEVICE_NAME) +
                          " is not available or has no compiler");
  }
  entry.capabilities = runtime::ask_capabilities(entry.platform(), device());
  runtime::watch_the_end();
  runtime::start_selection(entry, context, &queue, runtime::own_queue().id());
}

FUSECL_INLINE tuning_options& opencl_context_type::tuning_opts() const {
  runtime::device_state& state = runtime::selected();
  const std::lock_guard lock(state.tuning_mutex);
  if (!state.is_tuned) state.tuning = runtime::tuned_for(state.entry.capabilities);
  state.is_tuned = true;
  return state.tuning;
}

FUSECL_INLINE void select_device(std::string_view name_part) { select_device(filter::name(name_part)); }

FUSECL_INLINE void select_device(const device_filter& filter) {
  runtime::require_driver();
  const device_entry best = runtime::best_device(filter, filter.text());
  const std::lock_guard lock(runtime::selection_mutex());
  runtime::select(best);
}

}  // namespace fusecl
