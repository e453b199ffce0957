#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double4 exp_of_nonpositive_double4(double4 x) {
  return exp(x);
}

static inline __attribute__((always_inline)) double4 moderate_quotient_double4(double4 n, double4 d) {
  return n / d;
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

// y0 = sum(x0 * x1 - log1p_exp(x1))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_d723a93a(global double* restrict y0, global const double4* restrict x0,
                           global const double4* restrict x1, const long count, const long chunk,
                           const long elements) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v = 0.0;
  for (long i = begin; i < end; ++i) {
    const long4 inside = (long4)(i * 4) + (long4)(0, 1, 2, 3) < elements;
    const double4 x0_i = x0[i];
    const double4 x1_i = x1[i];
    r0_v = r0_v + (inside ? x0_i * x1_i - log1p_exp_double4(x1_i) : (double4)(0.0));
  }
  const double2 r0_2 = r0_v.lo + r0_v.hi;
  double r0 = r0_2.lo + r0_2.hi;
  y0[0] = r0;
}
