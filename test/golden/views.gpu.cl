#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + x1 * 0.5
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_tiled_2e809741(global double* restrict y0, global const double* restrict x0, global const double* restrict x1, const long rows, const long cols, const uint row_tiles, const uint lanes) {
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = tile_i * lanes + across, j_begin = tile_j * 4 * rounds + down;
  if (i >= rows || down >= rounds) return;
#pragma unroll
  for (long k = 0; k < 4; ++k) {
    const long j = j_begin + k * rounds;
    if (j >= cols) break;
    const long e = i + j * rows;
    const double x0_i = ((int)i >= (int)j) ? (x0[e]) : 0.0;
    const double x1_i = ((int)i <= (int)j) ? (x1[e]) : 0.0;
    y0[e] = x0_i + x1_i * 0.5;
  }
}
