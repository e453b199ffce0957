#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + broadcast(x1) - cast<double>(col_index())
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_few_rows_00a1a78a(global double* restrict y0, global const double* restrict x0,
                             global const double* restrict x1, const long rows, const long cols,
                             const long col_tile) {
  const long begin = (long)get_group_id(0) * col_tile;
  const long end = min(begin + col_tile, cols);
  long j = begin;
  for (; j + 4 <= end; j += 4) {
    {
      const long e = j * 5 + 0;
      const double4 x0_i = any((int4)(0, 1, 2, 3) >= ((int)j + (int4)(0, 0, 0, 0))) ? (convert_long4((int4)(0, 1, 2, 3) >= ((int)j + (int4)(0, 0, 0, 0))) ? vload4(0, x0 + e) : (double4)(0)) : (double4)(0);
      const double4 x1_i = vload4(0, x1 + 0);
      vstore4(x0_i + x1_i - convert_double4(((int)j + (int4)(0, 0, 0, 0))), 0, y0 + e);
    }
    {
      const long e = j * 5 + 4;
      const double4 x0_i = any((int4)(4, 0, 1, 2) >= ((int)j + (int4)(0, 1, 1, 1))) ? (convert_long4((int4)(4, 0, 1, 2) >= ((int)j + (int4)(0, 1, 1, 1))) ? vload4(0, x0 + e) : (double4)(0)) : (double4)(0);
      const double4 x1_i = (double4)(x1[4], x1[0], x1[1], x1[2]);
      vstore4(x0_i + x1_i - convert_double4(((int)j + (int4)(0, 1, 1, 1))), 0, y0 + e);
    }
    {
      const long e = j * 5 + 8;
      const double4 x0_i = any((int4)(3, 4, 0, 1) >= ((int)j + (int4)(1, 1, 2, 2))) ? (convert_long4((int4)(3, 4, 0, 1) >= ((int)j + (int4)(1, 1, 2, 2))) ? vload4(0, x0 + e) : (double4)(0)) : (double4)(0);
      const double4 x1_i = (double4)(x1[3], x1[4], x1[0], x1[1]);
      vstore4(x0_i + x1_i - convert_double4(((int)j + (int4)(1, 1, 2, 2))), 0, y0 + e);
    }
    {
      const long e = j * 5 + 12;
      const double4 x0_i = any((int4)(2, 3, 4, 0) >= ((int)j + (int4)(2, 2, 2, 3))) ? (convert_long4((int4)(2, 3, 4, 0) >= ((int)j + (int4)(2, 2, 2, 3))) ? vload4(0, x0 + e) : (double4)(0)) : (double4)(0);
      const double4 x1_i = (double4)(x1[2], x1[3], x1[4], x1[0]);
      vstore4(x0_i + x1_i - convert_double4(((int)j + (int4)(2, 2, 2, 3))), 0, y0 + e);
    }
    {
      const long e = j * 5 + 16;
      const double4 x0_i = any((int4)(1, 2, 3, 4) >= ((int)j + (int4)(3, 3, 3, 3))) ? (convert_long4((int4)(1, 2, 3, 4) >= ((int)j + (int4)(3, 3, 3, 3))) ? vload4(0, x0 + e) : (double4)(0)) : (double4)(0);
      const double4 x1_i = vload4(0, x1 + 1);
      vstore4(x0_i + x1_i - convert_double4(((int)j + (int4)(3, 3, 3, 3))), 0, y0 + e);
    }
  }
  for (; j < end; ++j) {
    for (long i = 0; i < rows; ++i) {
      const long e = i + j * rows;
      const double x0_i = ((int)i >= (int)j) ? (x0[e]) : 0.0;
      const double x1_i = x1[i];
      y0[e] = x0_i + x1_i - (double)((int)j);
    }
  }
}
