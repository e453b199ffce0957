#pragma once
// What the device reaches at best: a plain copy kernel and a kernel that only reads, each in several forms of
// which the fastest for a size counts.

#include "measure.hpp"

namespace fusecl::bench {

namespace detail {

using copy_kernel = kernel_cl<in_buffer, out_buffer, long, long>;

inline constexpr char ceiling_source[] = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void copy_one(global const T* x, global T* y, const long count, const long chunk) {
  const long i = get_global_id(0);
  if (i < count) y[i] = x[i];
}
kernel void copy_chunk(global const T* x, global T* y, const long count, const long chunk) {
  const long begin = get_global_id(0) * chunk, end = min(begin + chunk, count);
  for (long i = begin; i < end; ++i) y[i] = x[i];
}
kernel void read_chunk(global const T* x, global T* y, const long count, const long chunk) {
  const long begin = get_global_id(0) * chunk, end = min(begin + chunk, count);
  T r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  long i = begin;
  for (; i + 4 <= end; i += 4) { r0 += x[i]; r1 += x[i + 1]; r2 += x[i + 2]; r3 += x[i + 3]; }
  for (; i < end; ++i) r0 += x[i];
  y[get_global_id(0)] = (r0 + r1) + (r2 + r3);
}
kernel void read_group(global const T* x, global T* y, const long count, const long chunk) {
  const long begin = get_group_id(0) * chunk, end = min(begin + chunk, count);
  T r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  long i = begin + get_local_id(0);
  for (; i + 768 < end; i += 1024) { r0 += x[i]; r1 += x[i + 256]; r2 += x[i + 512]; r3 += x[i + 768]; }
  for (; i < end; i += 256) r0 += x[i];
  y[get_global_id(0)] = (r0 + r1) + (r2 + r3);
}
)";

struct ceiling_form {
  const char* kernel;
  int width;           ///< doubles per access
  std::int64_t chunk;  ///< accesses per work-item or group; 0: groups_per_unit says it
  std::int64_t groups_per_unit;
  std::size_t local;
};

inline constexpr std::size_t ceiling_array = 100;

/// The fastest of the forms for `elements` doubles, as a function that launches it once.
inline std::function<void()> fastest(const std::vector<ceiling_form>& forms, std::int64_t elements,
                                     std::int64_t results) {
  const auto x = std::make_shared<matrix_cl<double>>(random_matrix(ceiling_array, elements));
  const auto y = std::make_shared<matrix_cl<double>>(results > 0 ? results : elements, 1);
  std::function<void()> best;
  double best_seconds = 0;
  for (const ceiling_form& form : forms) {
    const std::string type =
        "#define T double" + std::string(form.width > 1 ? std::to_string(form.width) : "") + "\n";
    const auto kernel = std::make_shared<copy_kernel>(
        form.kernel, std::initializer_list<std::string_view>{type, ceiling_source});
    const std::int64_t count = elements / form.width;
    const auto units = static_cast<std::int64_t>(opencl_context.capabilities().compute_units);
    std::int64_t chunk = form.chunk;
    if (chunk == 0)
      chunk = std::max<std::int64_t>(
          1, (count + units * form.groups_per_unit - 1) / (units * form.groups_per_unit));
    const auto walkers = static_cast<std::size_t>((count + chunk - 1) / chunk);
    const bool by_group = std::string_view(form.kernel) == "read_group";
    const std::size_t global =
        by_group ? walkers * form.local : (walkers + form.local - 1) / form.local * form.local;
    if (results > 0 && static_cast<std::int64_t>(global) * form.width > results) continue;
    const auto run = [=] { (*kernel)(cl::NDRange(global), cl::NDRange(form.local), *x, *y, count, chunk); };
    comparison quick;
    quick.add(form.kernel, runs_on::device, run);
    quick.measure(0.05);
    if (!best || quick.seconds() < best_seconds) best = run, best_seconds = quick.seconds();
  }
  return best;
}

/// The answer for the size asked for last stays, with its buffers, until another size is asked for.
template <int Kind>
std::function<void()> remembered(const std::vector<ceiling_form>& forms, std::int64_t elements,
                                 std::int64_t results) {
  static std::int64_t size = -1;
  static std::function<void()> known;
  if (size != elements) {
    known = nullptr;
    known = fastest(forms, elements, results);
    size = elements;
  }
  return known;
}

}  // namespace detail

/// Copies `bytes / 2` bytes from one buffer to another: `bytes` of traffic.
inline std::function<void()> copy_ceiling(double bytes) {
  const auto elements = std::max<std::int64_t>(8, static_cast<std::int64_t>(bytes / 16) / 8 * 8);
  static const std::vector<detail::ceiling_form> gpu = {{"copy_one", 2, 1, 0, 256},
                                                        {"copy_one", 1, 1, 0, 256}};
  static const std::vector<detail::ceiling_form> cpu = {{"copy_one", 1, 1, 0, 256},
                                                        {"copy_one", 8, 1, 0, 256},
                                                        {"copy_chunk", 8, 1024, 0, 1},
                                                        {"copy_chunk", 8, 0, 4, 1}};
  return detail::remembered<0>(opencl_context.capabilities().cpu ? cpu : gpu, elements, 0);
}

/// Reads `bytes` bytes.
inline std::function<void()> read_ceiling(double bytes) {
  const auto elements = std::max<std::int64_t>(8, static_cast<std::int64_t>(bytes / 8) / 8 * 8);
  static const std::vector<detail::ceiling_form> gpu = {
      {"read_group", 2, 0, 8, 256}, {"read_group", 2, 0, 16, 256}, {"read_group", 2, 0, 4, 256}};
  static const std::vector<detail::ceiling_form> cpu = {
      {"read_chunk", 8, 0, 4, 1}, {"read_chunk", 8, 0, 1, 1}, {"read_chunk", 8, 1024, 0, 1}};
  return detail::remembered<1>(opencl_context.capabilities().cpu ? cpu : gpu, elements, 1 << 22);
}

}  // namespace fusecl::bench
