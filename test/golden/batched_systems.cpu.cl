#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = batched_solve(transpose_each(x0), x1)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_batched_solve_b1cc55e3(global double* restrict y0, global const double* restrict x0,
                                  global const double* restrict x1, const long n0, const long rows,
                                  const long cols, const long count, const long own_cols, const long tiles,
                                  const long share) {
  local double x[256] __attribute__((aligned(64)));
  const long first_number = get_group_id(0) * share;
  const long end_number = min(first_number + share, count * tiles);
  for (long number = first_number; number < end_number; ++number) {
    const long block = number / tiles, first_side = (number - block * tiles) * 4;
    const long first_col = block * rows;
    const int wide = (int)min(4L, own_cols - first_side);
    for (int at = 0; at < rows * 4; ++at) x[at] = 0;
    for (int c = 0; c < wide; ++c) {
      for (int r = 0; r < rows; ++r) {
        const long side = first_side + c;
        const long own_row = r, own_col = block * own_cols + side;
        const double x1_i = x1[own_row + own_col * n0];
        x[r * 4 + c] = x1_i;
      }
    }
    for (int turn = 0; turn < rows; ++turn) {
      const int k = (int)rows - 1 - turn;
      double scale;
      {
        const long own_row = k, own_col = first_col + k;
        const double x0_i = x0[own_row + own_col * n0];
        scale = 1 / (x0_i);
      }
      const double4 y0 = vload4(0, x + k * 4 + 0) * (double4)(scale);
      vstore4(y0, 0, x + k * 4 + 0);
      for (int r = 0; r < k; ++r) {
        const long own_row = k, own_col = first_col + r;
        const double x0_i = x0[own_row + own_col * n0];
        const double4 factor = (double4)(-(x0_i));
        vstore4(fma(factor, y0, vload4(0, x + r * 4 + 0)), 0, x + r * 4 + 0);
      }
    }
    for (int c = 0; c < wide; ++c) {
      const long j = block * own_cols + first_side + c;
      for (long i = 0; i < rows; ++i) {
        const double r0 = x[i * 4 + c];
        const long e = i + j * rows;
        y0[e] = r0;
      }
    }
  }
}
