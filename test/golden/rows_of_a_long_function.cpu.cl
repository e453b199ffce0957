#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double4 exp_of_nonpositive_double4(double4 x) {
  return exp(x);
}

static inline __attribute__((always_inline)) double4 moderate_quotient_double4(double4 n, double4 d) {
  return n / d;
}

// 1 / (1 + exp(-x)), with an exponential that never overflows; of x and -x, the quotient is the same.
static inline __attribute__((always_inline)) double4 inv_logit_double4(double4 x) {
  double4 e = exp_of_nonpositive_double4(-fabs(x));
  double4 larger = moderate_quotient_double4(1, 1 + e);
  return x < 0 ? e * larger : larger;
}

// k log(2) + log(1 + f) for f from -0.3 to 0.42: the series in f / (2 + f) of fdlibm's log.
static inline __attribute__((always_inline)) double4 log_of_parts_double4(double4 k, double4 f) {
  double4 s = moderate_quotient_double4(f, 2 + f);
  double4 z = s * s;
  double4 p = 0.1479819860511658591;
  p = (p * z + 0.1531383769920937332) * z + 0.1818357216161805012;
  p = (p * z + 0.2222219843214978396) * z + 0.2857142874366239149;
  p = (p * z + 0.3999999999940941908) * z + 0.6666666666666735130;
  double4 h = 0.5 * f * f;
  return k * 0.693147180369123816490 - ((h - (s * (h + z * p) + k * 1.90821492927058770002e-10)) - f);
}

// log(1 + x) for 0 <= x <= 1, with 1 + x = 2^k (1 + f).
static inline __attribute__((always_inline)) double4 log1p_unit_double4(double4 x) {
  double4 k = x > 0.41421356237309503 ? (double4)(1) : (double4)(0);
  return log_of_parts_double4(k, x > 0.41421356237309503 ? 0.5 * (x - 1) : x);
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)).
static inline __attribute__((always_inline)) double4 log1p_exp_double4(double4 x) {
  return fmax(x, (double4)(0)) + log1p_unit_double4(exp_of_nonpositive_double4(-fabs(x)));
}

// With y = 1 + z >= 1/2: lgamma(y) = z (z-1) (1/2 + R(z)) below 5, else Stirling's series;
// lgamma(x) = lgamma(1+x) - log(x) below 1/2, and lgamma(x) = -log(|sin(pi x)| / pi) - lgamma(1-x) below 0.
static inline __attribute__((always_inline)) double4 log_gamma_double4(double4 x) {
  double4 z = x < 0.5 ? fabs(x) : x - 1;
  double4 v = z + 0.5;
  double4 num = -2.4826024655455947e-08;
  num = (num * v - 0.0002574309582931263) * v - 0.011887597010887147;
  num = (num * v - 0.16166944176572667) * v - 0.894478929915661;
  num = (num * v - 2.2114014433852014) * v - 2.1799088712155963;
  num = (num * v + 0.2256711855315465) * v + 1.9614638965589544;
  num = (num * v + 1.288516159104328) * v + 0.2631532572329334;
  double4 den = 0.0005258926346759723 * v + 0.027803892571427385;
  den = (den * v + 0.46015355527429874) * v + 3.366352635004216;
  den = (den * v + 12.619082124798117) * v + 26.12344084490004;
  den = (den * v + 30.80850621486936) * v + 20.47965014856136;
  den = (den * v + 7.111651188323255) * v + 1.0;
  double4 y = x < 0.5 ? 1 + z : x;
  double4 t = 1 / (y < 5 ? den : y);
  double4 s = t * t;
  double4 correction = -0.013302567074776245 * s + 0.005558696349007315;
  correction = (correction * s - 0.0018916713720939146) * s + 0.0008412969137226245;
  correction = (correction * s - 0.0005952336787527981) * s + 0.0007936507723274582;
  correction = (correction * s - 0.0027777777777383533) * s + 0.08333333333333331;
  double4 product = z * (z - 1);
  double4 near = fma(product, num * t, 0.5 * product);
  double4 l = log(x >= 0 && x < 0.5 ? x : y);
  double4 far = (y - 0.5) * (l - 1) + (0.4189385332046727 + t * correction);
  double4 value = y < 5 ? near : far;
  value = x < 0.5 ? value - l : value;
  if (any(x < 0 ? (long4)(-1) : (long4)(0))) {
    double4 r = x - rint(x);
    s = r * r;
    double4 sine = 2.449273628334033e-07;
    sine = (sine * s - 6.971997192846468e-06) * s + 0.00014842779959369133;
    sine = (sine * s - 0.002346080886564395) * s + 0.02614784780450039;
    sine = (sine * s - 0.1907518241214287) * s + 0.8117424252833372;
    sine = (sine * s - 1.6449340668482262) * s + 1.0;
    value = x < 0 ? -(y < 5 ? near : far) - log(fabs(r) * sine) : value;
  }
  return isinf(x) ? fabs(x) : value;
}

// y0 = sum(x0 * rowwise_sum(x1 * broadcast(x2[j, n7 + i])) - log1p_exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) - lgamma(x0 + 1))
// y1 = colwise_sum(x1 * broadcast(x0 - inv_logit(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(-(rowwise_sum(x1 * broadcast(x2[j, n7 + i])) * rowwise_sum(x1 * broadcast(x2[j, n7 + i]))))))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_row_tile_f061210a(global double* restrict y0, global double* restrict y1, global char* all_parts,
                             const long apart0, const long apart1, volatile global uint* arrivals,
                             global const double* restrict x0, global const double* restrict x1,
                             global const double* restrict x2, const long n7, const long n3,
                             const long rows, const long tiles, const long each, const long cols0) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  const long begin_tile = (long)get_group_id(0) * each, end_tile = min(begin_tile + each, tiles);
  double a0 = 0.0;
  for (long tile = begin_tile; tile < end_tile; ++tile) {
    const long begin = tile * 512, end = min(begin + 512, rows);
    const int whole = (int)((end - begin) / 4);
    double4 w6_v[128];
    for (int v = 0; v < whole; ++v) w6_v[v] = (double4)(0.0);
    {
      for (long first = 0; first < cols0; first += 4) {
        for (int v = 0; v < whole; ++v) {
          const long i = begin + v * 4;
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            const long j = first + c;
            const long e = i + j * rows;
            const double4 x1_i = vload4(0, x1 + e);
            const double x2_at0 = x2[j + n7 * n3];
            w6_v[v] = w6_v[v] + (x1_i * x2_at0);
          }
        }
      }
    }
    double4 w20_v[128];
    {
      double4 f0_v = (double4)(0.0);
      for (int v = 0; v < whole; ++v) {
        const long i = begin + v * 4;
        const double4 x0_i = vload4(0, x0 + i);
        const double4 v0 = x0_i - inv_logit_double4(w6_v[v]) + exp(-(w6_v[v] * w6_v[v]));
        const double4 v1 = x0_i * w6_v[v] - log1p_exp_double4(w6_v[v]) - log_gamma_double4(x0_i + 1.0);
        w20_v[v] = v0;
        f0_v = f0_v + v1;
      }
      const double2 f0_2 = f0_v.lo + f0_v.hi;
      const double f0_1 = f0_2.lo + f0_2.hi;
      a0 = a0 + f0_1;
    }
    {
      for (long first = 0; first < cols0; first += 4) {
        double4 f1_v[4];
        for (int c = 0; c < 4; ++c) f1_v[c] = (double4)(0.0);
        for (int v = 0; v < whole; ++v) {
          const long i = begin + v * 4;
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            const long j = first + c;
            const long e = i + j * rows;
            const double4 x1_i = vload4(0, x1 + e);
            f1_v[c] = f1_v[c] + (x1_i * w20_v[v]);
          }
        }
        for (int c = 0; c < 4; ++c) {
          const long j = first + c;
          const double2 f1_2 = f1_v[c].lo + f1_v[c].hi;
          const double f1_1 = f1_2.lo + f1_2.hi;
          p1[j + get_group_id(0) * cols0] = tile == begin_tile ? f1_1 : (p1[j + get_group_id(0) * cols0]) + (f1_1);
        }
      }
    }
  }
  p0[get_group_id(0)] = a0;
  // the group that arrives last adds what all have left
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(arrivals) + 1 == get_num_groups(0)) {
    *arrivals = 0;
    for (long i = 0; i < 1; ++i) {
      double r0 = 0.0;
      for (long part = 0; part < get_num_groups(0); ++part) {
        r0 = r0 + (p0[i + part * 1]);
      }
      y0[0] = r0;
    }
    for (long i = 0; i < cols0; ++i) {
      double r1 = 0.0;
      for (long part = 0; part < get_num_groups(0); ++part) {
        r1 = r1 + (p1[i + part * cols0]);
      }
      y1[i] = r1;
    }
  }
}
