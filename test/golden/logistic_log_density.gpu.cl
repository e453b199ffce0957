#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double2 exp_of_nonpositive_double2(double2 x) {
  return exp(x);
}

static inline __attribute__((always_inline)) double2 moderate_quotient_double2(double2 n, double2 d) {
  return n / d;
}

// k log(2) + log(1 + f) for f from -0.3 to 0.42: the series in f / (2 + f) of fdlibm's log.
static inline __attribute__((always_inline)) double2 log_of_parts_double2(double2 k, double2 f) {
  double2 s = moderate_quotient_double2(f, 2 + f);
  double2 z = s * s;
  double2 p = 0.1479819860511658591;
  p = (p * z + 0.1531383769920937332) * z + 0.1818357216161805012;
  p = (p * z + 0.2222219843214978396) * z + 0.2857142874366239149;
  p = (p * z + 0.3999999999940941908) * z + 0.6666666666666735130;
  double2 h = 0.5 * f * f;
  return k * 0.693147180369123816490 - ((h - (s * (h + z * p) + k * 1.90821492927058770002e-10)) - f);
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

// y0 = sum(x0 * x1 - log1p_exp(x1))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_5ec13ccb(global double* restrict y0, global const double2* restrict x0,
                           global const double2* restrict x1, const long count, const long chunk,
                           const long elements, const uint first_stride) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double2 r0_v = 0.0;
  local double shared0[256];
  const uint lane = get_local_id(0);
#pragma unroll 4
  for (long i = begin + lane; i < end; i += 256) {
    const long2 inside = (long2)(i * 2) + (long2)(0, 1) < elements;
    const double2 x0_i = x0[i];
    const double2 x1_i = x1[i];
    r0_v = r0_v + (inside ? x0_i * x1_i - log1p_exp_double2(x1_i) : (double2)(0.0));
  }
  double r0 = r0_v.lo + r0_v.hi;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride && lane + stride < 256) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (lane == 0) {
    y0[0] = r0;
  }
}
