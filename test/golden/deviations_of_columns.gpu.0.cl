#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double smaller_double(double a, double b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

// t0 = colwise_max(x0)
// t1 = colwise_min(x0)
// t2 = colwise_sum(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_11083a1c(global double* restrict t0, global double* restrict t1,
                           global double* restrict t2, global const double* restrict x0, const long rows,
                           const long cols, const uint row_tiles, const uint lanes, const long row_tile,
                           const uint first_stride) {
  local double shared0[256];
  local double shared1[256];
  local double shared2[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  double r0_v = (double)(-INFINITY);
  double r1_v = (double)(INFINITY);
  double r2_v = 0.0;
  const long j = tile_j * rounds + down, i_end = min((tile_i + 1) * row_tile, rows);
  if (down < rounds && j < cols) {
#pragma unroll 4
    for (long i = tile_i * row_tile + across; i < i_end; i += lanes) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      r0_v = larger_double(r0_v, x0_i);
      r1_v = smaller_double(r1_v, x0_i);
      r2_v = r2_v + x0_i;
    }
  }
  double r0 = r0_v;
  double r1 = r1_v;
  double r2 = r2_v;
  shared0[lane] = r0;
  shared1[lane] = r1;
  shared2[lane] = r2;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < rounds && across < stride && across + stride < lanes) {
      shared0[lane] = larger_double(shared0[lane], shared0[lane + stride]);
      shared1[lane] = smaller_double(shared1[lane], shared1[lane + stride]);
      shared2[lane] = shared2[lane] + (shared2[lane + stride]);
    }
  }
  r0 = shared0[lane];
  r1 = shared1[lane];
  r2 = shared2[lane];
  if (across == 0 && down < rounds && j < cols) {
    t0[j] = r0;
    t1[j] = r1;
    t2[j] = r2;
  }
}
