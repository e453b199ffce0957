// y0 = (x0 - broadcast(x1)) / broadcast(x2)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_rows_b7f8866a(global float* restrict y0, global const float* restrict x0,
                             global const float* restrict x1, global const float* restrict x2,
                             const long rows, const long cols, const long col_tile) {
  const long begin = (long)get_group_id(0) * col_tile;
  const long end = min(begin + col_tile, cols);
  long j = begin;
  for (; j + 8 <= end; j += 8) {
    {
      const long e = j * 7 + 0;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s00000001;
      const float8 x2_i = vload8(0, x2).s01234560;
      vstore8((x0_i - x1_i) / x2_i, 0, y0 + e);
    }
    {
      const long e = j * 7 + 8;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s11111122;
      const float8 x2_i = vload8(0, x2).s12345601;
      vstore8((x0_i - x1_i) / x2_i, 0, y0 + e);
    }
    {
      const long e = j * 7 + 16;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s22222333;
      const float8 x2_i = vload8(0, x2).s23456012;
      vstore8((x0_i - x1_i) / x2_i, 0, y0 + e);
    }
    {
      const long e = j * 7 + 24;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s33334444;
      const float8 x2_i = vload8(0, x2).s34560123;
      vstore8((x0_i - x1_i) / x2_i, 0, y0 + e);
    }
    {
      const long e = j * 7 + 32;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s44455555;
      const float8 x2_i = vload8(0, x2).s45601234;
      vstore8((x0_i - x1_i) / x2_i, 0, y0 + e);
    }
    {
      const long e = j * 7 + 40;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s55666666;
      const float8 x2_i = vload8(0, x2).s56012345;
      vstore8((x0_i - x1_i) / x2_i, 0, y0 + e);
    }
    {
      const long e = j * 7 + 48;
      const float8 x0_i = vload8(0, x0 + e);
      const float8 x1_i = vload8(0, x1 + j).s67777777;
      const float8 x2_i = vload8(0, x2).s60123456;
      vstore8((x0_i - x1_i) / x2_i, 0, y0 + e);
    }
  }
  for (; j < end; ++j) {
    for (long i = 0; i < rows; ++i) {
      const long e = i + j * rows;
      const float x0_i = x0[e];
      const float x1_j = x1[j];
      const float x2_i = x2[i];
      y0[e] = (x0_i - x1_j) / x2_i;
    }
  }
}
