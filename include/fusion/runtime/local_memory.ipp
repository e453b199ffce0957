#pragma once
#include <vector>

#include <fusion/base/fill.hpp>
#include <fusion/runtime/context.hpp>
#include <fusion/runtime/local_memory.hpp>
#include <fusion/runtime/trial.hpp>

namespace fusecl::runtime {

FUSECL_INLINE std::int64_t local_bytes_of_cuda(unsigned capability) {
  constexpr std::int64_t kb = 1024;
  switch (capability) {
    case 80:
    case 87:
      return 162 * kb;
    case 86:
    case 89:
      return 98 * kb;
    case 90:
      return 226 * kb;
    default:
      return 0;
  }
}

FUSECL_INLINE bool runs_with_local_bytes(cl_context context, cl_device_id device, std::int64_t bytes) {
  constexpr cl_uint groups = 4, items = 64;
  const auto words = static_cast<cl_uint>(bytes / 4);
  const std::string source = text::fill(
      "kernel __attribute__((reqd_work_group_size({}, 1, 1))) void fusecl_try_local_memory(global uint* "
      "sums) {\n"
      "  local uint room[{}];\n"
      "  const uint lane = get_local_id(0), group = get_group_id(0);\n"
      "  for (uint k = lane; k < {}; k += {}) room[k] = k * (group + 1);\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  uint sum = 0;\n"
      "  for (uint k = lane; k < {}; k += {}) sum += room[{} - k] ^ k;\n"
      "  sums[group * {} + lane] = sum;\n"
      "}\n",
      {items, words, words, items, words, items, words - 1, items});
  std::vector<cl_uint> found(std::size_t{groups} * items);
  const trial tried{source, "fusecl_try_local_memory", groups, items};
  if (!run_trial(context, device, tried, found.data(), found.size() * sizeof(cl_uint))) return false;
  for (cl_uint group = 0; group < groups; ++group)
    for (cl_uint lane = 0; lane < items; ++lane) {
      cl_uint sum = 0;
      for (cl_uint k = lane; k < words; k += items) sum += ((words - 1 - k) * (group + 1)) ^ k;
      if (found[std::size_t{group} * items + lane] != sum) return false;
    }
  return true;
}

FUSECL_INLINE std::int64_t shown_local_bytes() {
  const device_state state = selected();
  const known_device& known = state.known;
  const std::lock_guard lock(known.mutex);
  if (known.local_bytes_shown == 0) {
    const capabilities& device = known.entry.capabilities;
    const auto said = static_cast<std::int64_t>(device.local_bytes);
    const std::int64_t more = local_bytes_of_cuda(device.nvidia_capability);
    const cl::Context context = context_of(state);
    if (more > said && context() == nullptr) return said;  // another device is being selected
    const bool has_more = more > said && runs_with_local_bytes(context(), known.entry.device(), more);
    known.local_bytes_shown = has_more ? more : said;
  }
  return known.local_bytes_shown;
}

}  // namespace fusecl::runtime
