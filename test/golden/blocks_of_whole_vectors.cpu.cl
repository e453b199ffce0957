// y0 = x0[n2 + i, n3 + j] + 1
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_345ceb7a(global float* restrict y0, global const float* restrict x0, const long n2,
                            const long n3, const long n0, const long rows, const long cols,
                            const uint row_tiles, const long row_tile, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    long i = tile_i * row_tile;
    for (; i + 8 <= i_end; i += 8) {
      const long e = i + j * rows;
      const long at1 = n2 + i;
      const long at2 = n3 + j;
      const float8 x0_at0 = vload8(0, x0 + at1 + at2 * n0);
      vstore8(x0_at0 + 1.0f, 0, y0 + e);
    }
  }
}
