#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0[i, i] + x1[n2 - 1 - i, n7 + j]
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_3946487c(global double* restrict y0, global const double* restrict x0,
                            global const double* restrict x1, const long n0, const long n2, const long n7,
                            const long rows, const long cols, const uint row_tiles, const long row_tile,
                            const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    long i = tile_i * row_tile;
    for (; i + 4 <= i_end; i += 4) {
      const double4 x0_at0 = (double4)(x0[i + i * n0], x0[(i + 1) + (i + 1) * n0], x0[(i + 2) + (i + 2) * n0], x0[(i + 3) + (i + 3) * n0]);
      const long at2 = n2 - 1 - i;
      const long at3 = n2 - 1 - (i + 1);
      const long at4 = n2 - 1 - (i + 2);
      const long at5 = n2 - 1 - (i + 3);
      const double4 x1_at1 = (double4)((at2 <= n7) ? x1[at2 + n7 * n2] : 0.0, (at3 <= n7) ? x1[at3 + n7 * n2] : 0.0, (at4 <= n7) ? x1[at4 + n7 * n2] : 0.0, (at5 <= n7) ? x1[at5 + n7 * n2] : 0.0);
      vstore4(x0_at0 + x1_at1, 0, y0 + i);
    }
    for (; i < i_end; ++i) {
      const double x0_at6 = x0[i + i * n0];
      const long at8 = n2 - 1 - i;
      const double x1_at7 = (at8 <= n7) ? x1[at8 + n7 * n2] : 0.0;
      y0[i] = x0_at6 + x1_at7;
    }
  }
}
