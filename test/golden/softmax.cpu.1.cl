#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// t1 = rowwise_sum(exp(x0 - broadcast(rowwise_max(x0))))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_rows_d01b5cc1(global double* restrict t1, global const double* restrict x0,
                         global const double* restrict t0, const long rows, const long cols,
                         const uint row_tiles, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_begin = tile_i * 1024, i_end = min(i_begin + 1024, rows);
  const long j_end = min((tile_j + 1) * col_tile, cols);
  double4 r0_v[256];
  double r0_s[4];
  for (int k = 0; k < 256; ++k) { r0_v[k] = 0.0; }
  for (int k = 0; k < 4; ++k) r0_s[k] = 0.0;
  for (long j = tile_j * col_tile; j < j_end; ++j) {
    long i = i_begin;
    for (int k = 0; i + 4 <= i_end; ++k, i += 4) {
      const long e = i + j * rows;
      const double4 x0_i = vload4(0, x0 + e);
      const double4 t0_i = vload4(0, t0 + i);
      r0_v[k] = r0_v[k] + (exp(x0_i - t0_i));
    }
    for (int k = 0; i < i_end; ++k, ++i) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      const double t0_i = t0[i];
      r0_s[k] = r0_s[k] + (exp(x0_i - t0_i));
    }
  }
  long i = i_begin;
  for (int k = 0; i + 4 <= i_end; ++k, i += 4) {
    const double4 r0 = r0_v[k];
    vstore4(r0, 0, t1 + i);
  }
  for (int k = 0; i < i_end; ++k, ++i) {
    const double r0 = r0_s[k];
    t1[i] = r0;
  }
}
