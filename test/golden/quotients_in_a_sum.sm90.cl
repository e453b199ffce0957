#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double2 divisor_double(double d) {
  return (double2)(1.0 / d, d);
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

static inline __attribute__((always_inline)) double2 log_unbranched_double2(const double2 a) {
  return (double2)(log_unbranched_double(a.s0), log_unbranched_double(a.s1));
}

// n / d, rounded as that where it and n are above 1e-290, else within 1.5 ulp; infinite where it is within 3 ulp
// of the largest number and 1 / d is rounded up.
static inline __attribute__((always_inline)) double2 quotient_by_double2(double2 n, double2 d) {
  double2 q = n * d.x, left = fma((double2)(-d.y), q, n);
  q = isnormal(left) ? fma((double2)(d.x), left, q) : q;
  if (fabs(d.y) < 0x1p-1022) q = n / d.y;  // the inverse may be infinite
  return q;
}

// y0 = sum(log(x0) * ((x0 - 0.5) / s1) - 1 / x0 / s3 + x0 / s4)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_19bafec2(global double* restrict y0, global double* p0, volatile global uint* arrivals,
                           global const double2* restrict x0, const double s1, const double s3,
                           const double s4, const long count, const long chunk, const uint first_stride) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  const double2 u0 = divisor_double(s1);
  const double2 u1 = divisor_double(s3);
  const double2 u2 = divisor_double(s4);
  double2 r0_v = 0.0;
  local double shared0[256];
  const uint lane = get_local_id(0);
#pragma unroll 4
  for (long i = begin + lane; i < end; i += 256) {
    const double2 x0_i = x0[i];
    const double2 v3 = log_unbranched_double2(x0_i) * quotient_by_double2(x0_i - 0.5, u0);
    const double2 v4 = v3 - quotient_by_double2(1.0 / x0_i, u1) + quotient_by_double2(x0_i, u2);
    r0_v = r0_v + v4;
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
    p0[get_group_id(0)] = r0;
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
    r0 = 0.0;
#pragma unroll 4
    for (uint part = lane; part < get_num_groups(0); part += 256) {
      r0 = r0 + p0[part];
    }
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
}
