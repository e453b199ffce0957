#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = batched_cholesky(x0)
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_cholesky_6edd1f56(global double* restrict y0, global const double* restrict x0,
                                     const long n0, const long rows, const long cols, global double* p0,
                                     const long count) {
  local double2 pairs[2][64];
  local double roots[64], scales[64];
  const uint lane = get_local_id(0), own = lane % 64, top = lane - own;
  const long block = (long)get_group_id(0) * 1 + top / 64, first_col = block * rows;
  const bool exists = block < count && own < rows;
  double row[64];
  local double* roots_of_own = roots + top;
#pragma unroll
  for (uint q = 0; q < 64; ++q) {
    const long own_row = own, own_col = first_col + q;
    double value = own == q ? 1 : 0;
    if (exists && q <= own) {
      const double x0_i = x0[own_row + own_col * n0];
      value = x0_i;
    }
    row[q] = value;
  }
#pragma unroll
  for (uint k = 0; k < 64; k += 2) {
    local double2* both = pairs[k / 2 % 2] + top;
    both[own] = (double2)(row[k], row[k + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    const double pivot = both[k].x, below = both[k + 1].x;
    const double inverse = pivot > 0 ? 1 / pivot : (double)(NAN), factor = below * inverse;
    const double second_pivot = fma(-below, factor, both[k + 1].y);
    const double second_inverse = second_pivot > 0 ? 1 / second_pivot : (double)(NAN);
    const double scaled = row[k] * inverse, changed = fma(-scaled, below, row[k + 1]);
    const double second = changed * second_inverse, share = fma(-second, factor, scaled);
    row[k + 1] = changed;
#pragma unroll
    for (uint c = 2; c < 64; ++c)
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
  const double pivot = roots[lane], root = pivot > 0 ? sqrt(pivot) : (double)(NAN);
  barrier(CLK_LOCAL_MEM_FENCE);
  roots[lane] = root;
  scales[lane] = 1 / root;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint q = 0; q < 64; ++q) {
    if (exists && q < rows) {
      const long i = own, j = first_col + q;
      const double r0 = q > own ? 0 : q == own ? roots[top + q] : row[q] * scales[top + q];
      const long e = i + j * rows;
      y0[e] = r0;
    }
  }
}

// finds the first matrix that is not positive definite
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_cholesky_6edd1f56_finish(global const double* p0, global double* p1, const long count) {
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
    p1[1] = failed ? p0[2 * found + 1] : 0;
  }
}
