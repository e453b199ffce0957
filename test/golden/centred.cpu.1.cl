#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 - sum(x0) / s0
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_f3463ee5(global double4* restrict y0, global const double4* restrict x0,
                           global const double* restrict t0, const double s0, const long count,
                           const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  const double t0_0 = t0[0];
  const double u0 = t0_0 / s0;
  for (long i = begin; i < end; ++i) {
    const double4 x0_i = x0[i];
    y0[i] = x0_i - u0;
  }
}
