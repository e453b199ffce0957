// y0 = batched_inverse(x0) * 2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_batched_solve_a57fea84(global float* restrict y0, global const float* restrict x0, const long n0,
                                  const long rows, const long cols, const long count, const long own_cols,
                                  const long tiles, const long share) {
  local float x[64] __attribute__((aligned(64)));
  const long first_number = get_group_id(0) * share;
  const long end_number = min(first_number + share, count * tiles);
  for (long number = first_number; number < end_number; ++number) {
    const long block = number / tiles, first_side = (number - block * tiles) * 8;
    const long first_col = block * rows;
    const int wide = (int)min(8L, own_cols - first_side);
    for (int at = 0; at < rows * 8; ++at) x[at] = 0;
    for (int c = 0; c < wide; ++c) {
      for (int r = 0; r < rows; ++r) {
        const long side = first_side + c;
        x[r * 8 + c] = r == side;
      }
    }
    for (int turn = (int)first_side; turn < rows; ++turn) {
      const int k = turn;
      float scale;
      {
        const long own_row = k, own_col = first_col + k;
        const float x0_i = x0[own_row + own_col * n0];
        scale = 1 / (x0_i);
      }
      const float8 y0 = vload8(0, x + k * 8 + 0) * (float8)(scale);
      vstore8(y0, 0, x + k * 8 + 0);
      for (int r = k + 1; r < rows; ++r) {
        const long own_row = r, own_col = first_col + k;
        const float x0_i = x0[own_row + own_col * n0];
        const float8 factor = (float8)(-(x0_i));
        vstore8(fma(factor, y0, vload8(0, x + r * 8 + 0)), 0, x + r * 8 + 0);
      }
    }
    for (int c = 0; c < wide; ++c) {
      const long j = block * own_cols + first_side + c;
      for (long i = 0; i < rows; ++i) {
        const float r0 = i < first_side + c ? 0 : x[i * 8 + c];
        const long e = i + j * rows;
        y0[e] = r0 * 2.0f;
      }
    }
  }
}
