#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = colwise_max(x0) - colwise_min(x0) == 0 ? 0 : sqrt(colwise_sum((x0 - broadcast(colwise_sum(x0) / s2)) * (x0 - broadcast(colwise_sum(x0) / s2))) / s3)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_29be2163(global double* restrict y0, global const double* restrict x0,
                            global const double* restrict t2, const double s2,
                            global const double* restrict t0, global const double* restrict t1,
                            const double s3, const long rows, const long cols, const uint row_tiles,
                            const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    double4 r0_v[4];
    for (int k = 0; k < 4; ++k) r0_v[k] = 0.0;
    double r0_s = 0.0;
    long first = tile_i * row_tile;
    for (; first + 16 <= i_end; first += 16) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const long i = first + 4 * k;
        const long e = i + j * rows;
        const double4 x0_i = vload4(0, x0 + e);
        const double t2_j = t2[j];
        const double4 v0 = x0_i - t2_j / s2;
        r0_v[k] = r0_v[k] + (v0 * v0);
      }
    }
    long i = first;
    for (; i + 4 <= i_end; i += 4) {
      const long e = i + j * rows;
      const double4 x0_i = vload4(0, x0 + e);
      const double t2_j = t2[j];
      const double4 v1 = x0_i - t2_j / s2;
      r0_v[0] = r0_v[0] + (v1 * v1);
    }
    for (; i < i_end; ++i) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      const double t2_j = t2[j];
      const double v2 = x0_i - t2_j / s2;
      r0_s = r0_s + (v2 * v2);
    }
    r0_v[0] = r0_v[0] + r0_v[1];
    r0_v[2] = r0_v[2] + r0_v[3];
    r0_v[0] = r0_v[0] + r0_v[2];
    const double2 r0_2 = r0_v[0].lo + r0_v[0].hi;
    double r0 = (r0_2.lo + r0_2.hi) + r0_s;
    const double t0_j = t0[j];
    const double t1_j = t1[j];
    y0[j] = t0_j - t1_j == 0.0 ? 0.0 : sqrt(r0 / s3);
  }
}
