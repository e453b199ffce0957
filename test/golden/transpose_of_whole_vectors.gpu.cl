// y0 = transpose(x0) * 2
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_6f80b481(global float4* restrict y0, global const float* restrict x0, const long n0,
                             const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e / (uint)rows, i = e - j * (uint)rows;
  const float4 x0_at0 = (float4)(x0[(long)j + ((long)i * 4) * n0], x0[(long)j + ((long)i * 4 + 1) * n0], x0[(long)j + ((long)i * 4 + 2) * n0], x0[(long)j + ((long)i * 4 + 3) * n0]);
  y0[e] = x0_at0 * 2.0f;
}
