#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sum((x0 - sum(x0) / s0) * (x0 - sum(x0) / s0)) / 2 - sum(x1)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_f25426ef(global double* restrict y0, global double* p0, volatile global uint* arrivals,
                           global const double4* restrict x0, global const double* restrict t0,
                           const double s0, global const double* restrict t1, const long count,
                           const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  const double t0_0 = t0[0];
  const double u0 = t0_0 / s0;
  double4 r0_v[4];
  for (int k = 0; k < 4; ++k) r0_v[k] = 0.0;
  long first = begin;
  for (; first + 4 <= end; first += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const long i = first + k;
      const double4 x0_i = x0[i];
      const double4 v1 = x0_i - u0;
      r0_v[k] = r0_v[k] + (v1 * v1);
    }
  }
  for (long i = first; i < end; ++i) {
    const double4 x0_i = x0[i];
    const double4 v2 = x0_i - u0;
    r0_v[0] = r0_v[0] + (v2 * v2);
  }
  r0_v[0] = r0_v[0] + r0_v[1];
  r0_v[2] = r0_v[2] + r0_v[3];
  r0_v[0] = r0_v[0] + r0_v[2];
  const double2 r0_2 = r0_v[0].lo + r0_v[0].hi;
  double r0 = r0_2.lo + r0_2.hi;
  p0[get_group_id(0)] = r0;
  // the group that arrives last adds what all have left
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(arrivals) + 1 == get_num_groups(0)) {
    *arrivals = 0;
    r0 = 0.0;
    for (uint part = 0; part < get_num_groups(0); ++part) {
      r0 = r0 + p0[part];
    }
    const double u0 = r0 / 2.0;
    const double t1_0 = t1[0];
    y0[0] = u0 - t1_0;
  }
}
