#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sqrt(sum(x0 * x0)) / 2
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_fa3c4222(global double* p0, global const double2* restrict x0, const long count,
                           const long chunk, const uint first_stride) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double2 r0_v = 0.0;
  local double shared0[256];
  const uint lane = get_local_id(0);
#pragma unroll 4
  for (long i = begin + lane; i < end; i += 256) {
    const double2 x0_i = x0[i];
    r0_v = r0_v + (x0_i * x0_i);
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
void fused_linear_fa3c4222_finish(global double* restrict y0, global const double* p0, const long results,
                                  const long parts, const uint lanes, const uint first_stride) {
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
    const double u0 = sqrt(r0);
    const double u1 = u0 / 2.0;
    y0[0] = u1;
  }
}
