#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0[i, i] + x1[n6 + i, n7 + j][n2 - 1 - i, j]
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_bfcc664b(global double* restrict y0, global const double* restrict x0,
                            global const double* restrict x1, const long n0, const long n6, const long n7,
                            const long n4, const long n2, const long rows, const long cols,
                            const uint row_tiles, const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    long i = tile_i * row_tile;
    for (; i + 4 <= i_end; i += 4) {
      const double4 x0_at0 = (double4)(x0[i + i * n0], x0[(i + 1) + (i + 1) * n0], x0[(i + 2) + (i + 2) * n0], x0[(i + 3) + (i + 3) * n0]);
      const long at2 = n2 - 1 - i;
      const long at3 = n6 + at2;
      const long at4 = n2 - 1 - (i + 1);
      const long at5 = n6 + at4;
      const long at6 = n2 - 1 - (i + 2);
      const long at7 = n6 + at6;
      const long at8 = n2 - 1 - (i + 3);
      const long at9 = n6 + at8;
      const double4 x1_at1 = (double4)((at3 <= n7) ? x1[at3 + n7 * n4] : 0.0, (at5 <= n7) ? x1[at5 + n7 * n4] : 0.0, (at7 <= n7) ? x1[at7 + n7 * n4] : 0.0, (at9 <= n7) ? x1[at9 + n7 * n4] : 0.0);
      vstore4(x0_at0 + x1_at1, 0, y0 + i);
    }
    for (; i < i_end; ++i) {
      const double x0_at10 = x0[i + i * n0];
      const long at12 = n2 - 1 - i;
      const long at13 = n6 + at12;
      const double x1_at11 = (at13 <= n7) ? x1[at13 + n7 * n4] : 0.0;
      y0[i] = x0_at10 + x1_at11;
    }
  }
}
