#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = colwise_cumulative_sum(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_scan_dd83782d(global double* p0, global const double4* restrict x0, const long rows,
                         const long cols, const long parts, const long chunk) {
  const long chunk_number = get_group_id(0) % (uint)parts;
  const long begin = chunk_number * chunk, end = min(begin + chunk, rows);
  {
    double4 r0_v = 0.0;
    long i = begin;
    for (; i < end; ++i) {
      const double4 x0_i = x0[i];
      r0_v = r0_v + x0_i;
    }
    const double2 r0_2 = r0_v.lo + r0_v.hi;
    double r0 = r0_2.lo + r0_2.hi;
    p0[chunk_number] = r0;
  }
}

// scans each chunk again, from what those before it amount to
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_scan_dd83782d_finish(global const double* p0, global double4* restrict y0,
                                global const double4* restrict x0, const long rows, const long cols,
                                const long parts, const long chunk) {
  const long chunk_number = get_group_id(0) % (uint)parts;
  const long begin = chunk_number * chunk, end = min(begin + chunk, rows);
  {
    double carry0 = 0.0;
    for (long part = 0; part < chunk_number; part += 1) {
      carry0 = carry0 + p0[part];
    }
    for (long i = begin; i < end; ++i) {
      double4 scan0;
      {
        const double4 x0_i = x0[i];
        scan0 = x0_i;
      }
      scan0 = ((double4)(0.0, scan0.s0, scan0.s1, scan0.s2)) + scan0;
      scan0 = ((double4)(0.0, 0.0, scan0.s0, scan0.s1)) + scan0;
      const double4 r0 = (double4)(carry0) + scan0;
      carry0 = r0.s3;
      y0[i] = r0;
    }
  }
}
