static inline __attribute__((always_inline)) void copy_1(uint to, global const float* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void end_of_slice() {
  asm volatile("cp.async.commit_group;");
}
static inline __attribute__((always_inline)) void wait_for_slices() {
  asm volatile("cp.async.wait_group 2;");
}

// y0 = colwise_sum(exp(matrix_product(x0, x1))) / s0
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_float_product_46ea8e0b(global float* restrict y0, const float s0, global float* p0,
                                  volatile global uint* arrivals, global const float* restrict x0,
                                  global const float* restrict x1, const long n0, const long n1,
                                  const long rows, const long cols, const long inner, const uint row_tiles) {
  local float a_ring[4096] __attribute__((aligned(128)));
  local float b_ring[2304] __attribute__((aligned(128)));
  const uint lane = get_local_id(0), warp = lane / 32, down = lane % 8, across = lane % 32 / 8;
  const uint col_tiles = (uint)((cols + 31) / 32);
  const uint group = get_group_id(0);
  const uint panel = group / (8 * col_tiles), place = group - panel * 8 * col_tiles;
  const uint high = min(8u, row_tiles - panel * 8);
  const long first_row = (long)(panel * 8 + place % high) * 64;
  const long first_col = (long)(place / high) * 32;
  const uint warp_row = warp % 2 * 32, warp_col = warp / 2 * 16;
  const uint a_line = lane % 64 * 1, a_term = lane / 64;
  const uint a_to0 = (uint)(ulong)(a_ring + ((a_term + 0) * 64 + a_line));
  const int a_bytes0 = first_row + a_line + 0 < rows ? 4 : 0;
  global const float *a_from, *a_pass, *a_slice;
  {
    const long line = first_row + a_line, term = a_term;
    a_from = &x0[line + term * n0];
  }
  {
    const long line = first_row + a_line, term = a_term + 2;
    a_pass = &x0[line + term * n0];
  }
  {
    const long line = first_row + a_line, term = a_term + 16;
    a_slice = &x0[line + term * n0];
  }
  const long a_by_pass = a_pass - a_from, a_by_slice = a_slice - a_from;
  const uint b_term = lane % 16 * 1, b_line = lane / 16;
  const uint b_to0 = (uint)(ulong)(b_ring + (b_term * 36 + (b_line + 0)));
  const int b_bytes0 = first_col + b_line + 0 < cols ? 4 : 0;
  const int b_bytes1 = first_col + b_line + 8 < cols ? 4 : 0;
  const int b_bytes2 = first_col + b_line + 16 < cols ? 4 : 0;
  const int b_bytes3 = first_col + b_line + 24 < cols ? 4 : 0;
  global const float *b_from, *b_pass, *b_slice;
  {
    const long line = first_col + b_line, term = b_term;
    b_from = &x1[term + line * n1];
  }
  {
    const long line = first_col + b_line + 8, term = b_term;
    b_pass = &x1[term + line * n1];
  }
  {
    const long line = first_col + b_line, term = b_term + 16;
    b_slice = &x1[term + line * n1];
  }
  const long b_by_pass = b_pass - b_from, b_by_slice = b_slice - b_from;
  local const float* const a_read = a_ring + warp_row + down * 4;
  local const float* const b_read = b_ring + warp_col + across * 4;
  float sums[1][4][4];
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 1; ++u) {
      for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;
    }
  }
  const bool interior = first_row + 64 <= rows && first_col + 32 <= cols;
  const int slices = (int)((inner + 15) / 16);
  const int whole = (int)(inner / 16);
  if (0 < slices) {
    const long left = inner - 16 * (long)(0);
    copy_1(a_to0 + 0 * 4096 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 0 * 4096 + 512, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 0 * 4096 + 1024, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 0 * 4096 + 1536, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 0 * 4096 + 2048, a_from + 4 * a_by_pass, a_term + 8 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 0 * 4096 + 2560, a_from + 5 * a_by_pass, a_term + 10 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 0 * 4096 + 3072, a_from + 6 * a_by_pass, a_term + 12 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 0 * 4096 + 3584, a_from + 7 * a_by_pass, a_term + 14 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 0 * 2304 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to0 + 0 * 2304 + 32, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    copy_1(b_to0 + 0 * 2304 + 64, b_from + 2 * b_by_pass, b_term + 0 < left ? b_bytes2 : 0);
    copy_1(b_to0 + 0 * 2304 + 96, b_from + 3 * b_by_pass, b_term + 0 < left ? b_bytes3 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (1 < slices) {
    const long left = inner - 16 * (long)(1);
    copy_1(a_to0 + 1 * 4096 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 1 * 4096 + 512, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 1 * 4096 + 1024, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 1 * 4096 + 1536, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 1 * 4096 + 2048, a_from + 4 * a_by_pass, a_term + 8 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 1 * 4096 + 2560, a_from + 5 * a_by_pass, a_term + 10 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 1 * 4096 + 3072, a_from + 6 * a_by_pass, a_term + 12 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 1 * 4096 + 3584, a_from + 7 * a_by_pass, a_term + 14 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 1 * 2304 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to0 + 1 * 2304 + 32, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    copy_1(b_to0 + 1 * 2304 + 64, b_from + 2 * b_by_pass, b_term + 0 < left ? b_bytes2 : 0);
    copy_1(b_to0 + 1 * 2304 + 96, b_from + 3 * b_by_pass, b_term + 0 < left ? b_bytes3 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (2 < slices) {
    const long left = inner - 16 * (long)(2);
    copy_1(a_to0 + 2 * 4096 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 2 * 4096 + 512, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 2 * 4096 + 1024, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 2 * 4096 + 1536, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 2 * 4096 + 2048, a_from + 4 * a_by_pass, a_term + 8 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 2 * 4096 + 2560, a_from + 5 * a_by_pass, a_term + 10 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 2 * 4096 + 3072, a_from + 6 * a_by_pass, a_term + 12 < left ? a_bytes0 : 0);
    copy_1(a_to0 + 2 * 4096 + 3584, a_from + 7 * a_by_pass, a_term + 14 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 2 * 2304 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to0 + 2 * 2304 + 32, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    copy_1(b_to0 + 2 * 2304 + 64, b_from + 2 * b_by_pass, b_term + 0 < left ? b_bytes2 : 0);
    copy_1(b_to0 + 2 * 2304 + 96, b_from + 3 * b_by_pass, b_term + 0 < left ? b_bytes3 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  uint from = 0, to = 3;
  int slice = 0;
#pragma unroll 1
  for (; slice + 3 < whole; ++slice) {
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    copy_1(a_to0 + to * 4096 + 0, a_from + 0 * a_by_pass, a_bytes0);
    copy_1(a_to0 + to * 4096 + 512, a_from + 1 * a_by_pass, a_bytes0);
    copy_1(a_to0 + to * 4096 + 1024, a_from + 2 * a_by_pass, a_bytes0);
    copy_1(a_to0 + to * 4096 + 1536, a_from + 3 * a_by_pass, a_bytes0);
    copy_1(a_to0 + to * 4096 + 2048, a_from + 4 * a_by_pass, a_bytes0);
    copy_1(a_to0 + to * 4096 + 2560, a_from + 5 * a_by_pass, a_bytes0);
    copy_1(a_to0 + to * 4096 + 3072, a_from + 6 * a_by_pass, a_bytes0);
    copy_1(a_to0 + to * 4096 + 3584, a_from + 7 * a_by_pass, a_bytes0);
    copy_1(b_to0 + to * 2304 + 0, b_from + 0 * b_by_pass, b_bytes0);
    copy_1(b_to0 + to * 2304 + 32, b_from + 1 * b_by_pass, b_bytes1);
    copy_1(b_to0 + to * 2304 + 64, b_from + 2 * b_by_pass, b_bytes2);
    copy_1(b_to0 + to * 2304 + 96, b_from + 3 * b_by_pass, b_bytes3);
    a_from += a_by_slice;
    b_from += b_by_slice;
    end_of_slice();
#pragma unroll
    for (uint term = 0; term < 16; ++term) {
      float a[1][4], b[4];
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(a_read + from * 1024 + term * 64 + u * 32), 0, a[u]);
      }
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(b_read + from * 576 + term * 36 + u * 16), u, b);
      }
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 1; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            sums[u][v][q] = fma(a[u][q], b[v], sums[u][v][q]);
          }
        }
      }
    }
    to = from;
    from = from + 1 == 4 ? 0 : from + 1;
  }
#pragma unroll 1
  for (; slice < slices; ++slice) {
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (slice + 3 < slices) {
      const long left = inner - 16 * (long)(slice + 3);
      copy_1(a_to0 + to * 4096 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
      copy_1(a_to0 + to * 4096 + 512, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
      copy_1(a_to0 + to * 4096 + 1024, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
      copy_1(a_to0 + to * 4096 + 1536, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
      copy_1(a_to0 + to * 4096 + 2048, a_from + 4 * a_by_pass, a_term + 8 < left ? a_bytes0 : 0);
      copy_1(a_to0 + to * 4096 + 2560, a_from + 5 * a_by_pass, a_term + 10 < left ? a_bytes0 : 0);
      copy_1(a_to0 + to * 4096 + 3072, a_from + 6 * a_by_pass, a_term + 12 < left ? a_bytes0 : 0);
      copy_1(a_to0 + to * 4096 + 3584, a_from + 7 * a_by_pass, a_term + 14 < left ? a_bytes0 : 0);
      copy_1(b_to0 + to * 2304 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      copy_1(b_to0 + to * 2304 + 32, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
      copy_1(b_to0 + to * 2304 + 64, b_from + 2 * b_by_pass, b_term + 0 < left ? b_bytes2 : 0);
      copy_1(b_to0 + to * 2304 + 96, b_from + 3 * b_by_pass, b_term + 0 < left ? b_bytes3 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
#pragma unroll
    for (uint term = 0; term < 16; ++term) {
      float a[1][4], b[4];
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(a_read + from * 1024 + term * 64 + u * 32), 0, a[u]);
      }
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(b_read + from * 576 + term * 36 + u * 16), u, b);
      }
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 1; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            sums[u][v][q] = fma(a[u][q], b[v], sums[u][v][q]);
          }
        }
      }
    }
    to = from;
    from = from + 1 == 4 ? 0 : from + 1;
  }
  float r0_v[4];
  for (int k = 0; k < 4; ++k) r0_v[k] = 0.0f;
  if (interior) {
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const float r0 = sums[u][v][q];
          r0_v[v] = r0_v[v] + exp(r0);
        }
      }
    }
  }
  else {
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + u * 32 + down * 4 + q;
          const long j = first_col + warp_col + v / 4 * 16 + across * 4 + v % 4;
          if (i < rows && j < cols) {
            const float r0 = sums[u][v][q];
            r0_v[v] = r0_v[v] + exp(r0);
          }
        }
      }
    }
  }
  local float* const shared0 = (local float*)((local char*)a_ring + 0);
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint each = 0; each < 4; ++each) {
    float r0 = r0_v[each];
    const uint v = each;
    {
      const uint first_stride = 4;
      shared0[lane] = r0;
      for (uint stride = first_stride; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride && down + stride < 8) {
          shared0[lane] = shared0[lane] + (shared0[lane + stride]);
        }
      }
      r0 = shared0[lane];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint beside = warp % 2;
    {
      const uint first_stride = 1;
      shared0[lane] = r0;
      for (uint stride = first_stride; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (beside < stride && beside + stride < 2) {
          shared0[lane] = shared0[lane] + (shared0[lane + stride * 32]);
        }
      }
      r0 = shared0[lane];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    const long j = first_col + warp_col + v / 4 * 16 + across * 4 + v % 4;
    if (down == 0 && beside == 0 && j < cols) {
      p0[j + (first_row / 64) * cols] = r0;
    }
  }
  const uint parts = (uint)((rows + 63) / 64);
  // the group that arrives last adds what those have left that share a tile with it
  local uint* const is_last = (local uint*)b_ring;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (lane == 0) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    is_last[0] = atomic_inc((arrivals + first_col / 32)) + 1 == parts;
    if (is_last[0]) *(arrivals + first_col / 32) = 0;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (is_last[0]) {
    const long end = min(first_col + 32, cols);
    for (long j = first_col + lane; j < end; j += 128) {
      float r0 = 0.0f;
#pragma unroll 4
      for (uint part = 0; part < parts; ++part) {
        r0 = r0 + (p0[j + part * cols]);
      }
      y0[j] = r0 / s0;
    }
  }
}
