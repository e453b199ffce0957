// y0 = transpose(x0) * 2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_columns_d0308aa1(global float* restrict y0, global const float* restrict x0, const long n0,
                            const long rows, const long cols, const uint row_tiles, const long row_tile,
                            const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_end = min((tile_i + 1) * row_tile, rows), j_end = min((tile_j + 1) * col_tile, cols);
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    long i = tile_i * row_tile;
    for (; i + 8 <= i_end; i += 8) {
      const long e = i + j * rows;
      const float8 x0_at0 = (float8)(x0[j + i * n0], x0[j + (i + 1) * n0], x0[j + (i + 2) * n0], x0[j + (i + 3) * n0], x0[j + (i + 4) * n0], x0[j + (i + 5) * n0], x0[j + (i + 6) * n0], x0[j + (i + 7) * n0]);
      vstore8(x0_at0 * 2.0f, 0, y0 + e);
    }
  }
}
