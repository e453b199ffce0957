#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(colwise_cumulative_sum(x0)) - x1
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_scan_6a8f3924(global double* restrict y0, global const double* restrict x0,
                         global const double* restrict x1, const long rows, const long cols,
                         const long parts, const long chunk) {
  const uint lane = get_local_id(0), across = lane % 32, down = lane / 32;
  const long chunk_number = get_group_id(0) % (uint)parts, tile = get_group_id(0) / (uint)parts;
  const long j = tile * 8 + down;
  const long begin = chunk_number * chunk, end = min(begin + chunk, rows);
  const bool member = j < cols;
  local long totals_memory[512];
  local long runs_memory[1280];
  local double* totals0 = (local double*)totals_memory;
  local double* runs0 = (local double*)runs_memory;
  const uint rank = across;
  double carry0 = 0.0;
  for (long at = begin; at < end; at += 128) {
    double scan0[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      scan0[k] = 0.0;
      const long i = at + k * 32 + across;
      if (member && i < end) {
        const long e = i + j * rows;
        const double x0_i = x0[e];
        scan0[k] = x0_i;
      }
      const uint vector = k * 32 + across;
      local double* to = runs0 + down * 160 + vector * 1 + vector / 4;
      to[0] = scan0[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    {
      double own[4], sum = 0.0;
      local double* run = runs0 + lane * 5;
#pragma unroll
      for (int k = 0; k < 4; ++k) own[k] = sum = sum + run[k];
      uint from = 0;
      totals0[lane] = sum;
      for (uint stride = 1; stride < 32; stride *= 2, from = 256 - from) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const double own_total = totals0[from + lane];
        totals0[256 - from + lane] = rank >= stride ? (totals0[from + lane - stride]) + own_total : own_total;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const double before = rank > 0 ? totals0[from + lane - 1] : (double)(0.0);
      const double total = totals0[from + lane - across + 31];
      const double offset = carry0 + before;
#pragma unroll
      for (int k = 0; k < 4; ++k) run[k] = offset + own[k];
      carry0 = carry0 + total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint vector = k * 32 + across;
      local double* to = runs0 + down * 160 + vector * 1 + vector / 4;
      scan0[k] = to[0];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const long i = at + k * 32 + across;
      if (member && i < end) {
        const double r0 = scan0[k];
        const long e = i + j * rows;
        const double x1_i = x1[e];
        y0[e] = exp(r0) - x1_i;
      }
    }
  }
}
