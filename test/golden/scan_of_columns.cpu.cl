#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(colwise_cumulative_sum(x0)) - x1
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_scan_73eb8efa(global double* restrict y0, global const double* restrict x0,
                         global const double* restrict x1, const long rows, const long cols,
                         const long parts, const long chunk, const long col_tile) {
  const long chunk_number = get_group_id(0) % (uint)parts;
  const long tile = get_group_id(0) / (uint)parts;
  const long begin = chunk_number * chunk, end = min(begin + chunk, rows);
  for (long j = tile * col_tile; j < min((tile + 1) * col_tile, cols); ++j) {
    double carry0 = 0.0;
    long i = begin;
    for (; i + 4 <= end; i += 4) {
      double4 scan0;
      {
        const long e = i + j * rows;
        const double4 x0_i = vload4(0, x0 + e);
        scan0 = x0_i;
      }
      scan0 = ((double4)(0.0, scan0.s0, scan0.s1, scan0.s2)) + scan0;
      scan0 = ((double4)(0.0, 0.0, scan0.s0, scan0.s1)) + scan0;
      const double4 r0 = (double4)(carry0) + scan0;
      carry0 = r0.s3;
      const long e = i + j * rows;
      const double4 x1_i = vload4(0, x1 + e);
      vstore4(exp(r0) - x1_i, 0, y0 + e);
    }
    for (; i < end; ++i) {
      double scan0;
      {
        const long e = i + j * rows;
        const double x0_i = x0[e];
        scan0 = x0_i;
      }
      const double r0 = carry0 + scan0;
      carry0 = r0;
      const long e = i + j * rows;
      const double x1_i = x1[e];
      y0[e] = exp(r0) - x1_i;
    }
  }
}
