#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0[n2 + i, n3 + j]
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_bbc692f8(global double2* restrict y0, global const double* restrict x0, const long n2,
                             const long n3, const long n0, const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e / (uint)rows, i = e - j * (uint)rows;
  const long at1 = n2 + ((long)i * 2);
  const long at2 = n3 + (long)j;
  const long at3 = n2 + ((long)i * 2 + 1);
  const double2 x0_at0 = (double2)((at1 >= at2) ? x0[at1 + at2 * n0] : 0.0, (at3 >= at2) ? x0[at3 + at2 * n0] : 0.0);
  y0[e] = x0_at0;
}
