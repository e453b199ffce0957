#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = transpose(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_61150a00(global double* restrict y0, global const double* restrict x0, const long n0,
                            const long rows, const long cols, const uint row_tiles, const long row_tile,
                            const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = max(tile_j * col_tile, tile_i * row_tile); j < j_end; ++j) {
    const long i_last = min(i_end, j + 1);
    long i = tile_i * row_tile;
    for (; i + 4 <= i_last; i += 4) {
      const long e = i + j * rows;
      const double4 x0_at0 = (double4)((j >= i) ? x0[j + i * n0] : 0.0, (j >= (i + 1)) ? x0[j + (i + 1) * n0] : 0.0, (j >= (i + 2)) ? x0[j + (i + 2) * n0] : 0.0, (j >= (i + 3)) ? x0[j + (i + 3) * n0] : 0.0);
      vstore4(x0_at0, 0, y0 + e);
    }
    for (; i < i_last; ++i) {
      const long e = i + j * rows;
      const double x0_at1 = (j >= i) ? x0[j + i * n0] : 0.0;
      y0[e] = x0_at1;
    }
  }
}
