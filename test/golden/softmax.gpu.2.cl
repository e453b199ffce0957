#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(x0 - broadcast(rowwise_max(x0))) / broadcast(rowwise_sum(exp(x0 - broadcast(rowwise_max(x0)))))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_3b91dc4b(global double2* restrict y0, global const double2* restrict x0,
                             global const double* restrict t0, global const double* restrict t1,
                             const long rows, const long count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const uint j = e * 2 / (uint)rows, i = e * 2 - j * (uint)rows;
  const uint i1 = i + 1 < (uint)rows ? i + 1 : i + 1 - (uint)rows;
  const double2 x0_i = x0[e];
  const double2 t0_i = (double2)(t0[i], t0[i1]);
  const double2 t1_i = (double2)(t1[i], t1[i1]);
  y0[e] = exp(x0_i - t0_i) / t1_i;
}
