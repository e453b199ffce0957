#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 - broadcast(x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_numbered_a5b1f9e5(global double2* restrict y0, global const double2* restrict x0,
                             global const double2* restrict x1, const long rows, const long count,
                             const long cols, const long row_tile) {
  const uint n = get_global_id(0);
  if (n >= count) return;
  // blocks of rows in turn, so that caches keep what is read again for every column
  const uint size = row_tile * cols, block = n / size, inside = n - block * size;
  const uint first = block * (uint)row_tile, height = min((uint)row_tile, (uint)rows - first);
  const uint j = inside / height, i = first + (inside - j * height), e = i + j * (uint)rows;
  const double2 x0_i = x0[e];
  const double2 x1_i = x1[i];
  y0[e] = x0_i - x1_i;
}
