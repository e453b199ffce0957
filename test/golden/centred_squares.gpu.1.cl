#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// t1 = sum(x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_3ea580c4(global double* restrict t1, global const double2* restrict x1, const long count,
                           const long chunk, const long elements, const uint first_stride) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double2 r0_v = 0.0;
  local double shared0[256];
  const uint lane = get_local_id(0);
#pragma unroll 4
  for (long i = begin + lane; i < end; i += 256) {
    const long2 inside = (long2)(i * 2) + (long2)(0, 1) < elements;
    const double2 x1_i = x1[i];
    r0_v = r0_v + (inside ? x1_i : (double2)(0.0));
  }
  double r0 = r0_v.lo + r0_v.hi;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride && lane + stride < 256) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (lane == 0) {
    t1[0] = r0;
  }
}
