#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0[i, i] + x1[n2 - 1 - i, n7 + j]
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_0830a9c0(global double* restrict y0, global const double* restrict x0,
                             global const double* restrict x1, const long n0, const long n2, const long n7,
                             const long rows, const long count, const long cols, const uint rows_on,
                             const uint cols_on) {
  const uint first = (uint)get_group_id(0) * 1024 + get_local_id(0);
  uint j = first / (uint)rows, i = first - j * (uint)rows;
  j = min(j, (uint)cols - 1);
  double y0_k[4];
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    const double x0_at0 = x0[(long)i + (long)i * n0];
    const long at2 = n2 - 1 - (long)i;
    const double x1_at1 = (at2 <= n7) ? x1[at2 + n7 * n2] : 0.0;
    y0_k[k] = x0_at0 + x1_at1;
    i += rows_on, j += cols_on;
    if (i >= (uint)rows) i -= (uint)rows, ++j;
    j = min(j, (uint)cols - 1);
  }
  i = first - first / (uint)rows * (uint)rows, j = first / (uint)rows;
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    if (first + k * 256 < count) {
      y0[i] = y0_k[k];
    }
    i += rows_on, j += cols_on;
    if (i >= (uint)rows) i -= (uint)rows, ++j;
    j = min(j, (uint)cols - 1);
  }
}
