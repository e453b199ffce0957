#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sum(x0 * x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_c542cf89(global double* restrict y0, global const double* restrict x0,
                           global const double* restrict x1, const long rows, const long cols,
                           const uint row_tiles, const uint lanes, const long col_tile,
                           const uint first_stride) {
  local double shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  double r0_v = 0.0;
  const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, min(cols, i + 1));
  if (down < rounds && i < rows) {
#pragma unroll 4
    for (long j = tile_j * col_tile + down; j < j_end; j += rounds) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      const double x1_i = x1[e];
      r0_v = r0_v + (((int)i >= (int)j) ? (x0_i * x1_i) : 0.0);
    }
  }
  double r0 = r0_v;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride && lane + stride < 256) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (lane == 0) {
    y0[0] = r0;
  }
}
