#pragma once
#include <string>
#include <vector>

#include <fusion/base/fill.hpp>
#include <fusion/base/ptx.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/tensor_cores.hpp>
#include <fusion/runtime/trial.hpp>

namespace fusecl::runtime {
namespace detail {

// A warp adds `rounds` times the product of a 16 x 4 matrix, A(i, k) = 1 + i + 3 k, and a 4 x 8 one, B(k, j)
// = 1 + k j, to `units` matrices of 16 x 8, of which number u begins with elements u. All sums are exact.
inline constexpr int multiplied_items = 256, multiplied_rounds = 128, multiplied_units = 8;

inline double multiplied_sum(int row, int col, int unit) {
  int product = 0;
  for (int k = 0; k < 4; ++k) product += (1 + row + 3 * k) * (1 + k * col);
  return unit + multiplied_rounds * product;
}

/// What a work-item does in a round of unit `u`.
inline std::string round_by(multiplies_by what) {
  if (what == multiplies_by::work_items)
    return "      for (int k = 0; k < 4; ++k)\n"
           "        for (int q = 0; q < 4; ++q) c[u][q] = fma(a[q / 2][k], b[k][q % 2], c[u][q]);\n";
  return text::fill(
      "      asm volatile(\"{}\"\n"
      "                   : \"+d\"(c[u][0]), \"+d\"(c[u][1]), \"+d\"(c[u][2]), \"+d\"(c[u][3])\n"
      "                   : \"d\"((double)(1 + down + 3 * across)), \"d\"((double)(9 + down + 3 * across)),\n"
      "                     \"d\"((double)(1 + across * down)));\n",
      {ptx::multiply_unit});
}

inline std::string multiplying_kernel(multiplies_by what) {
  return text::fill(
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "kernel __attribute__((reqd_work_group_size({}, 1, 1))) void fusecl_try_multiplying(global double* "
      "sums) {\n"
      "  const int down = get_local_id(0) % 32 / 4, across = get_local_id(0) % 4;\n"
      "  double a[2][4], b[4][2], c[{}][4];\n"
      "  for (int k = 0; k < 4; ++k)\n"
      "    for (int q = 0; q < 2; ++q) {\n"
      "      a[q][k] = 1 + down + 8 * q + 3 * k;\n"
      "      b[k][q] = 1 + k * (2 * across + q);\n"
      "    }\n"
      "  for (int u = 0; u < {}; ++u)\n"
      "    for (int q = 0; q < 4; ++q) c[u][q] = u;\n"
      "#pragma unroll 1\n"
      "  for (int round = 0; round < {}; ++round) {\n"
      "#pragma unroll\n"
      "    for (int u = 0; u < {}; ++u) {\n"
      "{}"
      "    }\n"
      "  }\n"
      "  for (int u = 0; u < {}; ++u)\n"
      "    for (int q = 0; q < 4; ++q) sums[(get_global_id(0) * {} + u) * 4 + q] = c[u][q];\n"
      "}\n",
      {multiplied_items, multiplied_units, multiplied_units, multiplied_rounds, multiplied_units,
       round_by(what), multiplied_units, multiplied_units});
}

}  // namespace detail

FUSECL_INLINE bool are_multiplied(const std::vector<double>& sums) {
  for (std::size_t place = 0; place < sums.size(); ++place) {
    const auto q = static_cast<int>(place % 4), unit = static_cast<int>(place / 4 % detail::multiplied_units),
               lane = static_cast<int>(place / 4 / detail::multiplied_units % 32);
    if (sums[place] != detail::multiplied_sum(lane / 4 + 8 * (q / 2), lane % 4 * 2 + q % 2, unit))
      return false;
  }
  return true;
}

FUSECL_INLINE std::optional<double> time_multiplication(cl_context context, cl_device_id device,
                                                        multiplies_by what, unsigned compute_units) {
  std::vector<double> sums(std::size_t{compute_units} * detail::multiplied_items * detail::multiplied_units *
                           4);
  const trial tried{detail::multiplying_kernel(what), "fusecl_try_multiplying", compute_units,
                    detail::multiplied_items};
  double seconds = 0;
  if (!run_trial(context, device, tried, sums.data(), sums.size() * sizeof(double), &seconds) ||
      !are_multiplied(sums))
    return std::nullopt;
  return seconds;
}

FUSECL_INLINE bool has_fast_tensor_cores() {
  constexpr unsigned first_with_instructions = 90;
  const device_state state = selected();
  const known_device& known = state.known;
  const capabilities& device = known.entry.capabilities;
  if (device.nvidia_capability < first_with_instructions || !device.fp64) return false;
  const std::lock_guard lock(known.mutex);
  if (!known.tensor_cores_tried) {
    const cl::Context context = context_of(state);
    if (context() == nullptr) return false;  // another device is being selected
    const auto time = [&](multiplies_by what) {
      return time_multiplication(context(), known.entry.device(), what, device.compute_units);
    };
    // work-items first: clocks that are still low then do not speak against tensor cores
    const auto by_work_items = time(multiplies_by::work_items),
               by_tensor_cores = time(multiplies_by::tensor_cores);
    known.has_fast_tensor_cores = by_tensor_cores && by_work_items && *by_tensor_cores < *by_work_items;
    known.tensor_cores_tried = true;
  }
  return known.has_fast_tensor_cores;
}

}  // namespace fusecl::runtime
