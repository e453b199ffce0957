#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double4 larger_double4(double4 a, double4 b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

// y0 = rowwise_max(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_rows_885b5b2e(global double* restrict y0, global const double* restrict x0, const long rows,
                         const long cols, const uint row_tiles, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_begin = tile_i * 1024, i_end = min(i_begin + 1024, rows);
  const long j_end = min((tile_j + 1) * col_tile, cols);
  double4 r0_v[256];
  double r0_s[4];
  for (int k = 0; k < 256; ++k) { r0_v[k] = (double)(-INFINITY); }
  for (int k = 0; k < 4; ++k) r0_s[k] = (double)(-INFINITY);
  for (long first = max(tile_j * col_tile, i_begin); first < j_end; first += 4) {
    const long i_last = min(i_end, first + 7);
    long i = i_begin;
    for (int k = 0; i + 4 <= i_last; ++k, i += 4) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const long j = first + c;
        if (j >= j_end) break;
        const long e = i + j * rows;
        const double4 x0_i = convert_long4(((int)i + (int4)(0, 1, 2, 3)) <= (int)j) ? vload4(0, x0 + e) : (double4)(0);
        r0_v[k] = larger_double4(r0_v[k], x0_i);
      }
    }
    i = i_begin + (i_end - i_begin) / 4 * 4;
    for (int k = 0; i < i_end; ++k, ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const long j = first + c;
        if (j >= j_end) break;
        const long e = i + j * rows;
        const double x0_i = ((int)i <= (int)j) ? (x0[e]) : 0.0;
        r0_s[k] = larger_double(r0_s[k], x0_i);
      }
    }
  }
  long i = i_begin;
  for (int k = 0; i + 4 <= i_end; ++k, i += 4) {
    double4 r0 = r0_v[k];
    r0 = convert_long4(((int)i + (int4)(0, 1, 2, 3)) > (cols > 0 ? 0 : INT_MAX)) ? larger_double4(r0, (double4)(0)) : r0;
    vstore4(r0, 0, y0 + i);
  }
  for (int k = 0; i < i_end; ++k, ++i) {
    double r0 = r0_s[k];
    r0 = ((int)i > (cols > 0 ? 0 : INT_MAX)) ? larger_double(r0, (double)(0)) : r0;
    y0[i] = r0;
  }
}
