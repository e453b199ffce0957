#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 > x1 && x2 != 0 ? sqrt(x0) : -x1
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_6bc2dddf(global double4* restrict y0, global const double4* restrict x0,
                           global const double4* restrict x1, global const double4* restrict x2,
                           const long count, const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  for (long i = begin; i < end; ++i) {
    const double4 x0_i = x0[i];
    const double4 x1_i = x1[i];
    const double4 x2_i = x2[i];
    y0[i] = x0_i > x1_i && x2_i != 0.0 ? sqrt(x0_i) : -x1_i;
  }
}
