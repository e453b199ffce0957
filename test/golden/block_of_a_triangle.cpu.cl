#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0[n2 + i, n3 + j]
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_9c56f1e8(global double* restrict y0, global const double* restrict x0, const long n2,
                            const long n3, const long n0, const long rows, const long cols,
                            const uint row_tiles, const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < min(j_end, i_end); ++j) {
    const long i_first = max(tile_i * row_tile, j);
    long i = i_first;
    for (; i + 4 <= i_end; i += 4) {
      const long e = i + j * rows;
      const long at1 = n2 + i;
      const long at2 = n3 + j;
      const long at3 = n2 + (i + 1);
      const long at4 = n2 + (i + 2);
      const long at5 = n2 + (i + 3);
      const double4 x0_at0 = (at1 >= at2 && at5 >= at2) ? vload4(0, x0 + at1 + at2 * n0) : (0) ? (double4)(0) : (double4)((at1 >= at2) ? x0[at1 + at2 * n0] : 0.0, (at3 >= at2) ? x0[at3 + at2 * n0] : 0.0, (at4 >= at2) ? x0[at4 + at2 * n0] : 0.0, (at5 >= at2) ? x0[at5 + at2 * n0] : 0.0);
      vstore4(x0_at0, 0, y0 + e);
    }
    for (; i < i_end; ++i) {
      const long e = i + j * rows;
      const long at7 = n2 + i;
      const long at8 = n3 + j;
      const double x0_at6 = (at7 >= at8) ? x0[at7 + at8 * n0] : 0.0;
      y0[e] = x0_at6;
    }
  }
}
