#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = rowwise_cumulative_sum(x0 + x1)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_scan_df11f926(global double* restrict y0, global const double* restrict x0,
                         global const double* restrict x1, const long rows, const long cols,
                         const long parts, const long chunk) {
  const long chunk_number = get_group_id(0) % (uint)parts;
  const long tile = get_group_id(0) / (uint)parts;
  const long begin = chunk_number * chunk, end = min(begin + chunk, cols);
  const long i_begin = tile * 1024, i_end = min(i_begin + 1024, rows);
  double4 r0_v[256];
  double r0_s[4];
  {
    long i = i_begin;
    for (int k = 0; i + 4 <= i_end; ++k, i += 4) {
      r0_v[k] = 0.0;
    }
    for (int k = 0; i < i_end; ++k, ++i) {
      r0_s[k] = 0.0;
    }
  }
  for (long j = begin; j < end; ++j) {
    long i = i_begin;
    for (int k = 0; i + 4 <= i_end; ++k, i += 4) {
      {
        const long e = i + j * rows;
        const double4 x0_i = vload4(0, x0 + e);
        const double4 x1_i = vload4(0, x1 + e);
        r0_v[k] = r0_v[k] + (x0_i + x1_i);
      }
      const double4 r0 = r0_v[k];
      const long e = i + j * rows;
      vstore4(r0, 0, y0 + e);
    }
    for (int k = 0; i < i_end; ++k, ++i) {
      {
        const long e = i + j * rows;
        const double x0_i = x0[e];
        const double x1_i = x1[e];
        r0_s[k] = r0_s[k] + (x0_i + x1_i);
      }
      const double r0 = r0_s[k];
      const long e = i + j * rows;
      y0[e] = r0;
    }
  }
}
