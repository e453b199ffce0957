#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = row_index() == col_index() ? x0 + 1 : x0
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_b1434054(global double2* restrict y0, global const double2* restrict x0,
                             const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e * 2 / (uint)rows, i = e * 2 - j * (uint)rows;
  const uint i1 = i + 1 < (uint)rows ? i + 1 : i + 1 - (uint)rows;
  const uint j1 = j + (i + 1 >= (uint)rows);
  const long2 v0 = convert_long2((int2)((int)i, (int)i1) == (int2)((int)j, (int)j1));
  const double2 x0_i = x0[e];
  y0[e] = v0 ? x0_i + 1.0 : x0_i;
}
