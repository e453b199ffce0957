#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

// y0 = rowwise_max(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_ec8e827f(global double* restrict y0, global const double* restrict x0, const long rows,
                           const long cols, const uint row_tiles, const uint lanes, const long col_tile,
                           const uint first_stride) {
  local double shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  double r0 = (double)(-INFINITY);
  const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, cols);
  if (down < rounds && i < rows) {
#pragma unroll 4
    for (long j = max(tile_j * col_tile, tile_i * lanes) + down; j < j_end; j += rounds) {
      const long e = i + j * rows;
      const double x0_i = ((int)i <= (int)j) ? (x0[e]) : 0.0;
      r0 = larger_double(r0, x0_i);
    }
  }
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = larger_double(shared0[lane], shared0[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  if (down == 0 && i < rows) {
    r0 = ((int)i > (cols > 0 ? 0 : INT_MAX)) ? larger_double(r0, (double)(0)) : r0;
    y0[i] = r0;
  }
}
