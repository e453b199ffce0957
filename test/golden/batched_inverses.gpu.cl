// y0 = batched_inverse(x0) * 2
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_solve_4c6fdfa3(global float* restrict y0, global const float* restrict x0, const long n0,
                                  const long rows, const long cols, const long count, const long own_cols,
                                  const long tiles) {
  local float solutions[2][64];
  const uint lane = get_local_id(0), slot = lane / 8, own = lane % 8;
  const long number = (long)get_group_id(0) * 8 + slot;
  const long block = number / tiles, first_side = (number - block * tiles) * 8;
  const long first_col = block * rows;
  const bool exists = block < count && own < rows;
  float x[8], scale = 1;
#pragma unroll
  for (uint c = 0; c < 8; ++c) {
    const long side = first_side + c;
    x[c] = 0;
    if (exists && side < own_cols) {
      x[c] = own == side;
    }
  }
  if (exists) {
    const long own_row = own, own_col = first_col + own;
    const float x0_i = x0[own_row + own_col * n0];
    scale = 1 / (x0_i);
  }
  const uint start = 0;
  float next = 0;
  if (exists && start < rows && own > start) {
    const uint column = start;
    const long own_row = own, own_col = first_col + column;
    const float x0_i = x0[own_row + own_col * n0];
    next = x0_i;
  }
  for (uint turn = start; turn < rows; ++turn) {
    const uint k = turn;
    local float* solved = solutions[turn % 2] + slot * 8;
    if (own == k) {
#pragma unroll
      for (uint c = 0; c < 8; ++c) {
        x[c] *= scale;
        solved[c] = x[c];
      }
    }
    const float factor = -next;
    const uint following = turn + 1;
    if (exists && following < rows && own > following) {
      const uint column = following;
      const long own_row = own, own_col = first_col + column;
      const float x0_i = x0[own_row + own_col * n0];
      next = x0_i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own > k) {
#pragma unroll
      for (uint c = 0; c < 8; ++c) {
        x[c] = fma(factor, solved[c], x[c]);
      }
    }
  }
#pragma unroll
  for (uint c = 0; c < 8; ++c) {
    const long side = first_side + c;
    if (exists && side < own_cols) {
      const long i = own, j = block * own_cols + side;
      const float r0 = i < side ? 0 : x[c];
      const long e = i + j * rows;
      y0[e] = r0 * 2.0f;
    }
  }
}
