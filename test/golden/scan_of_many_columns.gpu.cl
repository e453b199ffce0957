#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = rowwise_cumulative_sum(x0)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_scan_924000b2(global double2* p0, global const double2* restrict x0, const long rows,
                         const long cols, const long parts, const long chunk, const uint first_stride) {
  const uint lane = get_local_id(0), across = lane % 64, down = lane / 64;
  const long chunk_number = get_group_id(0) % (uint)parts, tile = get_group_id(0) / (uint)parts;
  const long i = tile * 64 + across;
  const long begin = chunk_number * chunk, end = min(begin + chunk, cols);
  const bool member = i < rows;
  local double2 shared0[256];
  double2 r0 = 0.0;
  if (member) {
#pragma unroll 4
    for (long step = (end - begin - down + 3) / 4 - 1; step >= 0; --step) {
      const long j = begin + down + step * 4;
      const long e = i + j * rows;
      const double2 x0_i = x0[e];
      r0 = r0 + x0_i;
    }
  }
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < 4) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride * 64]);
    }
  }
  r0 = shared0[lane];
  if (down == 0 && member) {
    p0[i + chunk_number * rows] = r0;
  }
}

// scans each chunk again, from what those before it amount to
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_scan_924000b2_finish(global const double2* p0, global double2* restrict y0,
                                global const double2* restrict x0, const long rows, const long cols,
                                const long parts, const long chunk) {
  const uint lane = get_local_id(0), across = lane % 64, down = lane / 64;
  const long chunk_number = get_group_id(0) % (uint)parts, tile = get_group_id(0) / (uint)parts;
  const long i = tile * 64 + across;
  const long begin = chunk_number * chunk, end = min(begin + chunk, cols);
  const bool member = i < rows;
  local long2 totals_memory[512];
  local double2* totals0 = (local double2*)totals_memory;
  const uint rank = down;
  double2 carry0 = 0.0;
  {
    double2 sum = 0.0;
    if (member) {
      for (long part = down; part < chunk_number; part += 4) {
        sum = sum + (p0[i + part * rows]);
      }
    }
    uint from = 0;
    totals0[lane] = sum;
    for (uint stride = 1; stride < 4; stride *= 2, from = 256 - from) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const double2 own_total = totals0[from + lane];
      totals0[256 - from + lane] = rank >= stride ? (totals0[from + lane - stride * 64]) + own_total : own_total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const double2 total = totals0[from + across + 192];
    carry0 = total;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (long at = begin; at < end; at += 32) {
    double2 scan0[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      scan0[k] = 0.0;
      const long j = at + down * 8 + k;
      if (member && j < end) {
        const long e = i + j * rows;
        const double2 x0_i = x0[e];
        scan0[k] = x0_i;
      }
    }
    {
      double2 own[8], sum = 0.0;
#pragma unroll
      for (int k = 0; k < 8; ++k) own[k] = sum = sum + scan0[k];
      uint from = 0;
      totals0[lane] = sum;
      for (uint stride = 1; stride < 4; stride *= 2, from = 256 - from) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const double2 own_total = totals0[from + lane];
        totals0[256 - from + lane] = rank >= stride ? (totals0[from + lane - stride * 64]) + own_total : own_total;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const double2 before = rank > 0 ? totals0[from + lane - 64] : (double2)(0.0);
      const double2 total = totals0[from + across + 192];
      const double2 offset = carry0 + before;
#pragma unroll
      for (int k = 0; k < 8; ++k) scan0[k] = offset + own[k];
      carry0 = carry0 + total;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const long j = at + down * 8 + k;
      if (member && j < end) {
        const double2 r0 = scan0[k];
        const long e = i + j * rows;
        y0[e] = r0;
      }
    }
  }
}
