#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0[n2 + i, n3 + j] + exp(x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_d245fadc(global double* restrict y0, global const double* restrict x0,
                             global const double* restrict x1, const long n2, const long n3, const long n0,
                             const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e / (uint)rows, i = e - j * (uint)rows;
  const long at1 = n2 + (long)i;
  const long at2 = n3 + (long)j;
  const double x0_at0 = x0[at1 + at2 * n0];
  const double x1_i = x1[e];
  y0[e] = x0_at0 + exp(x1_i);
}
