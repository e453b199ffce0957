#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(x0) * 2 + x1 / x2
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_f565b9f2(global double2* restrict y0, global const double2* restrict x0,
                           global const double2* restrict x1, global const double2* restrict x2,
                           const long count) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const double2 x0_i = x0[i];
  const double2 x1_i = x1[i];
  const double2 x2_i = x2[i];
  y0[i] = exp(x0_i) * 2.0 + x1_i / x2_i;
}
