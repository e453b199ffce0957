#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(rowwise_sum(x0 * broadcast(transpose(x1))))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_3a2fcf68(global double2* p0, global const double2* restrict x0,
                           global const double* restrict x1, const long rows, const long cols,
                           const uint row_tiles, const uint lanes, const long col_tile,
                           const uint first_stride) {
  local double2 shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  double2 r0 = 0.0;
  const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, cols);
  if (down < rounds && i < rows) {
#pragma unroll 4
    for (long j = tile_j * col_tile + down; j < j_end; j += rounds) {
      const long e = i + j * rows;
      const double2 x0_i = x0[e];
      const double x1_at0 = x1[(long)j];
      r0 = r0 + (x0_i * x1_at0);
    }
  }
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  if (down == 0 && i < rows) {
    p0[i + tile_j * rows] = r0;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_3a2fcf68_finish(global double* restrict y0, global const double* p0, const long results,
                                  const long parts, const uint lanes, const uint first_stride) {
  local double shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = (long)get_group_id(0) * lanes + across;
  double r0 = 0.0;
  if (i < results && down < rounds) {
#pragma unroll 4
    for (long part = down; part < parts; part += rounds) {
      r0 = r0 + (p0[i + part * results]);
    }
  }
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  if (down == 0 && i < results) {
    y0[i] = exp(r0);
  }
}
