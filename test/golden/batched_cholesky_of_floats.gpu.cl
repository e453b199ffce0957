// y0 = exp(batched_cholesky(x0))
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_cholesky_bb300884(global float* restrict y0, global const float* restrict x0,
                                     const long n0, const long rows, const long cols, global float* p0,
                                     const long count) {
  local float2 pairs[2][64];
  local float roots[64], scales[64];
  const uint lane = get_local_id(0), own = lane % 8, top = lane - own;
  const long block = (long)get_group_id(0) * 8 + top / 8, first_col = block * rows;
  const bool exists = block < count && own < rows;
  float row[8];
  local float* roots_of_own = roots + top;
#pragma unroll
  for (uint q = 0; q < 8; ++q) {
    const long own_row = own, own_col = first_col + q;
    float value = own == q ? 1 : 0;
    if (exists && q <= own) {
      const float x0_i = x0[own_row + own_col * n0];
      value = x0_i;
    }
    row[q] = value;
  }
#pragma unroll
  for (uint k = 0; k < 8; k += 2) {
    local float2* both = pairs[k / 2 % 2] + top;
    both[own] = (float2)(row[k], row[k + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float pivot = both[k].x, below = both[k + 1].x;
    const float inverse = pivot > 0 ? 1 / pivot : (float)(NAN), factor = below * inverse;
    const float second_pivot = fma(-below, factor, both[k + 1].y);
    const float second_inverse = second_pivot > 0 ? 1 / second_pivot : (float)(NAN);
    const float scaled = row[k] * inverse, changed = fma(-scaled, below, row[k + 1]);
    const float second = changed * second_inverse, share = fma(-second, factor, scaled);
    row[k + 1] = changed;
#pragma unroll
    for (uint c = 2; c < 8; ++c)
      if (c > k + 1) row[c] = fma(-share, both[c].x, fma(-second, both[c].y, row[c]));
    if (own == 0) {
      roots_of_own[k] = pivot;
      roots_of_own[k + 1] = second_pivot;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own == 0 && exists) {
    uint k = 0;
    while (k < rows && roots[top + k] > 0) ++k;
    p0[2 * block] = k < rows ? k + 1 : 0;
    p0[2 * block + 1] = k < rows ? roots[top + k] : 0;
  }
  const float pivot = roots[lane], root = pivot > 0 ? sqrt(pivot) : (float)(NAN);
  barrier(CLK_LOCAL_MEM_FENCE);
  roots[lane] = root;
  scales[lane] = 1 / root;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint q = 0; q < 8; ++q) {
    if (exists && q < rows) {
      const long i = own, j = first_col + q;
      const float r0 = q > own ? 0 : q == own ? roots[top + q] : row[q] * scales[top + q];
      const long e = i + j * rows;
      y0[e] = exp(r0);
    }
  }
}

// finds the first matrix that is not positive definite
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_cholesky_bb300884_finish(global const float* p0, global float* p1, const long count) {
  const uint lane = get_local_id(0);
  long found = count;
  for (long block = lane; block < count && found == count; block += 64) {
    if (p0[2 * block] != 0) found = block;
  }
  local long all[64];
  all[lane] = found;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) for (uint k = 1; k < 64; ++k) found = min(found, all[k]);
  if (lane == 0) {
    const bool failed = found < count;
    ((global long*)p1)[0] = failed ? found * 256 + (long)p0[2 * found] : 0;
    p1[2] = failed ? p0[2 * found + 1] : 0;
  }
}
