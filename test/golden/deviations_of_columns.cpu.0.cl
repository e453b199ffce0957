#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double4 larger_double4(double4 a, double4 b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double4 smaller_double4(double4 a, double4 b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double smaller_double(double a, double b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double2 larger_double2(double2 a, double2 b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double2 smaller_double2(double2 a, double2 b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

// t0 = colwise_max(x0)
// t1 = colwise_min(x0)
// t2 = colwise_sum(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_e71afef4(global double* restrict t0, global double* restrict t1,
                            global double* restrict t2, global const double* restrict x0, const long rows,
                            const long cols, const uint row_tiles, const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    double4 r0_v[4];
    for (int k = 0; k < 4; ++k) r0_v[k] = (double)(-INFINITY);
    double4 r1_v[4];
    for (int k = 0; k < 4; ++k) r1_v[k] = (double)(INFINITY);
    double4 r2_v[4];
    for (int k = 0; k < 4; ++k) r2_v[k] = 0.0;
    double r0_s = (double)(-INFINITY);
    double r1_s = (double)(INFINITY);
    double r2_s = 0.0;
    long first = tile_i * row_tile;
    for (; first + 16 <= i_end; first += 16) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const long i = first + 4 * k;
        const long e = i + j * rows;
        const double4 x0_i = vload4(0, x0 + e);
        r0_v[k] = larger_double4(r0_v[k], x0_i);
        r1_v[k] = smaller_double4(r1_v[k], x0_i);
        r2_v[k] = r2_v[k] + x0_i;
      }
    }
    long i = first;
    for (; i + 4 <= i_end; i += 4) {
      const long e = i + j * rows;
      const double4 x0_i = vload4(0, x0 + e);
      r0_v[0] = larger_double4(r0_v[0], x0_i);
      r1_v[0] = smaller_double4(r1_v[0], x0_i);
      r2_v[0] = r2_v[0] + x0_i;
    }
    for (; i < i_end; ++i) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      r0_s = larger_double(r0_s, x0_i);
      r1_s = smaller_double(r1_s, x0_i);
      r2_s = r2_s + x0_i;
    }
    r0_v[0] = larger_double4(r0_v[0], r0_v[1]);
    r1_v[0] = smaller_double4(r1_v[0], r1_v[1]);
    r2_v[0] = r2_v[0] + r2_v[1];
    r0_v[2] = larger_double4(r0_v[2], r0_v[3]);
    r1_v[2] = smaller_double4(r1_v[2], r1_v[3]);
    r2_v[2] = r2_v[2] + r2_v[3];
    r0_v[0] = larger_double4(r0_v[0], r0_v[2]);
    r1_v[0] = smaller_double4(r1_v[0], r1_v[2]);
    r2_v[0] = r2_v[0] + r2_v[2];
    const double2 r0_2 = larger_double2(r0_v[0].lo, r0_v[0].hi);
    double r0 = larger_double(larger_double(r0_2.lo, r0_2.hi), r0_s);
    const double2 r1_2 = smaller_double2(r1_v[0].lo, r1_v[0].hi);
    double r1 = smaller_double(smaller_double(r1_2.lo, r1_2.hi), r1_s);
    const double2 r2_2 = r2_v[0].lo + r2_v[0].hi;
    double r2 = (r2_2.lo + r2_2.hi) + r2_s;
    t0[j] = r0;
    t1[j] = r1;
    t2[j] = r2;
  }
}
