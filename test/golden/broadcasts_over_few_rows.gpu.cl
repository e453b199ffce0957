// y0 = (x0 - broadcast(x1)) / broadcast(x2)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_55ffa822(global float4* restrict y0, global const float4* restrict x0,
                             global const float* restrict x1, global const float* restrict x2,
                             const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e * 4 / (uint)rows, i = e * 4 - j * (uint)rows;
  const uint i1 = i + 1 < (uint)rows ? i + 1 : i + 1 - (uint)rows;
  const uint j1 = j + (i + 1 >= (uint)rows);
  const uint i2 = i + 2 < (uint)rows ? i + 2 : i + 2 - (uint)rows;
  const uint j2 = j + (i + 2 >= (uint)rows);
  const uint i3 = i + 3 < (uint)rows ? i + 3 : i + 3 - (uint)rows;
  const uint j3 = j + (i + 3 >= (uint)rows);
  const float4 x0_i = x0[e];
  const float4 x1_i = (float4)(x1[j], x1[j1], x1[j2], x1[j3]);
  const float4 x2_i = (float4)(x2[i], x2[i1], x2[i2], x2[i3]);
  y0[e] = (x0_i - x1_i) / x2_i;
}
