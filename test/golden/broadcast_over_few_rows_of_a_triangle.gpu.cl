#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + broadcast(x1) - cast<double>(col_index())
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_f92fd89f(global double2* restrict y0, global const double2* restrict x0,
                             global const double* restrict x1, const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e * 2 / (uint)rows, i = e * 2 - j * (uint)rows;
  const uint i1 = i + 1 < (uint)rows ? i + 1 : i + 1 - (uint)rows;
  const uint j1 = j + (i + 1 >= (uint)rows);
  const double2 x0_i = any((int2)((int)i, (int)i1) >= (int2)((int)j, (int)j1)) ? (convert_long2((int2)((int)i, (int)i1) >= (int2)((int)j, (int)j1)) ? x0[e] : (double2)(0)) : (double2)(0);
  const double2 x1_i = (double2)(x1[i], x1[i1]);
  y0[e] = x0_i + x1_i - convert_double2((int2)((int)j, (int)j1));
}
