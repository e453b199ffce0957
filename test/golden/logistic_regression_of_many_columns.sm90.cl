#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void copy_double2(uint to, global const double2* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
// the value of the work-item of the warp whose number differs in the bits of `distance`
static inline __attribute__((always_inline)) double2 from_lane_double2(double2 value, uint distance) {
  uint4 words = as_uint4(value);
  uint word;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(words.s0), "r"(distance));
  words.s0 = word;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(words.s1), "r"(distance));
  words.s1 = word;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(words.s2), "r"(distance));
  words.s2 = word;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(word) : "r"(words.s3), "r"(distance));
  words.s3 = word;
  return as_double2(words);
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

static inline __attribute__((always_inline)) double exp_of_nonpositive_double(double x) {
  return exp_in_range_double(x < -746.0 ? -746.0 : x);
}

// 1 / d for d from 1 to 4: to 20 bits, and a step of third order.
static inline __attribute__((always_inline)) double moderate_inverse_double(double d) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
  double e = fma(-d, r, 1.0);
  return fma(r, fma(e, e, e), r);
}

// n / d for d from 1 to 4: by the inverse, and what the quotient lacks.
static inline __attribute__((always_inline)) double moderate_quotient_double(double n, double d) {
  double r = moderate_inverse_double(d);
  double q = n * r;
  return fma(r, fma(-d, q, n), q);
}

// 1 / (1 + exp(-x)), with an exponential that never overflows; of x and -x, the quotient is the same.
static inline __attribute__((always_inline)) double inv_logit_double(double x) {
  double e = exp_of_nonpositive_double(-fabs(x));
  double larger = moderate_quotient_double(1, 1 + e);
  return x < 0 ? e * larger : larger;
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

// log(1 + x) for 0 <= x <= 1, with 1 + x = 2^k (1 + f).
static inline __attribute__((always_inline)) double log1p_unit_double(double x) {
  double k = x > 0.41421356237309503 ? (double)(1) : (double)(0);
  return log_of_parts_double(k, x > 0.41421356237309503 ? 0.5 * (x - 1) : x);
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)).
static inline __attribute__((always_inline)) double log1p_exp_double(double x) {
  return fmax(x, (double)(0)) + log1p_unit_double(exp_of_nonpositive_double(-fabs(x)));
}

// y0 = sum(x0 * rowwise_sum(x1 * broadcast(transpose(x2))) - log1p_exp(rowwise_sum(x1 * broadcast(transpose(x2)))))
// y1 = colwise_sum(x1 * broadcast(x0 - inv_logit(rowwise_sum(x1 * broadcast(transpose(x2))))))
kernel __attribute__((reqd_work_group_size(512, 1, 1)))
void fused_row_tile_5e5fe958(volatile global uint* exchanged, global char* all_parts, const long apart0,
                             const long apart1, global const double2* restrict x0,
                             global const double2* restrict x1, global const double* restrict x2,
                             const long rows, const long tiles, const long cols0, const long tags) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  const uint lane = get_local_id(0), row_lane = lane % 8, slot = lane / 8;
  local uint taken[2];
  if (lane == 0) {
    taken[0] = atomic_inc(exchanged);
    taken[1] = exchanged[2];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint team = taken[0] / 8, member = taken[0] % 8, teams = get_num_groups(0) / 8;
  volatile global ulong2* const elements = (volatile global ulong2*)(exchanged + 16);
  local double2 x1_copies[2][10][512];
  double2 x1_r[10];
#pragma unroll
  for (int c = 0; c < 10; ++c) x1_r[c] = 0;
  local double2 e6[16][8];
  local double m6[8][16];
  local double2 d0[8];
  uint stage = 0, tag = taken[1];
  const long first = min((long)team * 8 + row_lane, rows - 1);
#pragma unroll
  for (int c = 0; c < 10; ++c) {
    const uint j = member * 64 + slot + c * 512;
    if (c + 1 < 10 || j < cols0) {
      copy_double2((uint)(ulong)&x1_copies[stage][c][lane], x1 + (first + j * rows), 16);
    }
  }
  local double b3[640];
  for (uint at = lane; at < 640; at += 512) {
    const uint j = min(member * 64 + at % 64 + at / 64 * 512, (uint)cols0 - 1);
    const double x2_at0 = x2[(long)j];
    b3[at] = x2_at0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  double a0 = 0.0;
  double a1[10];
#pragma unroll
  for (int c = 0; c < 10; ++c) a1[c] = 0.0;
  long tile = team;
  for (uint turn = 0; tile - teams < tiles; ++turn, ++tag, tile += teams) {
    const bool begins = tile < tiles, completes = turn > 0;
    const uint other = lane / 16, other_row = lane % 16;
    const bool asks = completes && lane < 128;
    ulong2 left0 = (ulong2)(0);
    if (asks) left0 = elements[(((tag & 3) * teams + team) * 8 + other) * 16 + 0 + other_row];
    // work-items of one warp after the other complete a row each
    const uint own_row = lane % 32;
    const bool own = completes && lane / 32 == turn % 16 && own_row < 16;
    const long own_i = min((tile - teams) * 16 + own_row, rows * 2 - 1);
    double x0_own = 0;
    if (own) x0_own = ((global const double*)x0)[own_i];
    wait_for_copies();
    if (tile + teams < tiles) {
      const long next = min((tile + teams) * 8 + row_lane, rows - 1);
#pragma unroll
      for (int c = 0; c < 10; ++c) {
        const uint j = member * 64 + slot + c * 512;
        if (c + 1 < 10 || j < cols0) {
          copy_double2((uint)(ulong)&x1_copies[stage ^ 1][c][lane], x1 + (next + j * rows), 16);
        }
      }
    }
    if (begins) {
      double2 w6 = (double2)(0.0);
#pragma unroll
      for (int c = 0; c < 10; ++c) {
        const uint j = member * 64 + slot + c * 512;
        if (c + 1 < 10 || j < cols0) {
          const uint at = slot + c * 64;
          const double2 x1_i = x1_copies[stage][c][lane];
          w6 = w6 + (x1_i * b3[at]);
        }
      }
      w6 = w6 + (from_lane_double2(w6, 8));
      w6 = w6 + (from_lane_double2(w6, 16));
      if ((lane & 31) < 8) e6[lane / 32][row_lane] = w6;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (begins && lane < 16) {
      const uint own_tag = tag + 1;
      const ulong high = (ulong)own_tag << 32;
      {
        double r6 = ((local const double*)e6)[lane];
#pragma unroll
        for (int w = 1; w < 16; ++w) r6 = r6 + (((local const double*)e6)[w * 16 + lane]);
        const ulong bits = as_ulong(r6);
        elements[(((own_tag & 3) * teams + team) * 8 + member) * 16 + 0 + lane] = (ulong2)(high | (uint)bits, high | bits >> 32);
      }
    }
    if (asks) {
      while ((uint)(left0.x >> 32) != tag || (uint)(left0.y >> 32) != tag) left0 = elements[(((tag & 3) * teams + team) * 8 + other) * 16 + 0 + other_row];
      m6[other][other_row] = as_double((left0.x & UINT_MAX) | left0.y << 32);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own && (tile - teams) * 16 + own_row < rows * 2) {
      double r6 = m6[0][own_row];
#pragma unroll
      for (int w = 1; w < 8; ++w) r6 = r6 + m6[w][own_row];
      const double x0_i = x0_own;
      const double v0 = x0_i - inv_logit_double(r6);
      ((local double*)d0)[own_row] = v0;
      if (member == turn % 8) {
        a0 = a0 + (x0_i * r6 - log1p_exp_double(r6));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (completes && (tile - teams) * 8 + row_lane < rows) {
#pragma unroll
      for (int c = 0; c < 10; ++c) {
        const uint j = member * 64 + slot + c * 512;
        if (c + 1 < 10 || j < cols0) {
          const double2 x1_i = x1_r[c];
          const double2 f1 = x1_i * d0[row_lane];
          a1[c] = a1[c] + (f1.s0 + f1.s1);
        }
      }
    }
#pragma unroll
    for (int c = 0; c < 10; ++c) x1_r[c] = x1_copies[stage][c][lane];
    stage ^= 1;
  }
  if (lane == 0 && atomic_inc(exchanged + 1) + 1 == get_num_groups(0)) {
    exchanged[0] = exchanged[1] = 0;
    exchanged[2] = taken[1] + (uint)tags;
    if (exchanged[2] > 0xC0000000u) {
      for (uint at = 0; at < 65536; ++at) elements[at] = (ulong2)(0);
      exchanged[2] = 0;
    }
  }
  // sums over the rows of all tiles of this group
  local long together[1024];
#pragma unroll
  for (int c = 0; c < 10; ++c) {
    a1[c] = a1[c] + (from_lane_double(a1[c], 1));
    a1[c] = a1[c] + (from_lane_double(a1[c], 2));
    a1[c] = a1[c] + (from_lane_double(a1[c], 4));
  }
#pragma unroll
  for (int c = 0; c < 10; ++c) {
    const uint j = member * 64 + slot + c * 512;
    if (row_lane == 0 && j < cols0) p1[j + team * cols0] = a1[c];
  }
  a0 = a0 + (from_lane_double(a0, 1));
  a0 = a0 + (from_lane_double(a0, 2));
  a0 = a0 + (from_lane_double(a0, 4));
  a0 = a0 + (from_lane_double(a0, 8));
  a0 = a0 + (from_lane_double(a0, 16));
  {
    local double* const tree0 = (local double*)(together + 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    tree0[lane] = a0;
    for (uint stride = 256; stride >= 32; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < stride) {
        tree0[lane] = tree0[lane] + (tree0[lane + stride]);
      }
    }
    if (lane == 0) {
      p0[taken[0]] = tree0[0];
    }
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(512, 1, 1)))
void fused_row_tile_5e5fe958_finish(global double* restrict y0, global double* restrict y1,
                                    global const char* all_parts, const long apart0, const long apart1,
                                    const long parts, const long results0, const long groups0,
                                    const long results1, const long groups1) {
  global const double* const p0 = (global const double*)all_parts;
  global const double* const p1 = (global const double*)(all_parts + 1 * apart0);
  const long group = get_group_id(0);
  const uint lane = get_local_id(0);
  local long together[1024];
  {
    const uint down = lane / 1;
    const long i = (group - 0) * 1 + lane % 1;
    const bool taken = group >= 0 && group < groups0 && i < results0;
    double r0 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts; part += 512) {
        r0 = r0 + (p0[i + part * results0]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r0;
      for (uint stride = 256; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride]);
        }
      }
      r0 = tree0[lane];
    }
    if (taken && down == 0) {
      y0[0] = r0;
    }
  }
  {
    const uint down = lane / 8;
    const long i = (group - groups0) * 8 + lane % 8;
    const bool taken = group >= groups0 && group < groups1 && i < results1;
    double r1 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts / 8; part += 64) {
        r1 = r1 + (p1[i + part * results1]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r1;
      for (uint stride = 32; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride * 8]);
        }
      }
      r1 = tree0[lane];
    }
    if (taken && down == 0) {
      y1[i] = r1;
    }
  }
}
