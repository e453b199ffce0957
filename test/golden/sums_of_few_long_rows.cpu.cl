// y0 = rowwise_sum(x0 * broadcast(x1)) + x2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_long_rows_a8ef3850(global float* restrict y0, global const float* restrict x0,
                                  global const float* restrict x1, global const float* restrict x2,
                                  const long rows, const long cols, const long col_tile) {
  const long begin = (long)get_group_id(0) * col_tile;
  const long end = min(begin + col_tile, cols);
  float8 r0_v[7];
#pragma unroll
  for (int k = 0; k < 7; ++k) { r0_v[k] = 0.0f; }
  float r0_s[7];
#pragma unroll
  for (int k = 0; k < 7; ++k) { r0_s[k] = 0.0f; }
  long j = begin;
  for (; j + 8 <= end; j += 8) {
    {
      const long e = j * 7 + 0;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s00000001;
      r0_v[0] = r0_v[0] + (x0_i * x1_i);
    }
    {
      const long e = j * 7 + 8;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s11111122;
      r0_v[1] = r0_v[1] + (x0_i * x1_i);
    }
    {
      const long e = j * 7 + 16;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s22222333;
      r0_v[2] = r0_v[2] + (x0_i * x1_i);
    }
    {
      const long e = j * 7 + 24;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s33334444;
      r0_v[3] = r0_v[3] + (x0_i * x1_i);
    }
    {
      const long e = j * 7 + 32;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s44455555;
      r0_v[4] = r0_v[4] + (x0_i * x1_i);
    }
    {
      const long e = j * 7 + 40;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s55666666;
      r0_v[5] = r0_v[5] + (x0_i * x1_i);
    }
    {
      const long e = j * 7 + 48;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s67777777;
      r0_v[6] = r0_v[6] + (x0_i * x1_i);
    }
  }
  for (; j < end; ++j) {
    for (long i = 0; i < rows; ++i) {
      const long e = i + j * rows;
      const float x0_i = x0[e];
      const float x1_j = x1[j];
      r0_s[i] = r0_s[i] + (x0_i * x1_j);
    }
  }
  float r0_all[56];
  vstore8(r0_v[0], 0, r0_all);
  vstore8(r0_v[1], 1, r0_all);
  vstore8(r0_v[2], 2, r0_all);
  vstore8(r0_v[3], 3, r0_all);
  vstore8(r0_v[4], 4, r0_all);
  vstore8(r0_v[5], 5, r0_all);
  vstore8(r0_v[6], 6, r0_all);
  for (long i = 0; i < rows; ++i) {
    float r0 = r0_s[i];
    for (long k = i; k < 56; k += rows) {
      r0 = r0 + r0_all[k];
    }
    const float x2_i = x2[i];
    y0[i] = r0 + x2_i;
  }
}
