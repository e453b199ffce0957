// y0 = fmax(x0, s0) - x1 * x1 * s1
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_54cacacc(global float4* restrict y0, global const float4* restrict x0, const float s0,
                           global const float4* restrict x1, const float s1, const long count) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const float4 x0_i = x0[i];
  const float4 x1_i = x1[i];
  y0[i] = fmax(x0_i, (float4)(s0)) - x1_i * x1_i * s1;
}
