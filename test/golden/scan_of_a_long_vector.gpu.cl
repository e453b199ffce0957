#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = colwise_cumulative_sum(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_scan_0f29b128(global double* p0, global const double2* restrict x0, const long rows,
                         const long cols, const long parts, const long chunk, const uint first_stride) {
  const uint lane = get_local_id(0), across = lane % 256, down = lane / 256;
  const long chunk_number = get_group_id(0) % (uint)parts, tile = get_group_id(0) / (uint)parts;
  const long j = tile * 1 + down;
  const long begin = chunk_number * chunk, end = min(begin + chunk, rows);
  const bool member = j < cols;
  local double shared0[256];
  double2 r0_v = 0.0;
  if (member) {
#pragma unroll 4
    for (long step = (end - begin - across + 255) / 256 - 1; step >= 0; --step) {
      const long i = begin + across + step * 256;
      const double2 x0_i = x0[i];
      r0_v = r0_v + x0_i;
    }
  }
  double r0 = r0_v.lo + r0_v.hi;
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (across < stride && across + stride < 256) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
    }
  }
  r0 = shared0[lane];
  if (across == 0 && member) {
    p0[chunk_number] = r0;
  }
}

// scans each chunk again, from what those before it amount to
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_scan_0f29b128_finish(global const double* p0, global double2* restrict y0,
                                global const double2* restrict x0, const long rows, const long cols,
                                const long parts, const long chunk) {
  const uint lane = get_local_id(0), across = lane % 256, down = lane / 256;
  const long chunk_number = get_group_id(0) % (uint)parts, tile = get_group_id(0) / (uint)parts;
  const long j = tile * 1 + down;
  const long begin = chunk_number * chunk, end = min(begin + chunk, rows);
  const bool member = j < cols;
  local long totals_memory[512];
  local long runs_memory[2304];
  local double* totals0 = (local double*)totals_memory;
  local double* runs0 = (local double*)runs_memory;
  const uint rank = across;
  double carry0 = 0.0;
  {
    double sum = 0.0;
    if (member) {
      for (long part = across; part < chunk_number; part += 256) {
        sum = sum + p0[part];
      }
    }
    uint from = 0;
    totals0[lane] = sum;
    for (uint stride = 1; stride < 256; stride *= 2, from = 256 - from) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const double own_total = totals0[from + lane];
      totals0[256 - from + lane] = rank >= stride ? (totals0[from + lane - stride]) + own_total : own_total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const double total = totals0[from + lane - across + 255];
    carry0 = total;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (long at = begin; at < end; at += 1024) {
    double2 scan0[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      scan0[k] = 0.0;
      const long i = at + k * 256 + across;
      if (member && i < end) {
        const double2 x0_i = x0[i];
        scan0[k] = x0_i;
      }
      const uint vector = k * 256 + across;
      local double* to = runs0 + down * 2304 + vector * 2 + vector / 4;
      to[0] = scan0[k].s0;
      to[1] = scan0[k].s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    {
      double own[8], sum = 0.0;
      local double* run = runs0 + lane * 9;
#pragma unroll
      for (int k = 0; k < 8; ++k) own[k] = sum = sum + run[k];
      uint from = 0;
      totals0[lane] = sum;
      for (uint stride = 1; stride < 256; stride *= 2, from = 256 - from) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const double own_total = totals0[from + lane];
        totals0[256 - from + lane] = rank >= stride ? (totals0[from + lane - stride]) + own_total : own_total;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const double before = rank > 0 ? totals0[from + lane - 1] : (double)(0.0);
      const double total = totals0[from + lane - across + 255];
      const double offset = carry0 + before;
#pragma unroll
      for (int k = 0; k < 8; ++k) run[k] = offset + own[k];
      carry0 = carry0 + total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint vector = k * 256 + across;
      local double* to = runs0 + down * 2304 + vector * 2 + vector / 4;
      scan0[k].s0 = to[0];
      scan0[k].s1 = to[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const long i = at + k * 256 + across;
      if (member && i < end) {
        const double2 r0 = scan0[k];
        y0[i] = r0;
      }
    }
  }
}
