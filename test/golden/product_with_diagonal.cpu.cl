#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x1 * broadcast(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_16274857(global double* restrict y0, global const double* restrict x0,
                            global const double* restrict x1, const long rows, const long cols,
                            const uint row_tiles, const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    long i = tile_i * row_tile;
    for (; i + 4 <= i_end; i += 4) {
      const long e = i + j * rows;
      const double4 x1_i = vload4(0, x1 + e);
      const double4 x0_i = vload4(0, x0 + i);
      vstore4(x1_i * x0_i, 0, y0 + e);
    }
    for (; i < i_end; ++i) {
      const long e = i + j * rows;
      const double x1_i = x1[e];
      const double x0_i = x0[i];
      y0[e] = x1_i * x0_i;
    }
  }
}
