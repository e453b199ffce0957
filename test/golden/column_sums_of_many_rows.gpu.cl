#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = colwise_sum(x0 * x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_dfc78354(global double* p0, global const double2* restrict x0, const long rows,
                           const long cols, const uint row_tiles, const uint lanes, const long row_tile,
                           const uint first_stride) {
  local double shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  double2 r0_v = 0.0;
  const long j = tile_j * rounds + down, i_end = min((tile_i + 1) * row_tile, rows);
  if (down < rounds && j < cols) {
#pragma unroll 4
    for (long i = tile_i * row_tile + across; i < i_end; i += lanes) {
      const long e = i + j * rows;
      const double2 x0_i = x0[e];
      r0_v = r0_v + (x0_i * x0_i);
    }
  }
  double r0 = r0_v.lo + r0_v.hi;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < rounds && across < stride && across + stride < lanes) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (across == 0 && down < rounds && j < cols) {
    p0[j + tile_i * cols] = r0;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_dfc78354_finish(global double* restrict y0, global const double* p0, const long results,
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
    y0[i] = r0;
  }
}
