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

// With y = 1 + z >= 1/2: lgamma(y) = z (z-1) (1/2 + R(z)) below 5, else Stirling's series;
// lgamma(x) = lgamma(1+x) - log(x) below 1/2, and lgamma(x) = -log(|sin(pi x)| / pi) - lgamma(1-x) below 0.
static inline __attribute__((always_inline)) double2 log_gamma_double2(double2 x) {
  double2 z = x < 0.5 ? fabs(x) : x - 1;
  double2 v = z + 0.5;
  double2 num = -2.4826024655455947e-08;
  num = (num * v - 0.0002574309582931263) * v - 0.011887597010887147;
  num = (num * v - 0.16166944176572667) * v - 0.894478929915661;
  num = (num * v - 2.2114014433852014) * v - 2.1799088712155963;
  num = (num * v + 0.2256711855315465) * v + 1.9614638965589544;
  num = (num * v + 1.288516159104328) * v + 0.2631532572329334;
  double2 den = 0.0005258926346759723 * v + 0.027803892571427385;
  den = (den * v + 0.46015355527429874) * v + 3.366352635004216;
  den = (den * v + 12.619082124798117) * v + 26.12344084490004;
  den = (den * v + 30.80850621486936) * v + 20.47965014856136;
  den = (den * v + 7.111651188323255) * v + 1.0;
  double2 y = x < 0.5 ? 1 + z : x;
  double2 t = 1 / (y < 5 ? den : y);
  double2 s = t * t;
  double2 correction = -0.013302567074776245 * s + 0.005558696349007315;
  correction = (correction * s - 0.0018916713720939146) * s + 0.0008412969137226245;
  correction = (correction * s - 0.0005952336787527981) * s + 0.0007936507723274582;
  correction = (correction * s - 0.0027777777777383533) * s + 0.08333333333333331;
  double2 product = z * (z - 1);
  double2 near = fma(product, num * t, 0.5 * product);
  double2 l = log(x >= 0 && x < 0.5 ? x : y);
  double2 far = (y - 0.5) * (l - 1) + (0.4189385332046727 + t * correction);
  double2 value = y < 5 ? near : far;
  value = x < 0.5 ? value - l : value;
  if (any(x < 0 ? (long2)(-1) : (long2)(0))) {
    double2 r = x - rint(x);
    s = r * r;
    double2 sine = 2.449273628334033e-07;
    sine = (sine * s - 6.971997192846468e-06) * s + 0.00014842779959369133;
    sine = (sine * s - 0.002346080886564395) * s + 0.02614784780450039;
    sine = (sine * s - 0.1907518241214287) * s + 0.8117424252833372;
    sine = (sine * s - 1.6449340668482262) * s + 1.0;
    value = x < 0 ? -(y < 5 ? near : far) - log(fabs(r) * sine) : value;
  }
  return isinf(x) ? fabs(x) : value;
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

static inline __attribute__((always_inline)) double exp_unbranched_double(double x) {
  return exp_in_range_double(x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x);
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

// y0 = sum(x0 * rowwise_sum(x1 * broadcast(x2[j, n7 + i])) - log1p_exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) - lgamma(x0 + 1))
// y1 = colwise_sum(x1 * broadcast(x0 - inv_logit(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(-(rowwise_sum(x1 * broadcast(x2[j, n7 + i])) * rowwise_sum(x1 * broadcast(x2[j, n7 + i]))))))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_row_tile_302dfdde(global char* all_parts, const long apart0, const long apart1,
                             global const double2* restrict x0, global const double2* restrict x1,
                             global const double* restrict x2, const long n7, const long n3,
                             const long rows, const long tiles, const long cols0) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  local double2 e6[8][32];
  local double2 d20[32];
  const uint lane = get_local_id(0), row_lane = lane % 32, slot = lane / 32;
  local double b3[104];
  for (uint j = lane; j < cols0; j += 256) {
    const double x2_at0 = x2[(long)j + n7 * n3];
    b3[j] = x2_at0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  double a0 = 0.0;
  double a1[13];
#pragma unroll
  for (int c = 0; c < 13; ++c) a1[c] = 0.0;
  // terms of rows alone
  for (long i = (long)get_group_id(0) * 256 + lane; i < rows; i += (long)get_num_groups(0) * 256) {
    const double2 x0_i = x0[i];
    const double2 f0 = -(log_gamma_double2(x0_i + 1.0));
    a0 = a0 + (f0.s0 + f0.s1);
  }
  double2 x0_next_row;
  double2 x1_next_r[13];
  const long first = min((long)get_group_id(0) * 32 + row_lane, rows - 1);
  x0_next_row = x0[first];
#pragma unroll
  for (int c = 0; c < 13; ++c) {
    const uint j = slot + c * 8;
    if (c + 1 < 13 || j < cols0) {
      x1_next_r[c] = x1[first + j * rows];
    }
  }
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const bool inside = tile * 32 + row_lane < rows;
    const long following = min(tile + (long)get_num_groups(0), tiles - 1);
    const long next = min(following * 32 + row_lane, rows - 1);
    double2 x0_row;
    double2 x1_r[13];
    x0_row = x0_next_row;
#pragma unroll
    for (int c = 0; c < 13; ++c) x1_r[c] = x1_next_r[c];
    double2 w6 = (double2)(0.0);
    if (inside) {
#pragma unroll
      for (int c = 0; c < 13; ++c) {
        const uint j = slot + c * 8;
        if (c + 1 < 13 || j < cols0) {
          const double2 x1_i = x1_r[c];
          w6 = w6 + (x1_i * b3[j]);
        }
      }
    }
    x0_next_row = x0[next];
#pragma unroll
    for (int c = 0; c < 13; ++c) {
      const uint j = slot + c * 8;
      if (c + 1 < 13 || j < cols0) {
        x1_next_r[c] = x1[next + j * rows];
      }
    }
    e6[slot][row_lane] = w6;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (slot < 2) {
      const uint part = slot - 0;
      const uint own = row_lane * 2 + part;
      double r6 = ((local double*)e6[0])[own];
#pragma unroll
      for (int w = 1; w < 8; ++w) r6 = r6 + (((local double*)e6[w])[own]);
      const double x0_i = (part == 1 ? x0_row.s1 : x0_row.s0);
      const double v0 = x0_i - inv_logit_double(r6) + exp_unbranched_double(-(r6 * r6));
      ((local double*)d20)[own] = v0;
    }
    else if (slot >= 2 && slot < 4) {
      const uint part = slot - 2;
      const uint own = row_lane * 2 + part;
      double r6 = ((local double*)e6[0])[own];
#pragma unroll
      for (int w = 1; w < 8; ++w) r6 = r6 + (((local double*)e6[w])[own]);
      if (inside) {
        const double x0_i = (part == 1 ? x0_row.s1 : x0_row.s0);
        a0 = a0 + ((x0_i * r6) - (log1p_exp_double(r6)));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside) {
#pragma unroll
      for (int c = 0; c < 13; ++c) {
        const uint j = slot + c * 8;
        if (c + 1 < 13 || j < cols0) {
          const double2 x1_i = x1_r[c];
          const double2 f1 = x1_i * d20[row_lane];
          a1[c] = a1[c] + (f1.s0 + f1.s1);
        }
      }
    }
  }
  // sums over the rows of all tiles of this group
  local long together[1024];
#pragma unroll
  for (int c = 0; c < 13; ++c) {
    a1[c] = a1[c] + (from_lane_double(a1[c], 1));
    a1[c] = a1[c] + (from_lane_double(a1[c], 2));
    a1[c] = a1[c] + (from_lane_double(a1[c], 4));
    a1[c] = a1[c] + (from_lane_double(a1[c], 8));
    a1[c] = a1[c] + (from_lane_double(a1[c], 16));
  }
#pragma unroll
  for (int c = 0; c < 13; ++c) {
    const uint j = slot + c * 8;
    if (row_lane == 0 && j < cols0) p1[j + get_group_id(0) * cols0] = a1[c];
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
    for (uint stride = 128; stride >= 32; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < stride) {
        tree0[lane] = tree0[lane] + (tree0[lane + stride]);
      }
    }
    if (lane == 0) {
      p0[get_group_id(0)] = tree0[0];
    }
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_row_tile_302dfdde_finish(global double* restrict y0, global double* restrict y1,
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
      for (long part = down; part < parts; part += 256) {
        r0 = r0 + (p0[i + part * results0]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r0;
      for (uint stride = 128; stride >= 1; stride /= 2) {
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
    const uint down = lane / 2;
    const long i = (group - groups0) * 2 + lane % 2;
    const bool taken = group >= groups0 && group < groups1 && i < results1;
    double r1 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts; part += 128) {
        r1 = r1 + (p1[i + part * results1]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r1;
      for (uint stride = 64; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride * 2]);
        }
      }
      r1 = tree0[lane];
    }
    if (taken && down == 0) {
      y1[i] = r1;
    }
  }
}
