#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + x1
// y1 = x0 - x1
// y2 = exp(x0 * x2)
// y3 = sum(x0 + x2)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_a027c2fc(global double4* restrict y0, global double4* restrict y1,
                           global double4* restrict y2, global double* restrict y3,
                           global const double4* restrict x0, global const double4* restrict x1,
                           global const double4* restrict x2, const long count, const long chunk,
                           const long elements) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v = 0.0;
  for (long i = begin; i < end; ++i) {
    const long4 inside = (long4)(i * 4) + (long4)(0, 1, 2, 3) < elements;
    const double4 x0_i = x0[i];
    const double4 x1_i = x1[i];
    const double4 x2_i = x2[i];
    y0[i] = x0_i + x1_i;
    y1[i] = x0_i - x1_i;
    y2[i] = exp(x0_i * x2_i);
    r0_v = r0_v + (inside ? x0_i + x2_i : (double4)(0.0));
  }
  const double2 r0_2 = r0_v.lo + r0_v.hi;
  double r0 = r0_2.lo + r0_2.hi;
  y3[0] = r0;
}
