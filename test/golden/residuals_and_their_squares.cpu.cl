#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 - x1
// y1 = sum((x0 - x1) * (x0 - x1))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_7904b474(global double4* restrict y0, global double* restrict y1,
                           global const double4* restrict x0, global const double4* restrict x1,
                           const long count, const long chunk, const long elements) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v = 0.0;
  for (long i = begin; i < end; ++i) {
    const long4 inside = (long4)(i * 4) + (long4)(0, 1, 2, 3) < elements;
    const double4 x0_i = x0[i];
    const double4 x1_i = x1[i];
    const double4 v0 = x0_i - x1_i;
    y0[i] = v0;
    r0_v = r0_v + (inside ? v0 * v0 : (double4)(0.0));
  }
  const double2 r0_2 = r0_v.lo + r0_v.hi;
  double r0 = r0_2.lo + r0_2.hi;
  y1[0] = r0;
}
