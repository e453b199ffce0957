#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 1: a rational function of
// 1/x.
static inline __attribute__((always_inline)) double stirling_correction_double(double x) {
  double t = 1 / x;
  double num = -3.186845202138288e-05;
  num = (num * t + 0.019696239439096947) * t + 0.3588634801387386;
  num = (num * t + 1.2787637162054337) * t + 2.2068419962020016;
  num = (num * t + 2.146860020635745) * t + 1.2861663805593588;
  num = (num * t + 0.43966322836997274) * t + 0.08333333333333334;
  double den = 0.011241817279901235;
  den = (den * t + 0.5657431378290337) * t + 5.0657935703891095;
  den = (den * t + 16.159524153567908) * t + 26.988157779808148;
  den = (den * t + 25.938185539793167) * t + 15.467329900033373;
  den = (den * t + 5.275958740439745) * t + 1.0;
  return t * num / den;
}

// Logarithm of the beta function for a < 1, a <= b. Both below 1: B(a,b) = B(a,b+1) (a+b)/b. The
// three log-gammas are then Stirling's formula with corrections, its large terms cancelled by hand;
// lgamma(a) = lgamma(1+a) - log(a).
static inline __attribute__((always_inline)) double lbeta_below_1_double(double x, double y) {
  double a = fmin(x, y);
  double b = fmax(x, y);
  double shift = log1p(b < 1 ? a / b : (double)(0));
  b = b < 1 ? 1 + b : b;
  double value = (a + 0.5) * log1p(a) - a * log(a + b) - (b - 0.5) * log1p(a / b) - 0.08106146679532726 - log(a);
  double correction = stirling_correction_double(1 + a) + stirling_correction_double(b) - stirling_correction_double(a + b);
  value = value + correction + shift;
  value = a == 0 ? (double)(INFINITY) : (isinf(b) ? -b : value);
  return a < 0 || x != x || y != y ? (double)(NAN) : value;
}

// Logarithm of the beta function. Where x and y are at least 1, the three log-gammas are Stirling's
// formula with corrections, its large terms cancelled by hand. Its logarithms are those of the derivatives.
static inline __attribute__((always_inline)) double lbeta_double(double x, double y) {
  double value = 0.9189385332046727 - (x - 0.5) * log1p(y / x) - y * log1p(x / y) - 0.5 * log(y);
  value = value + (stirling_correction_double(x) + stirling_correction_double(y) - stirling_correction_double(x + y));
  value = isinf(x) || isinf(y) ? (double)(-INFINITY) : value;
  long special = x >= 1 && y >= 1 ? (long)(0) : (long)(-1);
  if (any(special)) value = special ? lbeta_below_1_double(x, y) : value;
  return value;
}

// y0 = sum(x0 > x1 ? lbeta(x0, x1) + lbeta(x0, x1) * lbeta(x0, x1) : x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_4db75869(global double* p0, global const double* restrict x0,
                           global const double* restrict x1, const long count, const long chunk,
                           const uint first_stride) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double r0_v = 0.0;
  local double shared0[256];
  const uint lane = get_local_id(0);
#pragma unroll 4
  for (long i = begin + lane; i < end; i += 256) {
    const double x0_i = x0[i];
    const double x1_i = x1[i];
    const double v0 = x0_i > x1_i ? lbeta_double(x0_i, x1_i) : 0.0;
    r0_v = r0_v + (x0_i > x1_i ? v0 + v0 * v0 : x1_i);
  }
  double r0 = r0_v;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride && lane + stride < 256) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (lane == 0) {
    p0[get_group_id(0)] = r0;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_4db75869_finish(global double* restrict y0, global const double* p0, const long results,
                                  const long parts, const uint lanes, const uint first_stride) {
  local double shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = (long)get_group_id(0) * lanes + across;
  double r0 = 0.0;
  if (i < results && down < rounds) {
#pragma unroll 4
    for (long part = down; part < parts; part += rounds) {
      r0 = r0 + (p0[i + part * results]);
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
  if (down == 0 && i < results) {
    y0[0] = r0;
  }
}
