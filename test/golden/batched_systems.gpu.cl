#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = batched_solve(transpose_each(x0), x1)
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_solve_cd42650e(global double* restrict y0, global const double* restrict x0,
                                  global const double* restrict x1, const long n0, const long rows,
                                  const long cols, const long count, const long own_cols, const long tiles) {
  local double solutions[2][4];
  const uint lane = get_local_id(0), slot = lane / 64, own = lane % 64;
  const long number = (long)get_group_id(0) * 1 + slot;
  const long block = number / tiles, first_side = (number - block * tiles) * 4;
  const long first_col = block * rows;
  const bool exists = block < count && own < rows;
  double x[4], scale = 1;
#pragma unroll
  for (uint c = 0; c < 4; ++c) {
    const long side = first_side + c;
    x[c] = 0;
    if (exists && side < own_cols) {
      const long own_row = own, own_col = block * own_cols + side;
      const double x1_i = x1[own_row + own_col * n0];
      x[c] = x1_i;
    }
  }
  if (exists) {
    const long own_row = own, own_col = first_col + own;
    const double x0_i = x0[own_row + own_col * n0];
    scale = 1 / (x0_i);
  }
  const uint start = 0;
  double next = 0;
  if (exists && start < rows && own + start + 1 < rows) {
    const uint column = (uint)rows - 1 - start;
    const long own_row = column, own_col = first_col + own;
    const double x0_i = x0[own_row + own_col * n0];
    next = x0_i;
  }
  for (uint turn = start; turn < rows; ++turn) {
    const uint k = (uint)rows - 1 - turn;
    local double* solved = solutions[turn % 2] + slot * 4;
    if (own == k) {
#pragma unroll
      for (uint c = 0; c < 4; ++c) {
        x[c] *= scale;
        solved[c] = x[c];
      }
    }
    const double factor = -next;
    const uint following = turn + 1;
    if (exists && following < rows && own + following + 1 < rows) {
      const uint column = (uint)rows - 1 - following;
      const long own_row = column, own_col = first_col + own;
      const double x0_i = x0[own_row + own_col * n0];
      next = x0_i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own < k) {
#pragma unroll
      for (uint c = 0; c < 4; ++c) {
        x[c] = fma(factor, solved[c], x[c]);
      }
    }
  }
#pragma unroll
  for (uint c = 0; c < 4; ++c) {
    const long side = first_side + c;
    if (exists && side < own_cols) {
      const long i = own, j = block * own_cols + side;
      const double r0 = x[c];
      const long e = i + j * rows;
      y0[e] = r0;
    }
  }
}
