// y0 = transpose(x0) * 2
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_transposed_afb54275(global float4* restrict y0, global const float* restrict x0, const long n0,
                               const long rows, const long cols, const uint col_tiles, const long vectors) {
  local float tile0[64][33];
  const uint group = get_group_id(0);
  const long tile_i = group / col_tiles, tile_j = group % col_tiles;
  const uint lane = get_local_id(0);
  // transposed operands: their columns run along the rows of a tile
#pragma unroll
  for (uint k = 0; k < 64; k += 8) {
    const uint across = lane % 32, down = lane / 32 + k;
    const long i = tile_i * 64 + down, j = tile_j * 32 + across;
    const long row = min(i, rows - 1), col = min(j, cols - 1);
    const float x0_at0 = x0[col + row * n0];
    tile0[down][across] = x0_at0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint k = 0; k < 32; k += 16) {
    const uint across = lane % 16, down = lane / 16 + k;
    const long i = tile_i * 16 + across, j = tile_j * 32 + down;
    if (i >= vectors || j >= cols) continue;
    const long e = i + j * vectors;
    const float4 v1 = (float4)(tile0[across * 4][down], tile0[across * 4 + 1][down], tile0[across * 4 + 2][down], tile0[across * 4 + 3][down]) * 2.0f;
    y0[e] = v1;
  }
}
