static inline __attribute__((always_inline)) float8 larger_float8(float8 a, float8 b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) float larger_float(float a, float b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

// y0 = log(colwise_sum(exp(x0 - broadcast(x1)))) + colwise_max(x0) - x2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_short_columns_f366c1f7(global float* restrict y0, global const float* restrict x0,
                                  global const float* restrict x1, global const float* restrict x2,
                                  const long rows, const long cols, const long col_tile) {
  const long begin = (long)get_group_id(0) * col_tile;
  const long end = min(begin + col_tile, cols);
  long j = begin;
  for (; j + 8 <= end; j += 8) {
    float8 r0_v = 0.0f;
    float8 r1_v = (float)(-INFINITY);
    for (long i = 0; i < rows; ++i) {
      const float8 x0_i = (float8)(x0[i + (j + 0) * rows], x0[i + (j + 1) * rows], x0[i + (j + 2) * rows], x0[i + (j + 3) * rows], x0[i + (j + 4) * rows], x0[i + (j + 5) * rows], x0[i + (j + 6) * rows], x0[i + (j + 7) * rows]);
      const float8 x1_i = (float8)(x1[i]);
      r0_v = r0_v + (exp(x0_i - x1_i));
      r1_v = larger_float8(r1_v, x0_i);
    }
    const float8 r0 = r0_v;
    const float8 r1 = r1_v;
    const float8 x2_i = vload8(0, x2 + j);
    vstore8(log(r0) + r1 - x2_i, 0, y0 + j);
  }
  for (; j < end; ++j) {
    float r0_s = 0.0f;
    float r1_s = (float)(-INFINITY);
    for (long i = 0; i < rows; ++i) {
      const long e = i + j * rows;
      const float x0_i = x0[e];
      const float x1_i = x1[i];
      r0_s = r0_s + (exp(x0_i - x1_i));
      r1_s = larger_float(r1_s, x0_i);
    }
    const float r0 = r0_s;
    const float r1 = r1_s;
    const float x2_j = x2[j];
    y0[j] = log(r0) + r1 - x2_j;
  }
}
