#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(rowwise_sum(x0 * broadcast(transpose(x1))))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_rows_b827ff1b(global double* p0, global const double* restrict x0,
                         global const double* restrict x1, const long rows, const long cols,
                         const uint row_tiles, const long col_tile) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const long i_begin = tile_i * 1024, i_end = min(i_begin + 1024, rows);
  const long j_end = min((tile_j + 1) * col_tile, cols);
  double4 r0_v[256];
  for (int k = 0; k < 256; ++k) { r0_v[k] = 0.0; }
  for (long first = tile_j * col_tile; first < j_end; first += 4) {
    long i = i_begin;
    for (int k = 0; i + 4 <= i_end; ++k, i += 4) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const long j = first + c;
        if (j >= j_end) break;
        const long e = i + j * rows;
        const double4 x0_i = vload4(0, x0 + e);
        const double x1_at0 = x1[j];
        r0_v[k] = r0_v[k] + (x0_i * x1_at0);
      }
    }
  }
  long i = i_begin;
  for (int k = 0; i + 4 <= i_end; ++k, i += 4) {
    const double4 r0 = r0_v[k];
    vstore4(r0, 0, p0 + i + tile_j * rows);
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_rows_b827ff1b_finish(global double* restrict y0, global const double* p0, const long results,
                                const long parts) {
  const long begin = (long)get_group_id(0) * 1024, end = min(begin + 1024, results);
  for (long i = begin; i < end; ++i) {
    double r0 = 0.0;
    for (long part = 0; part < parts; ++part) {
      r0 = r0 + (p0[i + part * results]);
    }
    y0[i] = exp(r0);
  }
}
