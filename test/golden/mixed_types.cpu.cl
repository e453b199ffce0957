#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// truncated quotient that is 0 for a zero divisor and wraps for the most negative value over -1
static inline __attribute__((always_inline)) int4 quotient_int4(int4 a, int4 b) {
  const int4 divisor = (b == 0) || ((b == (int4)(-1)) & ((int4)(-1) < (int4)(0))) ? (int4)(1) : b;
  return b == 0 ? (int4)(0) : (divisor == b ? a / divisor : (int4)(0) - a);
}

// y0 = cast<double>(x0) + cast<double>(integer_divide(cast<int>(x1), 2))
// y1 = x0 > x1 && !isnan(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_5c6849d4(global double4* restrict y0, global uchar4* restrict y1,
                           global const float4* restrict x0, global const float4* restrict x1,
                           const long count, const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  for (long i = begin; i < end; ++i) {
    const float4 x0_i = x0[i];
    const float4 x1_i = x1[i];
    const double4 v0 = convert_double4(quotient_int4(convert_int4(x1_i), (int4)(2)));
    y0[i] = convert_double4(x0_i) + v0;
    y1[i] = convert_uchar4(-(convert_long4(x0_i > x1_i) && !convert_long4(isnan(x0_i))));
  }
}
