#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + broadcast(x1[n4 + i, n5 + j])
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_f2598c12(global double* restrict y0, global const double* restrict x0,
                             global const double* restrict x1, const long n4, const long n5, const long n2,
                             const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e / (uint)rows;
  const double x0_i = x0[e];
  const long at1 = n5 + (long)j;
  const double x1_at0 = x1[n4 + at1 * n2];
  y0[e] = x0_i + x1_at0;
}
