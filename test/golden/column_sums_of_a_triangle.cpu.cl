#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = colwise_sum(x0 * x1)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_a2da690a(global double* restrict y0, global const double* restrict x0,
                            global const double* restrict x1, const long rows, const long cols,
                            const uint row_tiles, const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    double4 r0_v[4];
    for (int k = 0; k < 4; ++k) r0_v[k] = 0.0;
    double r0_s = 0.0;
    const long i_last = min(i_end, j + 1);
    long first = tile_i * row_tile;
    for (; first + 16 <= i_last; first += 16) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const long i = first + 4 * k;
        const long e = i + j * rows;
        const double4 x0_i = vload4(0, x0 + e);
        const double4 x1_i = vload4(0, x1 + e);
        r0_v[k] = r0_v[k] + (x0_i * x1_i);
      }
    }
    long i = first;
    for (; i + 4 <= i_last; i += 4) {
      const long e = i + j * rows;
      const double4 x0_i = vload4(0, x0 + e);
      const double4 x1_i = vload4(0, x1 + e);
      r0_v[0] = r0_v[0] + (x0_i * x1_i);
    }
    for (; i < i_last; ++i) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      const double x1_i = x1[e];
      r0_s = r0_s + (x0_i * x1_i);
    }
    r0_v[0] = r0_v[0] + r0_v[1];
    r0_v[2] = r0_v[2] + r0_v[3];
    r0_v[0] = r0_v[0] + r0_v[2];
    const double2 r0_2 = r0_v[0].lo + r0_v[0].hi;
    double r0 = (r0_2.lo + r0_2.hi) + r0_s;
    y0[j] = r0;
  }
}
