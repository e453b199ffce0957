#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// exp(x) = 2^k exp(r) for x from -746 to 710, with |r| <= log(2) / 2, where a polynomial is near exp(r) to
// 1.3e-17 of it; 2^k by two factors, as it may be below the smallest normal number. Within 0.95 ulp.
static inline __attribute__((always_inline)) double exp_in_range_double(double x) {
  double m = fma(x, 1.4426950408889634, 6755399441055744.0);  // k in its last bits
  int k = as_int2(m).s0;
  m = m - 6755399441055744.0;
  double r = fma(m, -2.3190468138462996e-17, fma(m, -0.6931471805599453, x));
  double p = 2.510038549551032e-08;
  p = fma(fma(p, r, 2.7620088445409746e-07), r, 2.7557268459997064e-06);
  p = fma(fma(p, r, 2.4801521295954376e-05), r, 0.00019841269863053618);
  p = fma(fma(p, r, 0.0013888888917213717), r, 0.008333333333330062);
  p = fma(fma(p, r, 0.04166666666662413), r, 0.16666666666666669);
  p = fma(fma(fma(p, r, 0.5000000000000001), r, 1.0), r, 1.0);
  int first = k >> 1;
  return p * as_double((int2)(0, (first + 1023) << 20)) * as_double((int2)(0, (k - first + 1023) << 20));
}

static inline __attribute__((always_inline)) double exp_unbranched_double(double x) {
  return exp_in_range_double(x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x);
}

static inline __attribute__((always_inline)) double2 exp_unbranched_double2(const double2 a) {
  return (double2)(exp_unbranched_double(a.s0), exp_unbranched_double(a.s1));
}

// y0 = exp(rowwise_sum(x0 * broadcast(transpose(x1))))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_reduce_76a91296(global double2* restrict y0, global double2* p0, volatile global uint* arrivals,
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
      y0[i] = exp_unbranched_double2(r0);
    }
  }
}
