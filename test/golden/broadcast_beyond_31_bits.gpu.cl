#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + broadcast(x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_28c2ef42(global double2* restrict y0, global const double2* restrict x0,
                             global const double* restrict x1, const long rows, const long count) {
  const long e = get_global_id(0);
  if (e >= count) return;
  const long j = e * 2 / rows, i = e * 2 - j * rows;
  const long j1 = j + (i + 1 >= rows);
  const double2 x0_i = x0[e];
  const double2 x1_i = (double2)(x1[j], x1[j1]);
  y0[e] = x0_i + x1_i;
}
