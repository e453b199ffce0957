// y0 = rowwise_sum(x0 * broadcast(x1)) + x2
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_505cd0f5(global float* p0, global const float* restrict x0,
                           global const float* restrict x1, const long rows, const long cols,
                           const uint row_tiles, const uint lanes, const long col_tile,
                           const uint first_stride) {
  local float shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  float r0 = 0.0f;
  const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, cols);
  if (down < rounds && i < rows) {
#pragma unroll 4
    for (long j = tile_j * col_tile + down; j < j_end; j += rounds) {
      const long e = i + j * rows;
      const float x0_i = x0[e];
      const float x1_j = x1[j];
      r0 = r0 + (x0_i * x1_j);
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
void fused_reduce_505cd0f5_finish(global float* restrict y0, global const float* p0, global const float* x2,
                                  const long results, const long parts, const uint lanes,
                                  const uint first_stride) {
  local float shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = (long)get_group_id(0) * lanes + across;
  float r0 = 0.0f;
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
    const float x2_i = x2[i];
    y0[i] = r0 + x2_i;
  }
}
