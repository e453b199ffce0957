#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(rowwise_sum(x0 * broadcast(transpose(x1))))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_8fc7f942(global double2* restrict y0, global double2* p0, volatile global uint* arrivals,
                           global const double2* restrict x0, global const double* restrict x1,
                           const long rows, const long cols, const uint row_tiles, const uint lanes,
                           const long col_tile, const uint first_stride) {
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
  // the group that arrives last adds what those have left that share a tile with it
  local uint is_last[1];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (lane == 0) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    is_last[0] = atomic_inc((arrivals + tile_i)) + 1 == get_num_groups(0) / row_tiles;
    if (is_last[0]) *(arrivals + tile_i) = 0;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (is_last[0]) {
    r0 = 0.0;
    if (down < rounds && i < rows) {
#pragma unroll 4
      for (uint part = down; part < get_num_groups(0) / row_tiles; part += rounds) {
        r0 = r0 + (p0[i + part * rows]);
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
      y0[i] = exp(r0);
    }
  }
}
