#pragma once
#include <algorithm>
#include <stdexcept>

#include <fusion/base/fill.hpp>
#include <fusion/base/list_of.hpp>
#include <fusion/runtime/device.hpp>

namespace fusecl {
namespace runtime {

FUSECL_INLINE std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  return info_text([&](std::size_t bytes, char* to, std::size_t* length) {
    return clGetPlatformInfo(platform, what, bytes, to, length);
  });
}

FUSECL_INLINE std::string device_text(cl_device_id device, cl_device_info what) {
  return info_text([&](std::size_t bytes, char* to, std::size_t* length) {
    return clGetDeviceInfo(device, what, bytes, to, length);
  });
}

/// A property of fixed size; `otherwise` where the driver does not know it.
template <class T>
T device_value(cl_device_id device, cl_device_info what, T otherwise) {
  T value{};
  return clGetDeviceInfo(device, what, sizeof(T), &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

FUSECL_INLINE capabilities ask_capabilities(cl_platform_id platform, cl_device_id device) {
  capabilities found;
  found.platform = platform_text(platform, CL_PLATFORM_NAME);
  found.platform_version = platform_text(platform, CL_PLATFORM_VERSION);
  found.name = device_text(device, CL_DEVICE_NAME);
  found.vendor = device_text(device, CL_DEVICE_VENDOR);
  found.version = device_text(device, CL_DEVICE_VERSION);
  found.driver = device_text(device, CL_DRIVER_VERSION);
  found.extensions = device_text(device, CL_DEVICE_EXTENSIONS);
  const auto type = device_value<cl_device_type>(device, CL_DEVICE_TYPE, CL_DEVICE_TYPE_CPU);
  found.cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  found.gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  found.fp64 = found.extension("cl_khr_fp64") ||
               device_value<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG, 0) != 0;
  found.compute_units = std::max<cl_uint>(1, device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1));
  found.max_work_group = device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
  found.local_bytes = device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE, 0);
  found.max_allocation = device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
  found.global_bytes = device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  found.vector_double = device_value<cl_uint>(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 0);
  found.vector_float = device_value<cl_uint>(device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1);
  if (found.extension("cl_nv_device_attribute_query")) {
    constexpr cl_device_info major = 0x4000, minor = 0x4001;  // CL_DEVICE_COMPUTE_CAPABILITY_*_NV
    found.nvidia_capability =
        10 * device_value<cl_uint>(device, major, 0) + device_value<cl_uint>(device, minor, 0);
  }
  return found;
}

FUSECL_INLINE char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

FUSECL_INLINE bool contains_ignoring_case(std::string_view text, std::string_view part) {
  for (std::size_t at = 0; at + part.size() <= text.size(); ++at) {
    std::size_t same = 0;
    while (same < part.size() && lower_case(text[at + same]) == lower_case(part[same])) ++same;
    if (same == part.size()) return true;
  }
  return false;
}

FUSECL_INLINE std::string quoted(std::string_view label, std::string_view text) {
  return text::fill("{} \"{}\"", {label, text});
}

/// Devices of which a text contains a part, or of one kind.
class text_rule final : public device_filter::rule {
 public:
  text_rule(const char* label, std::string_view part, std::string capabilities::*of)
      : label_(label), part_(part), of_(of) {}
  FUSECL_INLINE void apply(const std::vector<device_entry>& devices, list_of<bool>& kept) const override {
    for (std::size_t i = 0; i < devices.size(); ++i)
      kept[i] = kept[i] && contains_ignoring_case(devices[i].capabilities.*of_, part_);
  }
  FUSECL_INLINE std::string text() const override { return quoted(label_, part_); }

 private:
  const char* label_;
  std::string part_;
  std::string capabilities::*of_;
};

class both_rule final : public device_filter::rule {
 public:
  both_rule(device_filter a, device_filter b) : a_(std::move(a)), b_(std::move(b)) {}
  FUSECL_INLINE void apply(const std::vector<device_entry>& devices, list_of<bool>& kept) const override {
    a_.apply(devices, kept);
    b_.apply(devices, kept);
  }
  FUSECL_INLINE std::string text() const override { return text::fill("{} and {}", {a_.text(), b_.text()}); }

 private:
  device_filter a_, b_;
};

class either_rule final : public device_filter::rule {
 public:
  either_rule(device_filter a, device_filter b) : a_(std::move(a)), b_(std::move(b)) {}
  FUSECL_INLINE void apply(const std::vector<device_entry>& devices, list_of<bool>& kept) const override {
    list_of<bool> by_a = kept;
    a_.apply(devices, by_a);
    b_.apply(devices, kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = kept[i] || by_a[i];
    }
  }
  FUSECL_INLINE std::string text() const override { return text::fill("({} or {})", {a_.text(), b_.text()}); }

 private:
  device_filter a_, b_;
};

class not_rule final : public device_filter::rule {
 public:
  explicit not_rule(device_filter a) : a_(std::move(a)) {}
  FUSECL_INLINE void apply(const std::vector<device_entry>& devices, list_of<bool>& kept) const override {
    list_of<bool> by_a = kept;
    a_.apply(devices, by_a);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = kept[i] && !by_a[i];
    }
  }
  FUSECL_INLINE std::string text() const override { return text::fill("not ({})", {a_.text()}); }

 private:
  device_filter a_;
};

class position_rule final : public device_filter::rule {
 public:
  explicit position_rule(std::size_t k) : k_(k) {}
  FUSECL_INLINE void apply(const std::vector<device_entry>&, list_of<bool>& kept) const override {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      kept[i] = kept[i] && seen++ == k_;
    }
  }
  FUSECL_INLINE std::string text() const override { return text::fill("position {}", {k_}); }

 private:
  std::size_t k_;
};

FUSECL_INLINE device_filter filter_of(const device_filter::rule* chosen) {
  return device_filter(std::shared_ptr<const device_filter::rule>(chosen));
}

FUSECL_INLINE bool is_usable(cl_device_id device) {
  return device_value<cl_bool>(device, CL_DEVICE_AVAILABLE, CL_FALSE) &&
         device_value<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE, CL_FALSE);
}

FUSECL_INLINE const char* device_kind(const capabilities& c) {
  return c.gpu ? "GPU" : c.cpu ? "CPU" : "ACCELERATOR";
}

}  // namespace runtime

FUSECL_INLINE bool capabilities::extension(std::string_view wanted) const {
  const std::string_view all = extensions;
  for (std::size_t at = all.find(wanted); at != std::string_view::npos; at = all.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || all[at - 1] == ' ') && (end == all.size() || all[end] == ' ')) {
      return !wanted.empty();
    }
  }
  return false;
}

FUSECL_INLINE std::vector<device_entry> list_devices() {
  runtime::require_driver();
  runtime::watch_forks();
  list_of<cl_platform_id> platforms, platform_of;
  list_of<cl_device_id> usable;
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(0, nullptr, &platform_count) == CL_SUCCESS) platforms.resize(platform_count);
  if (platform_count == 0 || clGetPlatformIDs(platform_count, platforms.data(), nullptr) != CL_SUCCESS)
    return {};
  for (cl_platform_id platform : platforms) {
    cl_uint device_count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count) != CL_SUCCESS ||
        device_count == 0) {
      continue;
    }
    list_of<cl_device_id> devices(device_count);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, device_count, devices.data(), nullptr) != CL_SUCCESS) {
      continue;
    }
    for (cl_device_id device : devices) {
      if (runtime::is_usable(device)) {
        usable.push_back(device);
        platform_of.push_back(platform);
      }
    }
  }
  std::vector<device_entry> found(usable.size());
  for (std::size_t k = 0; k < usable.size(); ++k) {
    found[k].platform = cl::Platform(platform_of[k]);
    found[k].device = cl::Device(usable[k], true);
    found[k].capabilities = runtime::ask_capabilities(platform_of[k], usable[k]);
  }
  return found;
}

FUSECL_INLINE std::string describe(const std::vector<device_entry>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const capabilities& c = devices[i].capabilities;
    text::append(text, "  {}: {} ({}, {}, {})\n",
                 {i, c.name, c.platform, runtime::device_kind(c), c.fp64 ? "fp64" : "no fp64"});
  }
  return text;
}

FUSECL_INLINE capabilities::operator std::string() const {
  return text::fill("{} ({}, {}, {}): {}\n",
                    {name, platform, runtime::device_kind(*this), fp64 ? "fp64" : "no fp64", extensions});
}

FUSECL_INLINE list_of<std::size_t> device_filter::matches(const std::vector<device_entry>& devices) const {
  list_of<bool> kept(devices.size(), true);
  apply(devices, kept);
  list_of<std::size_t> found;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) {
      found.push_back(i);
    }
  }
  return found;
}

FUSECL_INLINE device_filter operator&&(device_filter a, device_filter b) {
  return runtime::filter_of(new runtime::both_rule(std::move(a), std::move(b)));
}
FUSECL_INLINE device_filter operator||(device_filter a, device_filter b) {
  return runtime::filter_of(new runtime::either_rule(std::move(a), std::move(b)));
}
FUSECL_INLINE device_filter operator!(device_filter a) {
  return runtime::filter_of(new runtime::not_rule(std::move(a)));
}

namespace filter {

FUSECL_INLINE device_filter name(std::string_view part) {
  return runtime::filter_of(new runtime::text_rule("name", part, &capabilities::name));
}
FUSECL_INLINE device_filter platform(std::string_view part) {
  return runtime::filter_of(new runtime::text_rule("platform", part, &capabilities::platform));
}
FUSECL_INLINE device_filter vendor(std::string_view part) {
  return runtime::filter_of(new runtime::text_rule("vendor", part, &capabilities::vendor));
}
FUSECL_INLINE device_filter type(std::string_view kind) {
  std::string wanted(kind);
  for (char& each : wanted) each = runtime::lower_case(each);
  if (wanted != "cpu" && wanted != "gpu" && wanted != "accelerator")
    throw std::invalid_argument(
        text::fill("device type is \"{}\", expected CPU, GPU or ACCELERATOR", {kind}));
  bool (*const has)(const capabilities&) = wanted == "cpu" ? [](const capabilities& c) { return c.cpu; }
                                           : wanted == "gpu"
                                               ? [](const capabilities& c) { return c.gpu; }
                                               : [](const capabilities& c) { return !c.cpu && !c.gpu; };
  return device_filter::named(has, runtime::quoted("type", kind));
}
FUSECL_INLINE device_filter fp64() {
  return device_filter::named([](const capabilities& c) { return c.fp64; }, "fp64");
}
FUSECL_INLINE device_filter position(std::int64_t k) {
  if (k < 0)
    throw std::invalid_argument(text::fill("filter::position: the position ({}) must not be negative", {k}));
  return runtime::filter_of(new runtime::position_rule(static_cast<std::size_t>(k)));
}
FUSECL_INLINE device_filter any() {
  return device_filter::named([](const capabilities&) { return true; }, "any device");
}

}  // namespace filter
}  // namespace fusecl
