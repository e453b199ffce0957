#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + broadcast(x1[n4 + i, j])
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_743cc9fd(global double* restrict y0, global const double* restrict x0,
                             global const double* restrict x1, const long n4, const long n2,
                             const long rows, const long count, const long cols, const uint rows_on,
                             const uint cols_on) {
  const uint first = (uint)get_group_id(0) * 1024 + get_local_id(0);
  uint j = first / (uint)rows, i = first - j * (uint)rows;
  j = min(j, (uint)cols - 1);
  double y0_k[4];
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    const uint e = min(first + k * 256, (uint)count - 1);
    const double x0_i = x0[e];
    const double x1_at0 = x1[n4 + (long)j * n2];
    y0_k[k] = x0_i + x1_at0;
    i += rows_on, j += cols_on;
    if (i >= (uint)rows) i -= (uint)rows, ++j;
    j = min(j, (uint)cols - 1);
  }
  i = first - first / (uint)rows * (uint)rows, j = first / (uint)rows;
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    const uint e = min(first + k * 256, (uint)count - 1);
    if (first + k * 256 < count) {
      y0[e] = y0_k[k];
    }
    i += rows_on, j += cols_on;
    if (i >= (uint)rows) i -= (uint)rows, ++j;
    j = min(j, (uint)cols - 1);
  }
}
