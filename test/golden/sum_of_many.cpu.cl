#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sqrt(sum(x0 * x0)) / 2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_2131056f(global double* restrict y0, global double* p0, volatile global uint* arrivals,
                           global const double4* restrict x0, const long count, const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v[4];
  for (int k = 0; k < 4; ++k) r0_v[k] = 0.0;
  long first = begin;
  for (; first + 4 <= end; first += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const long i = first + k;
      const double4 x0_i = x0[i];
      r0_v[k] = r0_v[k] + (x0_i * x0_i);
    }
  }
  for (long i = first; i < end; ++i) {
    const double4 x0_i = x0[i];
    r0_v[0] = r0_v[0] + (x0_i * x0_i);
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
    const double u0 = sqrt(r0);
    const double u1 = u0 / 2.0;
    y0[0] = u1;
  }
}
