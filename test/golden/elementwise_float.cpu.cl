// y0 = fmax(x0, s0) - x1 * x1 * s1
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_linear_eaf0f7c1(global float8* restrict y0, global const float8* restrict x0, const float s0,
                           global const float8* restrict x1, const float s1, const long count,
                           const long chunk) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  for (long i = begin; i < end; ++i) {
    const float8 x0_i = x0[i];
    const float8 x1_i = x1[i];
    y0[i] = fmax(x0_i, (float8)(s0)) - x1_i * x1_i * s1;
  }
}
