#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x1 * broadcast(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_d2d76af3(global double2* restrict y0, global const double* restrict x0,
                             global const double2* restrict x1, const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e * 2 / (uint)rows, i = e * 2 - j * (uint)rows;
  const uint i1 = i + 1 < (uint)rows ? i + 1 : i + 1 - (uint)rows;
  const double2 x1_i = x1[e];
  const double2 x0_i = (double2)(x0[i], x0[i1]);
  y0[e] = x1_i * x0_i;
}
