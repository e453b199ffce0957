#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + transpose(x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_3056f1cf(global double* restrict y0, global const double* restrict x0,
                             global const double* restrict x1, const long n1, const long rows,
                             const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e / (uint)rows, i = e - j * (uint)rows;
  const double x0_i = x0[e];
  const double x1_at0 = x1[(long)j + (long)i * n1];
  y0[e] = x0_i + x1_at0;
}
