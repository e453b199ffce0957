#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// truncated quotient that is 0 for a zero divisor and wraps for the most negative value over -1
static inline __attribute__((always_inline)) int2 quotient_int2(int2 a, int2 b) {
  const int2 divisor = (b == 0) || ((b == (int2)(-1)) & ((int2)(-1) < (int2)(0))) ? (int2)(1) : b;
  return b == 0 ? (int2)(0) : (divisor == b ? a / divisor : (int2)(0) - a);
}

// y0 = cast<double>(x0) + cast<double>(integer_divide(cast<int>(x1), 2))
// y1 = x0 > x1 && !isnan(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_62c92cfc(global double2* restrict y0, global uchar2* restrict y1,
                           global const float2* restrict x0, global const float2* restrict x1,
                           const long count) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const float2 x0_i = x0[i];
  const float2 x1_i = x1[i];
  const double2 v0 = convert_double2(quotient_int2(convert_int2(x1_i), (int2)(2)));
  y0[i] = convert_double2(x0_i) + v0;
  y1[i] = convert_uchar2(-(convert_long2(x0_i > x1_i) && !convert_long2(isnan(x0_i))));
}
