#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sum((x0 - sum(x0) / s0) * (x0 - sum(x0) / s0)) / 2 - sum(x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_f4ed09e1(global double* p0, global const double2* restrict x0,
                           global const double* restrict t0, const double s0, const long count,
                           const long chunk, const uint first_stride) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  const double t0_0 = t0[0];
  const double u0 = t0_0 / s0;
  double2 r0_v = 0.0;
  local double shared0[256];
  const uint lane = get_local_id(0);
#pragma unroll 4
  for (long i = begin + lane; i < end; i += 256) {
    const double2 x0_i = x0[i];
    const double2 v1 = x0_i - u0;
    r0_v = r0_v + (v1 * v1);
  }
  double r0 = r0_v.lo + r0_v.hi;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride && lane + stride < 256) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (lane == 0) {
    p0[get_group_id(0)] = r0;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_f4ed09e1_finish(global double* restrict y0, global const double* p0,
                                  global const double* t1, const long results, const long parts,
                                  const uint lanes, const uint first_stride) {
  local double shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = (long)get_group_id(0) * lanes + across;
  double r0 = 0.0;
  if (i < results && down < rounds) {
#pragma unroll 4
    for (long part = down; part < parts; part += rounds) {
      r0 = r0 + (p0[i + part * results]);
    }
  }
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  if (down == 0 && i < results) {
    const double u0 = r0 / 2.0;
    const double t1_0 = t1[0];
    y0[0] = u0 - t1_0;
  }
}
