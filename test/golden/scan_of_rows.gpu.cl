#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = rowwise_cumulative_sum(x0 + x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_scan_e901d235(global double* restrict y0, global const double* restrict x0,
                         global const double* restrict x1, const long rows, const long cols,
                         const long parts, const long chunk) {
  const uint lane = get_local_id(0), across = lane % 64, down = lane / 64;
  const long chunk_number = get_group_id(0) % (uint)parts, tile = get_group_id(0) / (uint)parts;
  const long i = tile * 64 + across;
  const long begin = chunk_number * chunk, end = min(begin + chunk, cols);
  const bool member = i < rows;
  local long totals_memory[512];
  local double* totals0 = (local double*)totals_memory;
  const uint rank = down;
  double carry0 = 0.0;
  for (long at = begin; at < end; at += 32) {
    double scan0[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      scan0[k] = 0.0;
      const long j = at + down * 8 + k;
      if (member && j < end) {
        const long e = i + j * rows;
        const double x0_i = x0[e];
        const double x1_i = x1[e];
        scan0[k] = x0_i + x1_i;
      }
    }
    {
      double own[8], sum = 0.0;
#pragma unroll
      for (int k = 0; k < 8; ++k) own[k] = sum = sum + scan0[k];
      uint from = 0;
      totals0[lane] = sum;
      for (uint stride = 1; stride < 4; stride *= 2, from = 256 - from) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const double own_total = totals0[from + lane];
        totals0[256 - from + lane] = rank >= stride ? (totals0[from + lane - stride * 64]) + own_total : own_total;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      const double before = rank > 0 ? totals0[from + lane - 64] : (double)(0.0);
      const double total = totals0[from + across + 192];
      const double offset = carry0 + before;
#pragma unroll
      for (int k = 0; k < 8; ++k) scan0[k] = offset + own[k];
      carry0 = carry0 + total;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const long j = at + down * 8 + k;
      if (member && j < end) {
        const double r0 = scan0[k];
        const long e = i + j * rows;
        y0[e] = r0;
      }
    }
  }
}
