#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = rowwise_max(x0) - rowwise_min(x0) == 0 ? 0 : sqrt(rowwise_sum((x0 - broadcast(rowwise_sum(x0) / s2)) * (x0 - broadcast(rowwise_sum(x0) / s2))) / s3)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_long_rows_a4fef0a0(global double* p0, global const double* restrict x0,
                                  global const double* restrict t2, const double s2, const long rows,
                                  const long cols, const long col_tile) {
  const long begin = (long)get_group_id(0) * col_tile;
  const long end = min(begin + col_tile, cols);
  double4 r0_v[6];
#pragma unroll
  for (int k = 0; k < 6; ++k) { r0_v[k] = 0.0; }
  double r0_s[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) { r0_s[k] = 0.0; }
  long j = begin;
  for (; j + 8 <= end; j += 8) {
    {
      const long first = j + 0;
      {
        const long j = first;
        {
          const long e = j * 3 + 0;
          const double4 x0_i = vload4(0, x0 + e);
          const double4 t2_i = vload4(0, t2).s0120;
          const double4 v0 = x0_i - t2_i / s2;
          r0_v[0] = r0_v[0] + (v0 * v0);
        }
        {
          const long e = j * 3 + 4;
          const double4 x0_i = vload4(0, x0 + e);
          const double4 t2_i = vload4(0, t2).s1201;
          const double4 v1 = x0_i - t2_i / s2;
          r0_v[1] = r0_v[1] + (v1 * v1);
        }
        {
          const long e = j * 3 + 8;
          const double4 x0_i = vload4(0, x0 + e);
          const double4 t2_i = vload4(0, t2).s2012;
          const double4 v2 = x0_i - t2_i / s2;
          r0_v[2] = r0_v[2] + (v2 * v2);
        }
      }
    }
    {
      const long first = j + 4;
      {
        const long j = first;
        {
          const long e = j * 3 + 0;
          const double4 x0_i = vload4(0, x0 + e);
          const double4 t2_i = vload4(0, t2).s0120;
          const double4 v3 = x0_i - t2_i / s2;
          r0_v[3] = r0_v[3] + (v3 * v3);
        }
        {
          const long e = j * 3 + 4;
          const double4 x0_i = vload4(0, x0 + e);
          const double4 t2_i = vload4(0, t2).s1201;
          const double4 v4 = x0_i - t2_i / s2;
          r0_v[4] = r0_v[4] + (v4 * v4);
        }
        {
          const long e = j * 3 + 8;
          const double4 x0_i = vload4(0, x0 + e);
          const double4 t2_i = vload4(0, t2).s2012;
          const double4 v5 = x0_i - t2_i / s2;
          r0_v[5] = r0_v[5] + (v5 * v5);
        }
      }
    }
  }
  for (; j < end; ++j) {
    for (long i = 0; i < rows; ++i) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      const double t2_i = t2[i];
      const double v6 = x0_i - t2_i / s2;
      r0_s[i] = r0_s[i] + (v6 * v6);
    }
  }
  r0_v[0] = r0_v[0] + r0_v[3];
  r0_v[1] = r0_v[1] + r0_v[4];
  r0_v[2] = r0_v[2] + r0_v[5];
  double r0_all[12];
  vstore4(r0_v[0], 0, r0_all);
  vstore4(r0_v[1], 1, r0_all);
  vstore4(r0_v[2], 2, r0_all);
  for (long i = 0; i < rows; ++i) {
    double r0 = r0_s[i];
    for (long k = i; k < 12; k += rows) {
      r0 = r0 + r0_all[k];
    }
    p0[i + get_group_id(0) * rows] = r0;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_long_rows_a4fef0a0_finish(global double* restrict y0, global const double* p0,
                                         global const double* t0, global const double* t1, const double s3,
                                         const long results, const long parts) {
  const long begin = (long)get_group_id(0) * 1024, end = min(begin + 1024, results);
  for (long i = begin; i < end; ++i) {
    double r0 = 0.0;
    for (long part = 0; part < parts; ++part) {
      r0 = r0 + (p0[i + part * results]);
    }
    const double t0_i = t0[i];
    const double t1_i = t1[i];
    y0[i] = t0_i - t1_i == 0.0 ? 0.0 : sqrt(r0 / s3);
  }
}
