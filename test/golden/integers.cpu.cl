// remainder of the truncated quotient, 0 for a zero divisor
static inline __attribute__((always_inline)) int8 remainder_int8(int8 a, int8 b) {
  const int8 divisor = (b == 0) || ((b == (int8)(-1)) & ((int8)(-1) < (int8)(0))) ? (int8)(1) : b;
  return a % divisor;
}

// truncated quotient that is 0 for a zero divisor and wraps for the most negative value over -1
static inline __attribute__((always_inline)) int8 quotient_int8(int8 a, int8 b) {
  const int8 divisor = (b == 0) || ((b == (int8)(-1)) & ((int8)(-1) < (int8)(0))) ? (int8)(1) : b;
  return b == 0 ? (int8)(0) : (divisor == b ? a / divisor : (int8)(0) - a);
}

// y0 = modulo(x0, x1) + x1 * integer_divide(x0, s0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_5f26d3e9(global int8* restrict y0, global const int8* restrict x0,
                           global const int8* restrict x1, const int s0, const long count, const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  for (long i = begin; i < end; ++i) {
    const int8 x0_i = x0[i];
    const int8 x1_i = x1[i];
    const int8 v0 = remainder_int8(x0_i, x1_i) + x1_i * quotient_int8(x0_i, (int8)(s0));
    y0[i] = v0;
  }
}
