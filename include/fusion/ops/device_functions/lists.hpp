#pragma once
// OpenCL C of sums over lists of elements, by one work-item or by several that share a list.

#include <fusion/ops/record.hpp>

namespace fusecl::device {

/// Four sums side by side, so that loads overlap. What is summed is `apart` elements from what comes next.
inline constexpr ir::device_function sum_of_segment{
    .name = "sum_of_segment",
    .text =
        R"($T sum_of_segment$S(global const $T* x, long apart, global const int* order, global const int* ends, long t) {
  long k = t > 0 ? ends[t - 1] : 0;
  const long end = ends[t];
  $T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (; k + 4 <= end; k += 4) {
    s0 += x[order[k] * apart];
    s1 += x[order[k + 1] * apart];
    s2 += x[order[k + 2] * apart];
    s3 += x[order[k + 3] * apart];
  }
  for (; k < end; ++k) s0 += x[order[k] * apart];
  return (s0 + s1) + (s2 + s3);
}
)"};
inline constexpr ir::device_function sum_of_run{
    .name = "sum_of_run",
    .text = R"($T sum_of_run$S(global const $T* x, long apart, global const int* ends, long t) {
  long k = t > 0 ? ends[t - 1] : 0;
  const long end = ends[t];
  $T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (; k + 4 <= end; k += 4) {
    s0 += x[k * apart];
    s1 += x[(k + 1) * apart];
    s2 += x[(k + 2) * apart];
    s3 += x[(k + 3) * apart];
  }
  for (; k < end; ++k) s0 += x[k * apart];
  return (s0 + s1) + (s2 + s3);
}
)"};

/// The sum of what the work-items that share a list have added, in `parts`, which may have been those of
/// another list before. All work-items of the group call it.
inline constexpr ir::device_function sum_of_parts{
    .name = "sum_of_parts", .text = R"($T sum_of_parts$S($T part, uint lane, uint lanes, local long* parts) {
  local $T* const own = (local $T*)parts + (get_local_id(0) - lane);
  barrier(CLK_LOCAL_MEM_FENCE);
  own[lane] = part;
  barrier(CLK_LOCAL_MEM_FENCE);
  $T sum = own[0];
  for (uint k = 1; k < lanes; ++k) sum += own[k];
  return sum;
}
)"};
inline constexpr ir::device_function shared_sum_of_segment{
    .name = "shared_sum_of_segment",
    .text =
        R"($T shared_sum_of_segment$S(global const $T* x, long apart, global const int* order, global const int* ends, long t, uint lane, uint lanes, local long* parts) {
  long k = (t > 0 ? ends[t - 1] : 0) + lane;
  const long end = ends[t];
  $T s0 = 0, s1 = 0;
  for (; k + lanes < end; k += 2 * lanes) {
    s0 += x[order[k] * apart];
    s1 += x[order[k + lanes] * apart];
  }
  if (k < end) s0 += x[order[k] * apart];
  return sum_of_parts$S(s0 + s1, lane, lanes, parts);
}
)",
    .uses = uses<sum_of_parts>};
inline constexpr ir::device_function shared_sum_of_run{
    .name = "shared_sum_of_run",
    .text =
        R"($T shared_sum_of_run$S(global const $T* x, long apart, global const int* ends, long t, uint lane, uint lanes, local long* parts) {
  long k = (t > 0 ? ends[t - 1] : 0) + lane;
  const long end = ends[t];
  $T s0 = 0, s1 = 0;
  for (; k + lanes < end; k += 2 * lanes) {
    s0 += x[k * apart];
    s1 += x[(k + lanes) * apart];
  }
  if (k < end) s0 += x[k * apart];
  return sum_of_parts$S(s0 + s1, lane, lanes, parts);
}
)",
    .uses = uses<sum_of_parts>};

}  // namespace fusecl::device
