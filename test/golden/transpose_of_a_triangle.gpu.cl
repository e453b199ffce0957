#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = transpose(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_transposed_6992ba73(global double* restrict y0, global const double* restrict x0, const long n0,
                               const long rows, const long cols, const uint row_tiles) {
  local double tile0[32][33];
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  if (tile_i * 32 >= (tile_j + 1) * 32) return;
  const uint lane = get_local_id(0);
  // transposed operands: their columns run along the rows of a tile
#pragma unroll
  for (uint k = 0; k < 32; k += 8) {
    const uint across = lane % 32, down = lane / 32 + k;
    const long i = tile_i * 32 + down, j = tile_j * 32 + across;
    if (i > j) continue;
    const long row = min(i, rows - 1), col = min(j, cols - 1);
    const double x0_at0 = (col >= row) ? x0[col + row * n0] : 0.0;
    tile0[down][across] = x0_at0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint k = 0; k < 32; k += 8) {
    const uint across = lane % 32, down = lane / 32 + k;
    const long i = tile_i * 32 + across, j = tile_j * 32 + down;
    if (i >= rows || j >= cols) continue;
    if (i > j) continue;
    const long e = i + j * rows;
    y0[e] = tile0[across][down];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
