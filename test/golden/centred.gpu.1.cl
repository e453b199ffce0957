#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 - sum(x0) / s0
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_ee1611ce(global double2* restrict y0, global const double2* restrict x0,
                           global const double* restrict t0, const double s0, const long count) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const double t0_0 = t0[0];
  const double u0 = t0_0 / s0;
  const double2 x0_i = x0[i];
  y0[i] = x0_i - u0;
}
