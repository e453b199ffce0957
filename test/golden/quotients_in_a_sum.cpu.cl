#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sum(log(x0) * ((x0 - 0.5) / s1) - 1 / x0 / s3 + x0 / s4)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_50ed8e90(global double* restrict y0, global double* p0, volatile global uint* arrivals,
                           global const double4* restrict x0, const double s1, const double s3,
                           const double s4, const long count, const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v = 0.0;
  for (long i = begin; i < end; ++i) {
    const double4 x0_i = x0[i];
    const double4 v0 = log(x0_i) * ((x0_i - 0.5) / s1) - 1.0 / x0_i / s3 + x0_i / s4;
    r0_v = r0_v + v0;
  }
  const double2 r0_2 = r0_v.lo + r0_v.hi;
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
    y0[0] = r0;
  }
}
