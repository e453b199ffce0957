// remainder of the truncated quotient, 0 for a zero divisor
static inline __attribute__((always_inline)) int4 remainder_int4(int4 a, int4 b) {
  const int4 divisor = (b == 0) || ((b == (int4)(-1)) & ((int4)(-1) < (int4)(0))) ? (int4)(1) : b;
  return a % divisor;
}

// truncated quotient that is 0 for a zero divisor and wraps for the most negative value over -1
static inline __attribute__((always_inline)) int4 quotient_int4(int4 a, int4 b) {
  const int4 divisor = (b == 0) || ((b == (int4)(-1)) & ((int4)(-1) < (int4)(0))) ? (int4)(1) : b;
  return b == 0 ? (int4)(0) : (divisor == b ? a / divisor : (int4)(0) - a);
}

// y0 = modulo(x0, x1) + x1 * integer_divide(x0, s0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_ef2b5bcd(global int4* restrict y0, global const int4* restrict x0,
                           global const int4* restrict x1, const int s0, const long count) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const int4 x0_i = x0[i];
  const int4 x1_i = x1[i];
  const int4 v0 = remainder_int4(x0_i, x1_i) + x1_i * quotient_int4(x0_i, (int4)(s0));
  y0[i] = v0;
}
