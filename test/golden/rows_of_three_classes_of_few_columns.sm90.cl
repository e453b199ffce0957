#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void multiply_unit(double* c, double a0, double a1, double b) {
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a0), "d"(a1), "d"(b));
}
static inline __attribute__((always_inline)) void copy(uint to, global const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

static inline __attribute__((always_inline)) void bring_to_cache(global const void* from) {
  asm volatile("prefetch.global.L2 [%0];" :: "l"(from));
}

// the value of the work-item of the warp whose number differs in the bits of `distance`
static inline __attribute__((always_inline)) double from_lane_double(double value, uint distance) {
  uint2 words = as_uint2(value);
  uint word;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(words.s0), "r"(distance));
  words.s0 = word;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(words.s1), "r"(distance));
  words.s1 = word;
  return as_double(words);
}

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

// 1 / d for d from 1 to 4: to 20 bits, and a step of third order.
static inline __attribute__((always_inline)) double moderate_inverse_double(double d) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
  double e = fma(-d, r, 1.0);
  return fma(r, fma(e, e, e), r);
}

// k log(2) + log(1 + f) for f from -0.3 to 0.42: with s = f / (2 + f), k log(2) + 2 s + s^3 p(s^2), p to 2^-51,
// and 2 s = f - s f.
static inline __attribute__((always_inline)) double log_of_parts_double(double k, double f) {
  double s = f * moderate_inverse_double(f + 2.0), z = s * s, h = 0.5 * f * f;
  double p = fma(fma(0.14617147970636402, z, 0.15331661966257945), z, 0.1818289103245581);
  p = fma(fma(p, z, 0.2222221110672929), z, 0.2857142862616174);
  p = fma(fma(p, z, 0.39999999999899055), z, 0.666666666666667);
  return fma(k, 0.6931471803691238, f - (h - fma(s, fma(p, z, h), k * 1.9082149292705877e-10)));
}

// k, and where the number with the upper half `high` is 0, negative, infinite or no number, its logarithm.
static inline __attribute__((always_inline)) double exponent_of_log_double(uint high, int k) {
  uint rare = high == 0x7FF00000 ? 0x7FF00000 : (high & 0x7FFFFFFF) == 0 ? 0xFFF00000 : 0x7FF80000;
  bool finite = high - 1 < 0x7FEFFFFF;
  return as_double((uint2)(finite ? (uint)k ^ 0x80000000 : 0, finite ? 0x43300000 : rare)) - 4503601774854144.0;
}

// log(x) = k log(2) + log(1 + f), 1 + f from sqrt(1/2) to sqrt(2). Within 0.9 ulp.
static inline __attribute__((always_inline)) double log_unbranched_double(double x) {
  bool tiny = as_int2(x).s1 < 0x00100000;
  x *= tiny ? 18014398509481984.0 : 1.0;
  uint high = as_uint2(x).s1;
  int k = (int)(high - 0x3FE6A09E) >> 20;
  double f = as_double((uint2)(as_uint2(x).s0, high - ((uint)k << 20))) - 1.0;
  return log_of_parts_double(exponent_of_log_double(high, k - (tiny ? 54 : 0)), f);
}

// y0 = sum(x0 * log(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i])))))
// y4 = sum(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i ...
// y1 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 *  ...
// y2 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * ...
// y3 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * ...
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_row_tile_5ed18544(global char* all_parts, const long apart0, const long apart1,
                             global const double* restrict x0, global const double* restrict x1,
                             global const double* restrict x2, const long n7, const long n3, const long n11,
                             const long n15, const long rows, const long tiles, const long cols0) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  global double* const p2 = (global double*)(all_parts + 2 * apart0);
  global double* const p3 = (global double*)((all_parts + 2 * apart0) + 1 * apart1);
  global double* const p4 = (global double*)((all_parts + 2 * apart0) + 2 * apart1);
  local double x_tile[3072] __attribute__((aligned(16)));
  local double row_values[544];
  const uint lane = get_local_id(0), warp = lane / 32, down = lane % 32 / 4, across = lane % 4;
  const uint own_rows = warp % 2 * 16, part = warp / 2;
  // columns behind the matrix; one of ones adds up what rows give
  for (uint k = cols0 * 64 + lane; k < 3072; k += 64) x_tile[k] = k < (cols0 + 1) * 64 ? 1 : 0;
  double coefficients[12][1];
#pragma unroll
  for (int s = 0; s < 12; ++s) {
    const uint j = (part * 12 + s) * 4 + across;
    coefficients[s][0] = 0;
    if (j < cols0) {
      if (down == 0) {
        const double x2_at0 = x2[(long)j + n7 * n3];
        coefficients[s][0] = x2_at0;
      }
      if (down == 1) {
        const double x2_at0 = x2[(long)j + n11 * n3];
        coefficients[s][0] = x2_at0;
      }
      if (down == 2) {
        const double x2_at0 = x2[(long)j + n15 * n3];
        coefficients[s][0] = x2_at0;
      }
    }
  }
  double a0 = 0.0;
  double a1 = 0.0;
  double columns[2][1][4] = {{{0}}};
  uint turn = 0;
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const long start = tile * 64;
    {
      const uint row = lane % 32 * 2;
      const int bytes = start + row < rows ? 16 : 0;
      global const double* from = x1 + min(start + row, rows - 2) + (lane / 32) * rows;
#pragma unroll 4
      for (uint j = lane / 32; j < cols0; j += 2) {
        copy((uint)(ulong)(x_tile + (j * 64 + (row ^ (j % 4 * 4)))), from, bytes);
        from += rows * 2;
      }
    }
    const long following = (tile + get_num_groups(0)) * 64;
    if (following < rows) {
      for (uint k = lane; k < 1 * 4; k += 64)
        bring_to_cache(x0 + min(following + k % 4 * 16, rows - 1) + k / 4 * rows);
    }
    wait_for_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    {
      double along[2][1][4] = {{0}};
      const uint mixed0 = own_rows + (down ^ (across * 4)), mixed1 = mixed0 ^ 8;
#pragma unroll
      for (int s = 0; s < 12; ++s) {
        local const double* const from = x_tile + ((part * 12 + s) * 4 + across) * 64;
        const double b0 = coefficients[s][0];
        const double a0_0 = from[mixed0], a0_1 = from[mixed1];
        multiply_unit(along[0][0], a0_0, a0_1, b0);
        const double a1_0 = from[mixed0 + 32], a1_1 = from[mixed1 + 32];
        multiply_unit(along[1][0], a1_0, a1_1, b0);
      }
      if (0 + across * 2 < 3) row_values[(part * 8 + 0 + across * 2) * 68 + own_rows + down + 0] = along[0][0][0];
      if (1 + across * 2 < 3) row_values[(part * 8 + 1 + across * 2) * 68 + own_rows + down + 0] = along[0][0][1];
      if (0 + across * 2 < 3) row_values[(part * 8 + 0 + across * 2) * 68 + own_rows + down + 8] = along[0][0][2];
      if (1 + across * 2 < 3) row_values[(part * 8 + 1 + across * 2) * 68 + own_rows + down + 8] = along[0][0][3];
      if (0 + across * 2 < 3) row_values[(part * 8 + 0 + across * 2) * 68 + own_rows + down + 32] = along[1][0][0];
      if (1 + across * 2 < 3) row_values[(part * 8 + 1 + across * 2) * 68 + own_rows + down + 32] = along[1][0][1];
      if (0 + across * 2 < 3) row_values[(part * 8 + 0 + across * 2) * 68 + own_rows + down + 40] = along[1][0][2];
      if (1 + across * 2 < 3) row_values[(part * 8 + 1 + across * 2) * 68 + own_rows + down + 40] = along[1][0][3];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // one warp after the other has the rows: each runs on its own part of a multiprocessor
    const uint own_row = (lane + turn) % 64;
    if (own_row < 64 && start + own_row < rows) {
      const long i = start + own_row;
      double r6 = row_values[0 + own_row];
      double r11 = row_values[68 + own_row];
      double r17 = row_values[136 + own_row];
      const double v0 = exp_unbranched_double(r6);
      const double v1 = exp_unbranched_double(r11);
      const double v2 = exp_unbranched_double(r17);
      const double v3 = v0 + v1 + v2;
      const double v4 = v0 / v3;
      row_values[0 + own_row] = v4;
      const double v5 = v1 / v3;
      row_values[68 + own_row] = v5;
      const double v6 = v2 / v3;
      row_values[136 + own_row] = v6;
      const double x0_i = x0[i];
      a0 = a0 + (x0_i * log_unbranched_double(v3));
    }
    else if (own_row < 64) {
      row_values[0 + own_row] = 0;
      row_values[68 + own_row] = 0;
      row_values[136 + own_row] = 0;
    }
    turn += 32;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
    for (uint s = 0; s < 16; ++s) {
      const uint row = s * 4 + across;
      const double b0 = row_values[(0 + down) * 68 + row];
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        const uint own = warp + m * 2;
        if (own < 3) {
          local const double* const from = x_tile + ((own * 16 + down) * 64 + (row ^ (down % 4 * 4)));
          const double a0 = from[0], a1 = from[512];
          multiply_unit(columns[m][0], a0, a1, b0);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const uint j = (warp + m * 2) * 16 + h * 8 + down;
      if (across == 0 && j < cols0) p2[j + get_group_id(0) * cols0] = columns[m][0][h * 2 + 0];
      if (across == 0 && j < cols0) p3[j + get_group_id(0) * cols0] = columns[m][0][h * 2 + 1];
      if (across == 1 && j < cols0) p4[j + get_group_id(0) * cols0] = columns[m][0][h * 2 + 0];
      if (across == 0 && j == cols0) a1 = columns[m][0][h * 2 + 0];
    }
  }
  // sums over the rows of all tiles of this group
  local long* const together = (local long*)x_tile;
  a0 = a0 + (from_lane_double(a0, 1));
  a0 = a0 + (from_lane_double(a0, 2));
  a0 = a0 + (from_lane_double(a0, 4));
  a0 = a0 + (from_lane_double(a0, 8));
  a0 = a0 + (from_lane_double(a0, 16));
  a1 = a1 + (from_lane_double(a1, 1));
  a1 = a1 + (from_lane_double(a1, 2));
  a1 = a1 + (from_lane_double(a1, 4));
  a1 = a1 + (from_lane_double(a1, 8));
  a1 = a1 + (from_lane_double(a1, 16));
  {
    local double* const tree0 = (local double*)(together + 0);
    local double* const tree1 = (local double*)(together + 64);
    barrier(CLK_LOCAL_MEM_FENCE);
    tree0[lane] = a0;
    tree1[lane] = a1;
    for (uint stride = 32; stride >= 32; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < stride) {
        tree0[lane] = tree0[lane] + (tree0[lane + stride]);
        tree1[lane] = tree1[lane] + (tree1[lane + stride]);
      }
    }
    if (lane == 0) {
      p0[get_group_id(0)] = tree0[0];
      p1[get_group_id(0)] = tree1[0];
    }
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_row_tile_5ed18544_finish(global double* restrict y0, global double* restrict y4,
                                    global double* restrict y1, global double* restrict y2,
                                    global double* restrict y3, global const char* all_parts,
                                    const long apart0, const long apart1, const long parts,
                                    const long results0, const long groups0, const long results1,
                                    const long groups1) {
  global const double* const p0 = (global const double*)all_parts;
  global const double* const p1 = (global const double*)(all_parts + 1 * apart0);
  global const double* const p2 = (global const double*)(all_parts + 2 * apart0);
  global const double* const p3 = (global const double*)((all_parts + 2 * apart0) + 1 * apart1);
  global const double* const p4 = (global const double*)((all_parts + 2 * apart0) + 2 * apart1);
  const long group = get_group_id(0);
  const uint lane = get_local_id(0);
  local long together[1024];
  {
    const uint down = lane / 1;
    const long i = (group - 0) * 1 + lane % 1;
    const bool taken = group >= 0 && group < groups0 && i < results0;
    double r0 = 0.0;
    double r1 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts; part += 64) {
        r0 = r0 + (p0[i + part * results0]);
        r1 = r1 + (p1[i + part * results0]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      local double* const tree1 = (local double*)(together + 64);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r0;
      tree1[lane] = r1;
      for (uint stride = 32; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride]);
          tree1[lane] = tree1[lane] + (tree1[lane + stride]);
        }
      }
      r0 = tree0[lane];
      r1 = tree1[lane];
    }
    if (taken && down == 0) {
      y0[0] = r0;
      y4[0] = r1;
    }
  }
  {
    const uint down = lane / 2;
    const long i = (group - groups0) * 2 + lane % 2;
    const bool taken = group >= groups0 && group < groups1 && i < results1;
    double r2 = 0.0;
    double r3 = 0.0;
    double r4 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts; part += 32) {
        r2 = r2 + (p2[i + part * results1]);
        r3 = r3 + (p3[i + part * results1]);
        r4 = r4 + (p4[i + part * results1]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      local double* const tree1 = (local double*)(together + 64);
      local double* const tree2 = (local double*)(together + 128);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r2;
      tree1[lane] = r3;
      tree2[lane] = r4;
      for (uint stride = 16; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride * 2]);
          tree1[lane] = tree1[lane] + (tree1[lane + stride * 2]);
          tree2[lane] = tree2[lane] + (tree2[lane + stride * 2]);
        }
      }
      r2 = tree0[lane];
      r3 = tree1[lane];
      r4 = tree2[lane];
    }
    if (taken && down == 0) {
      y1[i] = r2;
      y2[i] = r3;
      y3[i] = r4;
    }
  }
}
