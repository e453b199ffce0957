#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = (x0 - broadcast(x1)) / broadcast(x2)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_6e0f99f5(global double2* restrict y0, global const double2* restrict x0,
                             global const double* restrict x1, global const double* restrict x2,
                             const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e * 2 / (uint)rows, i = e * 2 - j * (uint)rows;
  const uint i1 = i + 1 < (uint)rows ? i + 1 : i + 1 - (uint)rows;
  const uint j1 = j + (i + 1 >= (uint)rows);
  const double2 x0_i = x0[e];
  const double2 x1_i = (double2)(x1[j], x1[j1]);
  const double2 x2_i = (double2)(x2[i], x2[i1]);
  y0[e] = (x0_i - x1_i) / x2_i;
}
