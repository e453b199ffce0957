#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = x0 + x1
// y1 = x0 - x1
// y2 = exp(x0 * x2)
// y3 = sum(x0 + x2)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_linear_c910c2a6(global double* restrict y0, global double* restrict y1,
                           global double* restrict y2, global double* p0, global const double* restrict x0,
                           global const double* restrict x1, global const double* restrict x2,
                           const long count, const long chunk, const uint first_stride) {
  const long begin = (long)get_group_id(0) * chunk;
  const long end = min(begin + chunk, count);
  double r0_v = 0.0;
  local double shared0[256];
  const uint lane = get_local_id(0);
  double x0_next = begin + lane < end ? x0[begin + lane] : (double)0;
  double x1_next = begin + lane < end ? x1[begin + lane] : (double)0;
  double x2_next = begin + lane < end ? x2[begin + lane] : (double)0;
#pragma unroll 1
  for (long i = begin + lane; i < end; i += 256) {
    const double x0_now = x0_next;
    const double x1_now = x1_next;
    const double x2_now = x2_next;
    if (i + 256 < end) {
      x0_next = x0[i + 256];
      x1_next = x1[i + 256];
      x2_next = x2[i + 256];
    }
    const double x0_i = x0_now;
    const double x1_i = x1_now;
    const double x2_i = x2_now;
    y0[i] = x0_i + x1_i;
    y1[i] = x0_i - x1_i;
    y2[i] = exp(x0_i * x2_i);
    r0_v = r0_v + (x0_i + x2_i);
  }
  double r0 = r0_v;
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
void fused_linear_c910c2a6_finish(global double* restrict y3, global const double* p0, const long results,
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
    y3[0] = r0;
  }
}
