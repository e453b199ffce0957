#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = rowwise_sum(x0 * x0) - 1
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_long_rows_c4fc3ad5(global double* restrict y0, global double* p0,
                                  volatile global uint* arrivals, global const double* restrict x0,
                                  const long rows, const long cols, const long col_tile) {
  const long begin = (long)get_group_id(0) * col_tile;
  const long end = min(begin + col_tile, cols);
  double4 r0_v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) { r0_v[k] = 0.0; }
  double r0_s[1];
#pragma unroll
  for (int k = 0; k < 1; ++k) { r0_s[k] = 0.0; }
  long j = begin;
  for (; j + 16 <= end; j += 16) {
    {
      const long first = j + 0;
      {
        const long j = first;
        const long e = j;
        const double4 x0_i = vload4(0, x0 + e);
        r0_v[0] = r0_v[0] + (x0_i * x0_i);
      }
    }
    {
      const long first = j + 4;
      {
        const long j = first;
        const long e = j;
        const double4 x0_i = vload4(0, x0 + e);
        r0_v[1] = r0_v[1] + (x0_i * x0_i);
      }
    }
    {
      const long first = j + 8;
      {
        const long j = first;
        const long e = j;
        const double4 x0_i = vload4(0, x0 + e);
        r0_v[2] = r0_v[2] + (x0_i * x0_i);
      }
    }
    {
      const long first = j + 12;
      {
        const long j = first;
        const long e = j;
        const double4 x0_i = vload4(0, x0 + e);
        r0_v[3] = r0_v[3] + (x0_i * x0_i);
      }
    }
  }
  for (; j < end; ++j) {
    for (long i = 0; i < rows; ++i) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      r0_s[i] = r0_s[i] + (x0_i * x0_i);
    }
  }
  r0_v[0] = r0_v[0] + r0_v[1];
  r0_v[0] = r0_v[0] + r0_v[2];
  r0_v[0] = r0_v[0] + r0_v[3];
  double r0_all[4];
  vstore4(r0_v[0], 0, r0_all);
  for (long i = 0; i < rows; ++i) {
    double r0 = r0_s[i];
    for (long k = i; k < 4; k += rows) {
      r0 = r0 + r0_all[k];
    }
    p0[i + get_group_id(0) * rows] = r0;
    // the group that arrives last adds what all have left
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(arrivals) + 1 == get_num_groups(0)) {
      *arrivals = 0;
      r0 = 0.0;
      for (uint part = 0; part < get_num_groups(0); ++part) {
        r0 = r0 + p0[part];
      }
      y0[0] = r0 - 1.0;
    }
  }
}
