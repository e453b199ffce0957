#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double smaller_double(double a, double b) { return (a != a) || (a < b) ? a : b; }  // NaN stays NaN

// t0 = rowwise_max(x0)
// t1 = rowwise_min(x0)
// t2 = rowwise_sum(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_c6e73974(global char* all_parts, const long apart0, global const double* restrict x0,
                           const long rows, const long cols, const uint row_tiles, const uint lanes,
                           const long col_tile, const uint first_stride) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  global double* const p2 = (global double*)(all_parts + 2 * apart0);
  local double shared0[256];
  local double shared1[256];
  local double shared2[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const uint group = get_group_id(0);
  const long tile_i = group % row_tiles, tile_j = group / row_tiles;
  double r0 = (double)(-INFINITY);
  double r1 = (double)(INFINITY);
  double r2 = 0.0;
  const long i = tile_i * lanes + across, j_end = min((tile_j + 1) * col_tile, cols);
  if (down < rounds && i < rows) {
#pragma unroll 4
    for (long j = tile_j * col_tile + down; j < j_end; j += rounds) {
      const long e = i + j * rows;
      const double x0_i = x0[e];
      r0 = larger_double(r0, x0_i);
      r1 = smaller_double(r1, x0_i);
      r2 = r2 + x0_i;
    }
  }
  shared0[lane] = r0;
  shared1[lane] = r1;
  shared2[lane] = r2;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = larger_double(shared0[lane], shared0[lane + stride * lanes]);
      shared1[lane] = smaller_double(shared1[lane], shared1[lane + stride * lanes]);
      shared2[lane] = shared2[lane] + (shared2[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  r1 = shared1[lane];
  r2 = shared2[lane];
  if (down == 0 && i < rows) {
    p0[i + tile_j * rows] = r0;
    p1[i + tile_j * rows] = r1;
    p2[i + tile_j * rows] = r2;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_c6e73974_finish(global double* restrict t0, global double* restrict t1,
                                  global double* restrict t2, global const char* all_parts,
                                  const long apart0, const long results, const long parts, const uint lanes,
                                  const uint first_stride) {
  global const double* const p0 = (global const double*)all_parts;
  global const double* const p1 = (global const double*)(all_parts + 1 * apart0);
  global const double* const p2 = (global const double*)(all_parts + 2 * apart0);
  local double shared0[256];
  local double shared1[256];
  local double shared2[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = (long)get_group_id(0) * lanes + across;
  double r0 = (double)(-INFINITY);
  double r1 = (double)(INFINITY);
  double r2 = 0.0;
  if (i < results && down < rounds) {
#pragma unroll 4
    for (long part = down; part < parts; part += rounds) {
      r0 = larger_double(r0, p0[i + part * results]);
      r1 = smaller_double(r1, p1[i + part * results]);
      r2 = r2 + (p2[i + part * results]);
    }
  }
  shared0[lane] = r0;
  shared1[lane] = r1;
  shared2[lane] = r2;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = larger_double(shared0[lane], shared0[lane + stride * lanes]);
      shared1[lane] = smaller_double(shared1[lane], shared1[lane + stride * lanes]);
      shared2[lane] = shared2[lane] + (shared2[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  r1 = shared1[lane];
  r2 = shared2[lane];
  if (down == 0 && i < results) {
    t0[i] = r0;
    t1[i] = r1;
    t2[i] = r2;
  }
}
