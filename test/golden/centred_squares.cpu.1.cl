#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// t1 = sum(x1)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_6b160e82(global double* restrict t1, global const double4* restrict x1, const long count,
                           const long chunk, const long elements) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v[4];
  for (int k = 0; k < 4; ++k) r0_v[k] = 0.0;
  long first = begin;
  for (; first + 4 <= end; first += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const long i = first + k;
      const long4 inside = (long4)(i * 4) + (long4)(0, 1, 2, 3) < elements;
      const double4 x1_i = x1[i];
      r0_v[k] = r0_v[k] + (inside ? x1_i : (double4)(0.0));
    }
  }
  for (long i = first; i < end; ++i) {
    const long4 inside = (long4)(i * 4) + (long4)(0, 1, 2, 3) < elements;
    const double4 x1_i = x1[i];
    r0_v[0] = r0_v[0] + (inside ? x1_i : (double4)(0.0));
  }
  r0_v[0] = r0_v[0] + r0_v[1];
  r0_v[2] = r0_v[2] + r0_v[3];
  r0_v[0] = r0_v[0] + r0_v[2];
  const double2 r0_2 = r0_v[0].lo + r0_v[0].hi;
  double r0 = r0_2.lo + r0_2.hi;
  t1[0] = r0;
}
