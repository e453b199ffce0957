// y0 = colwise_max(x0) - colwise_min(x0) == 0 ? 0 : sqrt(colwise_sum((x0 - broadcast(colwise_sum(x0) / s2)) * (x0 - broadcast(colwise_sum(x0) / s2))) / s3)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_193a53dc(global float* restrict y0, global const float* restrict x0,
                           global const float* restrict t2, const float s2, global const float* restrict t0,
                           global const float* restrict t1, const float s3, const long rows,
                           const long cols, const uint row_tiles, const uint lanes, const long row_tile,
                           const uint first_stride) {
  local float shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  float r0_v = 0.0f;
  const long j = tile_j * rounds + down, i_end = min((tile_i + 1) * row_tile, rows);
  if (down < rounds && j < cols) {
#pragma unroll 4
    for (long i = tile_i * row_tile + across; i < i_end; i += lanes) {
      const long e = i + j * rows;
      const float x0_i = x0[e];
      const float t2_j = t2[j];
      const float v0 = x0_i - t2_j / s2;
      r0_v = r0_v + (v0 * v0);
    }
  }
  float r0 = r0_v;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < rounds && across < stride && across + stride < lanes) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (across == 0 && down < rounds && j < cols) {
    const float t0_j = t0[j];
    const float t1_j = t1[j];
    y0[j] = t0_j - t1_j == 0.0f ? 0.0f : sqrt(r0 / s3);
  }
}
