#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = colwise_sum(x0 * x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_dcb069a5(global double* restrict y0, global const double* restrict x0,
                           global const double* restrict x1, const long rows, const long cols,
                           const uint row_tiles, const uint lanes, const long row_tile,
                           const uint first_stride) {
  local double shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  double r0_v = 0.0;
  const long j = tile_j * rounds + down, i_end = min((tile_i + 1) * row_tile, min(rows, j + 1));
  if (down < rounds && j < cols) {
#pragma unroll 4
    for (long i = tile_i * row_tile + across; i < i_end; i += lanes) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      const double x1_i = x1[e];
      r0_v = r0_v + (((int)i <= (int)j) ? (x0_i * x1_i) : 0.0);
    }
  }
  double r0 = r0_v;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < rounds && across < stride && across + stride < lanes) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (across == 0 && down < rounds && j < cols) {
    y0[j] = r0;
  }
}
