#pragma once
// What OpenCL devices exist, what they can do, and filters that pick among them.
// Selecting one and the objects that follow from it are in context.hpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fusion/base/list_of.hpp>
#include <fusion/runtime/cl.hpp>
#include <fusion/runtime/process.hpp>

namespace fusecl {

/// What the library wants to know about a device, asked from the driver once.
struct capabilities {
  std::string platform, platform_version, name, vendor, version, driver, extensions;
  bool cpu = false, gpu = false;
  bool fp64 = false;  ///< has double
  unsigned compute_units = 1;
  std::size_t max_work_group = 1;    ///< work-items
  std::uint64_t local_bytes = 0;     ///< local memory of a work-group
  std::uint64_t max_allocation = 0;  ///< bytes of the largest buffer
  std::uint64_t global_bytes = 0;
  unsigned vector_double = 1;      ///< preferred lanes of a double vector; 0 without fp64
  unsigned vector_float = 1;       ///< preferred lanes of a float vector
  unsigned nvidia_capability = 0;  ///< compute capability times ten (90 is 9.0), 0 if not NVIDIA

  /// True if the device lists the extension of exactly this name.
  bool extension(std::string_view wanted) const;

  /// Name, platform and kind in a line, and the extensions, where a text is wanted.
  operator std::string() const;
  bool operator==(const capabilities& other) const = default;
  friend bool operator==(const capabilities& a, const std::string& text) {
    return static_cast<std::string>(a) == text;
  }
};

namespace runtime {
/// Asks the driver for everything above.
capabilities ask_capabilities(cl_platform_id platform, cl_device_id device);
/// A text that the driver knows of the device; empty if it does not.
std::string device_text(cl_device_id device, cl_device_info what);
/// True if programs can be built for the device and run on it.
bool is_usable(cl_device_id device);
/// "GPU", "CPU" or "ACCELERATOR".
const char* device_kind(const capabilities& c);
}  // namespace runtime

/// One usable device with the platform it belongs to.
struct device_entry {
  cl::Platform platform;
  cl::Device device;
  fusecl::capabilities capabilities;
};

/// Every device that is available and has a compiler, in platform order. Empty when there is none; platforms
/// without devices, or the absence of any platform, are not errors.
std::vector<device_entry> list_devices();

/// One line per device: "0: name (platform, GPU, fp64)".
std::string describe(const std::vector<device_entry>& devices);

/// A choice among devices; composes with `&&`, `||` and `!`. In `a && b` the right side sees only what the
/// left side kept, so `filter::type("GPU") && filter::position(1)` is the second GPU.
class device_filter {
 public:
  /// What a filter does: unmarks, among the devices still marked in `kept`, those it does not want.
  class rule {
   public:
    virtual ~rule() = default;
    virtual void apply(const std::vector<device_entry>& devices, list_of<bool>& kept) const = 0;
    virtual std::string text() const = 0;
  };

  /// A user's own predicate on `capabilities`.
  template <class Predicate>
  requires std::is_invocable_r_v<bool, const Predicate&, const capabilities&> device_filter(
      Predicate predicate)  // NOLINT: a lambda is a filter
      : device_filter(std::make_shared<predicate_rule<Predicate>>(std::move(predicate), "a user predicate")) {
  }

  explicit device_filter(std::shared_ptr<const rule> chosen) : rule_(std::move(chosen)) {}

  /// A predicate with the text that error messages show for it.
  template <class Predicate>
  static device_filter named(Predicate predicate, std::string text) {
    return device_filter(std::make_shared<predicate_rule<Predicate>>(std::move(predicate), std::move(text)));
  }

  /// Indices of the devices that pass, in order.
  list_of<std::size_t> matches(const std::vector<device_entry>& devices) const;
  void apply(const std::vector<device_entry>& devices, list_of<bool>& kept) const {
    rule_->apply(devices, kept);
  }
  /// For messages: `name "h200" and fp64`.
  std::string text() const { return rule_->text(); }

  friend device_filter operator&&(device_filter a, device_filter b);
  friend device_filter operator||(device_filter a, device_filter b);
  friend device_filter operator!(device_filter a);

 private:
  template <class Predicate>
  class predicate_rule final : public rule {
   public:
    predicate_rule(Predicate predicate, std::string text)
        : predicate_(std::move(predicate)), text_(std::move(text)) {}
    void apply(const std::vector<device_entry>& devices, list_of<bool>& kept) const override {
      for (std::size_t i = 0; i < devices.size(); ++i) {
        kept[i] = kept[i] && predicate_(devices[i].capabilities);
      }
    }
    std::string text() const override { return text_; }

   private:
    Predicate predicate_;
    std::string text_;
  };

  std::shared_ptr<const rule> rule_;
};

/// Filters to hand to `select_device`. Names are parts of names, compared without regard to case.
namespace filter {
device_filter name(std::string_view part);
device_filter platform(std::string_view part);
device_filter vendor(std::string_view part);
/// "CPU", "GPU" or "ACCELERATOR" (anything that is neither); throws std::invalid_argument otherwise.
device_filter type(std::string_view kind);
device_filter fp64();
/// The k-th (from 0) of the devices that remain. Throws std::invalid_argument where k is negative.
device_filter position(std::int64_t k);
device_filter any();
}  // namespace filter

}  // namespace fusecl

#ifndef FUSECL_SPLIT
#include <fusion/runtime/device.ipp>
#endif
