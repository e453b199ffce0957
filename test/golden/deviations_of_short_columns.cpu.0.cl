static inline __attribute__((always_inline)) float larger_float(float a, float b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) float smaller_float(float a, float b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

// t0 = colwise_max(x0)
// t1 = colwise_min(x0)
// t2 = colwise_sum(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_ad5aca02(global float* restrict t0, global float* restrict t1, global float* restrict t2,
                            global const float* restrict x0, const long rows, const long cols,
                            const uint row_tiles, const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    float r0_v = (float)(-INFINITY);
    float r1_v = (float)(INFINITY);
    float r2_v = 0.0f;
    for (long i = tile_i * row_tile; i < i_end; ++i) {
      const long e = i + j * rows;
      const float x0_i = x0[e];
      r0_v = larger_float(r0_v, x0_i);
      r1_v = smaller_float(r1_v, x0_i);
      r2_v = r2_v + x0_i;
    }
    float r0 = r0_v;
    float r1 = r1_v;
    float r2 = r2_v;
    t0[j] = r0;
    t1[j] = r1;
    t2[j] = r2;
  }
}
