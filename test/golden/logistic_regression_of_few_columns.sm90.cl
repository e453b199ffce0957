#pragma OPENCL EXTENSION cl_khr_fp64 : enable

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

static inline __attribute__((always_inline)) double2 exp_of_nonpositive_double2(const double2 a) {
  return (double2)(exp_of_nonpositive_double(a.s0), exp_of_nonpositive_double(a.s1));
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

static inline __attribute__((always_inline)) double2 moderate_quotient_double2(const double2 a, const double2 b) {
  return (double2)(moderate_quotient_double(a.s0, b.s0), moderate_quotient_double(a.s1, b.s1));
}

// 1 / (1 + exp(-x)), with an exponential that never overflows; of x and -x, the quotient is the same.
static inline __attribute__((always_inline)) double2 inv_logit_double2(double2 x) {
  double2 e = exp_of_nonpositive_double2(-fabs(x));
  double2 larger = moderate_quotient_double2(1, 1 + e);
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

static inline __attribute__((always_inline)) double2 log_of_parts_double2(const double2 a, const double2 b) {
  return (double2)(log_of_parts_double(a.s0, b.s0), log_of_parts_double(a.s1, b.s1));
}

// log(1 + x) for 0 <= x <= 1, with 1 + x = 2^k (1 + f).
static inline __attribute__((always_inline)) double2 log1p_unit_double2(double2 x) {
  double2 k = x > 0.41421356237309503 ? (double2)(1) : (double2)(0);
  return log_of_parts_double2(k, x > 0.41421356237309503 ? 0.5 * (x - 1) : x);
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)).
static inline __attribute__((always_inline)) double2 log1p_exp_double2(double2 x) {
  return fmax(x, (double2)(0)) + log1p_unit_double2(exp_of_nonpositive_double2(-fabs(x)));
}

// y0 = sum(x0 * rowwise_sum(x1 * broadcast(transpose(x2))) - log1p_exp(rowwise_sum(x1 * broadcast(transpose(x2)))))
// y1 = colwise_sum(x1 * broadcast(x0 - inv_logit(rowwise_sum(x1 * broadcast(transpose(x2))))))
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_row_tile_27013860(global double* restrict y0, global double* restrict y1, global char* all_parts,
                             const long apart0, const long apart1, volatile global uint* arrivals,
                             global const double2* restrict x0, global const double2* restrict x1,
                             global const double* restrict x2, const long rows, const long tiles,
                             const long cols0, const long results0, const long groups0, const long results1,
                             const long groups1) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  const uint lane = get_local_id(0), row_lane = lane % 128, slot = lane / 128;
  local double b3[10];
  for (uint j = lane; j < cols0; j += 128) {
    const double x2_at0 = x2[(long)j];
    b3[j] = x2_at0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  double a0 = 0.0;
  double a1[10];
#pragma unroll
  for (int c = 0; c < 10; ++c) a1[c] = 0.0;
  double2 x0_next_row;
  double2 x1_next_r[10];
  const long first = min((long)get_group_id(0) * 128 + row_lane, rows - 1);
  x0_next_row = x0[first];
#pragma unroll
  for (int c = 0; c < 10; ++c) {
    const uint j = slot + c * 1;
    if (c + 1 < 10 || j < cols0) {
      x1_next_r[c] = x1[first + j * rows];
    }
  }
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const bool inside = tile * 128 + row_lane < rows;
    const long following = min(tile + (long)get_num_groups(0), tiles - 1);
    const long next = min(following * 128 + row_lane, rows - 1);
    double2 x0_row;
    double2 x1_r[10];
    x0_row = x0_next_row;
#pragma unroll
    for (int c = 0; c < 10; ++c) x1_r[c] = x1_next_r[c];
    double2 w6 = (double2)(0.0);
    if (inside) {
#pragma unroll
      for (int c = 0; c < 10; ++c) {
        const uint j = slot + c * 1;
        if (c + 1 < 10 || j < cols0) {
          const double2 x1_i = x1_r[c];
          w6 = w6 + (x1_i * b3[j]);
        }
      }
    }
    x0_next_row = x0[next];
#pragma unroll
    for (int c = 0; c < 10; ++c) {
      const uint j = slot + c * 1;
      if (c + 1 < 10 || j < cols0) {
        x1_next_r[c] = x1[next + j * rows];
      }
    }
    const double2 r6 = w6;
    const double2 x0_i = x0_row;
    const double2 v0 = x0_i - inv_logit_double2(r6);
    if (inside) {
#pragma unroll
      for (int c = 0; c < 10; ++c) {
        const uint j = slot + c * 1;
        if (c + 1 < 10 || j < cols0) {
          const double2 x1_i = x1_r[c];
          const double2 f1 = x1_i * v0;
          a1[c] = a1[c] + (f1.s0 + f1.s1);
        }
      }
    }
    if (inside) {
      const double2 f0 = x0_i * r6 - log1p_exp_double2(r6);
      a0 = a0 + (f0.s0 + f0.s1);
    }
  }
  // sums over the rows of all tiles of this group
  local long together[1024];
#pragma unroll
  for (int c = 0; c < 10; ++c) {
    a1[c] = a1[c] + (from_lane_double(a1[c], 1));
    a1[c] = a1[c] + (from_lane_double(a1[c], 2));
    a1[c] = a1[c] + (from_lane_double(a1[c], 4));
    a1[c] = a1[c] + (from_lane_double(a1[c], 8));
    a1[c] = a1[c] + (from_lane_double(a1[c], 16));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 0; c < 10; ++c)
    if (row_lane % 32 == 0) ((local double*)together)[((c - 0) * 1 + slot) * 4 + row_lane / 32] = a1[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 10; t += 128) {
    const uint j = t % 1 + (0 + t / 1) * 1;
    double v = ((local double*)together)[t * 4];
    for (uint w = 1; w < 4; ++w) v = v + (((local double*)together)[t * 4 + w]);
    if (j < cols0) p1[j + get_group_id(0) * cols0] = v;
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
    for (uint stride = 64; stride >= 32; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < stride) {
        tree0[lane] = tree0[lane] + (tree0[lane + stride]);
      }
    }
    if (lane == 0) {
      p0[get_group_id(0)] = tree0[0];
    }
  }
  // the group that arrives last adds what all have left
  local uint is_last[1];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (lane == 0) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    is_last[0] = atomic_inc(arrivals) + 1 == get_num_groups(0);
    if (is_last[0]) *arrivals = 0;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (is_last[0]) {
    for (long group = 0; group < groups0; ++group) {
      const uint down = lane / 1;
      const long i = (group - 0) * 1 + lane % 1;
      const bool taken = i < results0;
      double r0 = 0.0;
      if (taken) {
#pragma unroll 8
        for (long part = down; part < get_num_groups(0); part += 128) {
          r0 = r0 + (p0[i + part * results0]);
        }
      }
      {
        local double* const tree0 = (local double*)(together + 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        tree0[lane] = r0;
        for (uint stride = 64; stride >= 1; stride /= 2) {
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
    for (long group = groups0; group < groups1; ++group) {
      const uint down = lane / 16;
      const long i = (group - groups0) * 16 + lane % 16;
      const bool taken = i < results1;
      double r1 = 0.0;
      if (taken) {
#pragma unroll 8
        for (long part = down; part < get_num_groups(0); part += 8) {
          r1 = r1 + (p1[i + part * results1]);
        }
      }
      {
        local double* const tree0 = (local double*)(together + 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        tree0[lane] = r1;
        for (uint stride = 4; stride >= 1; stride /= 2) {
          barrier(CLK_LOCAL_MEM_FENCE);
          if (down < stride) {
            tree0[lane] = tree0[lane] + (tree0[lane + stride * 16]);
          }
        }
        r1 = tree0[lane];
      }
      if (taken && down == 0) {
        y1[i] = r1;
      }
    }
  }
}
