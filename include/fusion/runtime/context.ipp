#pragma once
#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/base/per_thread.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/pool.hpp>
#include <fusion/runtime/queue.hpp>

namespace fusecl {
namespace runtime {

/// Held while a device is being selected.
inline FUSECL_SHARED std::mutex& selection_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

inline FUSECL_SHARED present_selection& selection_of_process() {
  static present_selection& selection = *new present_selection;
  return selection;
}
FUSECL_INLINE present_selection& the_selection() { return selection_of_process(); }

FUSECL_INLINE cl::CommandQueue present_selection::take_queue(unsigned of) {
  cl::CommandQueue found;
  erase_if(queues, [&](const adopted_queue& each) {
    if (each.of == of) found = each.queue;
    return each.of == of;
  });
  return found;
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
    require("OCL_POSITION", value, filter::position(std::atol(value)));
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
    throw_opencl(code, text::fill("clCreateContext for device {}", {entry.capabilities.name}));
  }
  return cl::Context(context);
}

/// The device as it was when it was selected before, or a new one. The caller holds `selection_mutex`, under
/// which all are made.
FUSECL_INLINE const known_device& known_as(const device_entry& entry) {
  const known_device*& latest = the_selection().devices;
  for (const known_device* each = latest; each != nullptr; each = each->earlier)
    if (each->entry.device() == entry.device() && each->entry.capabilities == entry.capabilities)
      return *each;
  latest = new known_device{entry, latest == nullptr ? 0 : latest->number + 1, latest};
  return *latest;
}

/// Makes a context and its device the selected ones, those of the program where `adopted` is not null. The
/// caller holds `selection_mutex`.
FUSECL_INLINE device_state start_selection(const device_entry& entry, cl::Context context,
                                           const adopted_queue* adopted = nullptr) {
  const known_device& device = known_as(entry);
  present_selection& present = the_selection();
  const std::uint64_t earliest = std::uint64_t{reinterpret_cast<std::uintptr_t>(&selected_device) >> 4}
                                 << selection_bits;
  const std::uint64_t generation = (present.generation != 0 ? present.generation : earliest) + 1;
  const device_state state{device, device.entry, generation};
  the_pool().start_generation(state);
  {
    const std::lock_guard lock(device.mutex);
    device.is_tuned = false;
  }
  list_of<adopted_queue> queues;
  if (adopted != nullptr && adopted->queue() != nullptr) queues.push_back(*adopted);
  {
    const std::lock_guard lock(present.mutex);
    present.generation = generation;
    std::swap(present.context, context);
    present.adopted = adopted != nullptr;
    std::swap(present.queues, queues);
    selected_generation.store(being_selected, std::memory_order_relaxed);
    selected_device.store(&device, std::memory_order_release);
    selected_generation.store(generation, std::memory_order_release);
  }
  return state;  // and lets go of what was selected before
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
    throw no_device_error(
        text::fill("no OpenCL device matches {}; there are:\n{}", {request, describe(devices)}));
  }
  return *best;
}

/// The device with this number of the platform with this number; null if there is none.
FUSECL_INLINE cl_device_id device_by_number(int platform, int device) {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || platform < 0 ||
      static_cast<cl_uint>(platform) >= count) {
    return nullptr;
  }
  list_of<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  cl_platform_id of = platforms[static_cast<std::size_t>(platform)];
  if (clGetDeviceIDs(of, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || device < 0 ||
      static_cast<cl_uint>(device) >= count) {
    return nullptr;
  }
  list_of<cl_device_id> devices(count);
  check(clGetDeviceIDs(of, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), "clGetDeviceIDs");
  return devices[static_cast<std::size_t>(device)];
}

/// Whether the device is the selected one. The caller holds `selection_mutex`.
inline bool is_selected(cl_device_id device) {
  const known_device* now = selected_device.load(std::memory_order_acquire);
  return now != nullptr && now->entry.device() == device;
}

/// Makes a device the selected one, if it is not. The caller holds `selection_mutex`.
FUSECL_INLINE device_state select(const device_entry& entry) {
  if (is_selected(entry.device()) && !the_selection().adopted) return selected();
  return start_selection(entry, make_context(entry));
}

FUSECL_INLINE device_state select_by_default() {
  require_driver();
  const std::lock_guard lock(selection_mutex());
  if (selected_device.load(std::memory_order_acquire) != nullptr) return selected();
  const environment_request request = request_from_environment();
  return select(best_device(request.filter, request.text));
}

FUSECL_INLINE cl::Context context_of(const device_state& state) {
  present_selection& present = the_selection();
  const std::lock_guard lock(present.mutex);
  return present.generation == state.generation ? present.context : cl::Context();
}

FUSECL_INLINE cl::Context living_context_of(const device_state& state) {
  cl::Context context = context_of(state);
  if (context() == nullptr) throw_overtaken(state.entry.capabilities);
  return context;
}

FUSECL_INLINE void throw_overtaken(const capabilities& device) {
  throw error(
      text::fill("the selection of device {} has ended: another thread made a selection while a statement of "
                 "this one was in work; evaluate it again",
                 {device.name}));
}

FUSECL_INLINE void select_anew() {
  selected();
  const std::lock_guard lock(selection_mutex());
  const device_state now = selected();
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

namespace runtime {

/// The handle of its type that the calling thread has been given last, which it keeps until the next or until
/// it ends.
template <class Handle>
Handle& kept_by_thread(Handle fresh) {
  static thread_local Handle* own = nullptr;
  Handle& handle = per_thread<Handle>::get(own);
  handle = std::move(fresh);
  return handle;
}

}  // namespace runtime

FUSECL_INLINE cl::CommandQueue& opencl_context_type::queue() const {
  return runtime::kept_by_thread(cl::CommandQueue(runtime::this_thread_queue().handle(), true));
}

FUSECL_INLINE cl::Context& opencl_context_type::context() const {
  return runtime::kept_by_thread(runtime::context_of(runtime::selected()));
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
  const bool same = runtime::is_selected(device()) && runtime::the_selection().adopted &&
                    runtime::the_selection().context() == context();
  if (same) {
    const runtime::thread_queue* const held = runtime::held_queue;
    const bool has_it = held != nullptr && held->handle() == queue() &&
                        held->generation() == runtime::the_selection().generation;
    if (queue() != nullptr && !has_it) runtime::own_queue().change_to(queue);
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
  const runtime::adopted_queue adopted{queue, runtime::own_queue().id()};
  runtime::start_selection(entry, context, &adopted);
}

FUSECL_INLINE tuning_options& opencl_context_type::tuning_opts() const {
  const runtime::known_device& device = runtime::selected().known;
  const std::lock_guard lock(device.mutex);
  if (!device.is_tuned) {
    const tuning_options read = runtime::tuned_for(device.entry.capabilities);
    for (const runtime::tuning_name& each : runtime::tuning_names) {
      const std::int64_t known = device.tuning_read.*each.option;
      // what is as it was is not written: other threads read it
      if (read.*each.option != known && device.tuning.*each.option == known)
        device.tuning.*each.option = read.*each.option;
    }
    device.tuning_read = read;
    device.is_tuned = true;
  }
  return device.tuning;
}

FUSECL_INLINE void opencl_context_type::select_device(int platform, int device) const {
  const std::vector<device_entry> devices = list_devices();
  const cl_device_id wanted = runtime::device_by_number(platform, device);
  const auto at = std::find_if(devices.begin(), devices.end(),
                               [&](const device_entry& each) { return each.device() == wanted; });
  if (at == devices.end()) {
    throw std::system_error(
        std::make_error_code(std::errc::no_such_device),
        text::fill("select_device: no OpenCL platform {} with a device {} that can be used; there are:\n{}",
                   {platform, device, describe(devices)}));
  }
  const std::lock_guard lock(runtime::selection_mutex());
  runtime::select(*at);
}

FUSECL_INLINE void select_device(std::string_view name_part) { select_device(filter::name(name_part)); }

FUSECL_INLINE void select_device(const device_filter& filter) {
  runtime::require_driver();
  const device_entry best = runtime::best_device(filter, filter.text());
  const std::lock_guard lock(runtime::selection_mutex());
  runtime::select(best);
}

}  // namespace fusecl
