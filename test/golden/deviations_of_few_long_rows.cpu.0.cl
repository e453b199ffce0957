#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double4 larger_double4(double4 a, double4 b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double4 smaller_double4(double4 a, double4 b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double smaller_double(double a, double b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

// t0 = rowwise_max(x0)
// t1 = rowwise_min(x0)
// t2 = rowwise_sum(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_long_rows_c1670d2d(global char* all_parts, const long apart0,
                                  global const double* restrict x0, const long rows, const long cols,
                                  const long col_tile) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  global double* const p2 = (global double*)(all_parts + 2 * apart0);
  const long begin = (long)get_group_id(0) * col_tile;
  const long end = min(begin + col_tile, cols);
  double4 r0_v[6];
  double4 r1_v[6];
  double4 r2_v[6];
#pragma unroll
  for (int k = 0; k < 6; ++k) { r0_v[k] = (double)(-INFINITY); r1_v[k] = (double)(INFINITY); r2_v[k] = 0.0; }
  double r0_s[3];
  double r1_s[3];
  double r2_s[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) { r0_s[k] = (double)(-INFINITY); r1_s[k] = (double)(INFINITY); r2_s[k] = 0.0; }
  long j = begin;
  for (; j + 8 <= end; j += 8) {
    {
      const long first = j + 0;
      {
        const long j = first;
        {
          const long e = j * 3 + 0;
          const double4 x0_i = vload4(0, x0 + e);
          r0_v[0] = larger_double4(r0_v[0], x0_i);
          r1_v[0] = smaller_double4(r1_v[0], x0_i);
          r2_v[0] = r2_v[0] + x0_i;
        }
        {
          const long e = j * 3 + 4;
          const double4 x0_i = vload4(0, x0 + e);
          r0_v[1] = larger_double4(r0_v[1], x0_i);
          r1_v[1] = smaller_double4(r1_v[1], x0_i);
          r2_v[1] = r2_v[1] + x0_i;
        }
        {
          const long e = j * 3 + 8;
          const double4 x0_i = vload4(0, x0 + e);
          r0_v[2] = larger_double4(r0_v[2], x0_i);
          r1_v[2] = smaller_double4(r1_v[2], x0_i);
          r2_v[2] = r2_v[2] + x0_i;
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
          r0_v[3] = larger_double4(r0_v[3], x0_i);
          r1_v[3] = smaller_double4(r1_v[3], x0_i);
          r2_v[3] = r2_v[3] + x0_i;
        }
        {
          const long e = j * 3 + 4;
          const double4 x0_i = vload4(0, x0 + e);
          r0_v[4] = larger_double4(r0_v[4], x0_i);
          r1_v[4] = smaller_double4(r1_v[4], x0_i);
          r2_v[4] = r2_v[4] + x0_i;
        }
        {
          const long e = j * 3 + 8;
          const double4 x0_i = vload4(0, x0 + e);
          r0_v[5] = larger_double4(r0_v[5], x0_i);
          r1_v[5] = smaller_double4(r1_v[5], x0_i);
          r2_v[5] = r2_v[5] + x0_i;
        }
      }
    }
  }
  for (; j < end; ++j) {
    for (long i = 0; i < rows; ++i) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      r0_s[i] = larger_double(r0_s[i], x0_i);
      r1_s[i] = smaller_double(r1_s[i], x0_i);
      r2_s[i] = r2_s[i] + x0_i;
    }
  }
  r0_v[0] = larger_double4(r0_v[0], r0_v[3]);
  r1_v[0] = smaller_double4(r1_v[0], r1_v[3]);
  r2_v[0] = r2_v[0] + r2_v[3];
  r0_v[1] = larger_double4(r0_v[1], r0_v[4]);
  r1_v[1] = smaller_double4(r1_v[1], r1_v[4]);
  r2_v[1] = r2_v[1] + r2_v[4];
  r0_v[2] = larger_double4(r0_v[2], r0_v[5]);
  r1_v[2] = smaller_double4(r1_v[2], r1_v[5]);
  r2_v[2] = r2_v[2] + r2_v[5];
  double r0_all[12];
  vstore4(r0_v[0], 0, r0_all);
  vstore4(r0_v[1], 1, r0_all);
  vstore4(r0_v[2], 2, r0_all);
  double r1_all[12];
  vstore4(r1_v[0], 0, r1_all);
  vstore4(r1_v[1], 1, r1_all);
  vstore4(r1_v[2], 2, r1_all);
  double r2_all[12];
  vstore4(r2_v[0], 0, r2_all);
  vstore4(r2_v[1], 1, r2_all);
  vstore4(r2_v[2], 2, r2_all);
  for (long i = 0; i < rows; ++i) {
    double r0 = r0_s[i];
    double r1 = r1_s[i];
    double r2 = r2_s[i];
    for (long k = i; k < 12; k += rows) {
      r0 = larger_double(r0, r0_all[k]);
      r1 = smaller_double(r1, r1_all[k]);
      r2 = r2 + r2_all[k];
    }
    p0[i + get_group_id(0) * rows] = r0;
    p1[i + get_group_id(0) * rows] = r1;
    p2[i + get_group_id(0) * rows] = r2;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_long_rows_c1670d2d_finish(global double* restrict t0, global double* restrict t1,
                                         global double* restrict t2, global const char* all_parts,
                                         const long apart0, const long results, const long parts) {
  global const double* const p0 = (global const double*)all_parts;
  global const double* const p1 = (global const double*)(all_parts + 1 * apart0);
  global const double* const p2 = (global const double*)(all_parts + 2 * apart0);
  const long begin = (long)get_group_id(0) * 1024, end = min(begin + 1024, results);
  for (long i = begin; i < end; ++i) {
    double r0 = (double)(-INFINITY);
    double r1 = (double)(INFINITY);
    double r2 = 0.0;
    for (long part = 0; part < parts; ++part) {
      r0 = larger_double(r0, p0[i + part * results]);
      r1 = smaller_double(r1, p1[i + part * results]);
      r2 = r2 + (p2[i + part * results]);
    }
    t0[i] = r0;
    t1[i] = r1;
    t2[i] = r2;
  }
}
