// y0 = x0[n2 + i, n3 + j] + 1
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_4c581fa4(global float4* restrict y0, global const float* restrict x0, const long n2,
                             const long n3, const long n0, const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e / (uint)rows, i = e - j * (uint)rows;
  const long at1 = n2 + ((long)i * 4);
  const long at2 = n3 + (long)j;
  const float4 x0_at0 = vload4(0, x0 + at1 + at2 * n0);
  y0[e] = x0_at0 + 1.0f;
}
