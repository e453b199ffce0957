#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sqrt(sum(x0 * x0)) / 2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_886015fb(global double* p0, global const double4* restrict x0, const long count, const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v = 0.0;
  for (long i = begin; i < end; ++i) {
    const double4 x0_i = x0[i];
    r0_v = r0_v + (x0_i * x0_i);
  }
  const double2 r0_2 = r0_v.lo + r0_v.hi;
  double r0 = r0_2.lo + r0_2.hi;
  p0[get_group_id(0)] = r0;
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_886015fb_finish(global double* restrict y0, global const double* p0, const long results, const long parts) {
  const long begin = (long)get_group_id(0) * 1024, end = min(begin + 1024, results);
  for (long i = begin; i < end; ++i) {
    double r0 = 0.0;
    for (long part = 0; part < parts; ++part) {
      r0 = r0 + (p0[i + part * results]);
    }
    y0[0] = sqrt(r0) / 2.0;
  }
}
