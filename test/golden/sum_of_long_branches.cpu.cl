#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 1: a rational function of
// 1/x.
static inline __attribute__((always_inline)) double4 stirling_correction_double4(double4 x) {
  double4 t = 1 / x;
  double4 num = -3.186845202138288e-05;
  num = (num * t + 0.019696239439096947) * t + 0.3588634801387386;
  num = (num * t + 1.2787637162054337) * t + 2.2068419962020016;
  num = (num * t + 2.146860020635745) * t + 1.2861663805593588;
  num = (num * t + 0.43966322836997274) * t + 0.08333333333333334;
  double4 den = 0.011241817279901235;
  den = (den * t + 0.5657431378290337) * t + 5.0657935703891095;
  den = (den * t + 16.159524153567908) * t + 26.988157779808148;
  den = (den * t + 25.938185539793167) * t + 15.467329900033373;
  den = (den * t + 5.275958740439745) * t + 1.0;
  return t * num / den;
}

// Logarithm of the beta function for a < 1, a <= b. Both below 1: B(a,b) = B(a,b+1) (a+b)/b. The
// three log-gammas are then Stirling's formula with corrections, its large terms cancelled by hand;
// lgamma(a) = lgamma(1+a) - log(a).
static inline __attribute__((always_inline)) double4 lbeta_below_1_double4(double4 x, double4 y) {
  double4 a = fmin(x, y);
  double4 b = fmax(x, y);
  double4 shift = log1p(b < 1 ? a / b : (double4)(0));
  b = b < 1 ? 1 + b : b;
  double4 value = (a + 0.5) * log1p(a) - a * log(a + b) - (b - 0.5) * log1p(a / b) - 0.08106146679532726 - log(a);
  double4 correction = stirling_correction_double4(1 + a) + stirling_correction_double4(b) - stirling_correction_double4(a + b);
  value = value + correction + shift;
  value = a == 0 ? (double4)(INFINITY) : (isinf(b) ? -b : value);
  return a < 0 || x != x || y != y ? (double4)(NAN) : value;
}

// Logarithm of the beta function. Where x and y are at least 1, the three log-gammas are Stirling's
// formula with corrections, its large terms cancelled by hand. Its logarithms are those of the derivatives.
static inline __attribute__((always_inline)) double4 lbeta_double4(double4 x, double4 y) {
  double4 value = 0.9189385332046727 - (x - 0.5) * log1p(y / x) - y * log1p(x / y) - 0.5 * log(y);
  value = value + (stirling_correction_double4(x) + stirling_correction_double4(y) - stirling_correction_double4(x + y));
  value = isinf(x) || isinf(y) ? (double4)(-INFINITY) : value;
  long4 special = x >= 1 && y >= 1 ? (long4)(0) : (long4)(-1);
  if (any(special)) value = special ? lbeta_below_1_double4(x, y) : value;
  return value;
}

// y0 = sum(x0 > x1 ? lbeta(x0, x1) + lbeta(x0, x1) * lbeta(x0, x1) : x1)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_0d98b027(global double* restrict y0, global const double4* restrict x0,
                           global const double4* restrict x1, const long count, const long chunk,
                           const long elements) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double4 r0_v = 0.0;
  for (long i = begin; i < end; ++i) {
    const long4 inside = (long4)(i * 4) + (long4)(0, 1, 2, 3) < elements;
    const double4 x0_i = x0[i];
    const double4 x1_i = x1[i];
    const double4 v0 = lbeta_double4(x0_i, x1_i);
    r0_v = r0_v + (inside ? x0_i > x1_i ? v0 + v0 * v0 : x1_i : (double4)(0.0));
  }
  const double2 r0_2 = r0_v.lo + r0_v.hi;
  double r0 = r0_2.lo + r0_2.hi;
  y0[0] = r0;
}
