static inline __attribute__((always_inline)) void copy_1(uint to, global const float* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void copy_4(uint to, global const float* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void end_of_slice() {
  asm volatile("cp.async.commit_group;");
}
static inline __attribute__((always_inline)) void wait_for_slices() {
  asm volatile("cp.async.wait_group 2;");
}

// y0 = expm1(matrix_product(transpose(x0), transpose(x1)))
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_float_product_e60200bf(global float* p0, global const float* restrict x0,
                                  global const float* restrict x1, const long n0, const long n2,
                                  const long n1, const long rows, const long cols, const long inner,
                                  const uint row_tiles, const long share) {
  local float a_ring[4352] __attribute__((aligned(128)));
  local float b_ring[2048] __attribute__((aligned(128)));
  const uint lane = get_local_id(0), warp = lane / 32, down = lane % 8, across = lane % 32 / 8;
  const uint col_tiles = (uint)((cols + 31) / 32);
  const uint group = get_group_id(0) % (row_tiles * col_tiles);
  const uint part = get_group_id(0) / (row_tiles * col_tiles);
  const uint panel = group / (8 * col_tiles), place = group - panel * 8 * col_tiles;
  const uint high = min(8u, row_tiles - panel * 8);
  const long first_row = (long)(panel * 8 + place % high) * 64;
  const long first_col = (long)(place / high) * 32;
  const long begin = part * share, end = min(begin + share, inner);
  const uint warp_row = warp % 2 * 32, warp_col = warp / 2 * 16;
  const uint a_term = lane % 16 * 1, a_line = lane / 16;
  const uint a_to0 = (uint)(ulong)(a_ring + (a_term * 68 + (a_line + 0)));
  const int a_passes = (int)clamp((rows - first_row - a_line + 7) / 8, 0L, 8L);
  global const float *a_from, *a_pass, *a_slice;
  {
    const long line = first_row + a_line, term = begin + a_term;
    a_from = &x0[term + line * n0];
  }
  {
    const long line = first_row + a_line + 8, term = begin + a_term;
    a_pass = &x0[term + line * n0];
  }
  {
    const long line = first_row + a_line, term = begin + a_term + 16;
    a_slice = &x0[term + line * n0];
  }
  const long a_by_pass = a_pass - a_from, a_by_slice = a_slice - a_from;
  const uint b_line = lane % 8 * 4, b_term = lane / 8;
  const uint b_to0 = (uint)(ulong)(b_ring + ((b_term + 0) * 32 + b_line));
  const int b_bytes0 = first_col + b_line + 0 < cols ? 16 : 0;
  global const float *b_from, *b_pass, *b_slice;
  {
    const long line = first_col + b_line, term = begin + b_term;
    b_from = &x1[line + term * n2];
  }
  {
    const long line = first_col + b_line, term = begin + b_term + 16;
    b_pass = &x1[line + term * n2];
  }
  {
    const long line = first_col + b_line, term = begin + b_term + 16;
    b_slice = &x1[line + term * n2];
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
  const long terms = end - begin;
  const int slices = (int)((terms + 15) / 16);
  const int whole = (int)(terms / 16);
  if (0 < slices) {
    const long left = terms - 16 * (long)(0);
    copy_1(a_to0 + 0 * 4352 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? (0 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 0 * 4352 + 32, a_from + 1 * a_by_pass, a_term + 0 < left ? (1 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 0 * 4352 + 64, a_from + 2 * a_by_pass, a_term + 0 < left ? (2 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 0 * 4352 + 96, a_from + 3 * a_by_pass, a_term + 0 < left ? (3 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 0 * 4352 + 128, a_from + 4 * a_by_pass, a_term + 0 < left ? (4 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 0 * 4352 + 160, a_from + 5 * a_by_pass, a_term + 0 < left ? (5 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 0 * 4352 + 192, a_from + 6 * a_by_pass, a_term + 0 < left ? (6 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 0 * 4352 + 224, a_from + 7 * a_by_pass, a_term + 0 < left ? (7 < a_passes ? 4 : 0) : 0);
    copy_4(b_to0 + 0 * 2048 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (1 < slices) {
    const long left = terms - 16 * (long)(1);
    copy_1(a_to0 + 1 * 4352 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? (0 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 1 * 4352 + 32, a_from + 1 * a_by_pass, a_term + 0 < left ? (1 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 1 * 4352 + 64, a_from + 2 * a_by_pass, a_term + 0 < left ? (2 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 1 * 4352 + 96, a_from + 3 * a_by_pass, a_term + 0 < left ? (3 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 1 * 4352 + 128, a_from + 4 * a_by_pass, a_term + 0 < left ? (4 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 1 * 4352 + 160, a_from + 5 * a_by_pass, a_term + 0 < left ? (5 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 1 * 4352 + 192, a_from + 6 * a_by_pass, a_term + 0 < left ? (6 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 1 * 4352 + 224, a_from + 7 * a_by_pass, a_term + 0 < left ? (7 < a_passes ? 4 : 0) : 0);
    copy_4(b_to0 + 1 * 2048 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (2 < slices) {
    const long left = terms - 16 * (long)(2);
    copy_1(a_to0 + 2 * 4352 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? (0 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 2 * 4352 + 32, a_from + 1 * a_by_pass, a_term + 0 < left ? (1 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 2 * 4352 + 64, a_from + 2 * a_by_pass, a_term + 0 < left ? (2 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 2 * 4352 + 96, a_from + 3 * a_by_pass, a_term + 0 < left ? (3 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 2 * 4352 + 128, a_from + 4 * a_by_pass, a_term + 0 < left ? (4 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 2 * 4352 + 160, a_from + 5 * a_by_pass, a_term + 0 < left ? (5 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 2 * 4352 + 192, a_from + 6 * a_by_pass, a_term + 0 < left ? (6 < a_passes ? 4 : 0) : 0);
    copy_1(a_to0 + 2 * 4352 + 224, a_from + 7 * a_by_pass, a_term + 0 < left ? (7 < a_passes ? 4 : 0) : 0);
    copy_4(b_to0 + 2 * 2048 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
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
    copy_1(a_to0 + to * 4352 + 0, a_from + 0 * a_by_pass, (0 < a_passes ? 4 : 0));
    copy_1(a_to0 + to * 4352 + 32, a_from + 1 * a_by_pass, (1 < a_passes ? 4 : 0));
    copy_1(a_to0 + to * 4352 + 64, a_from + 2 * a_by_pass, (2 < a_passes ? 4 : 0));
    copy_1(a_to0 + to * 4352 + 96, a_from + 3 * a_by_pass, (3 < a_passes ? 4 : 0));
    copy_1(a_to0 + to * 4352 + 128, a_from + 4 * a_by_pass, (4 < a_passes ? 4 : 0));
    copy_1(a_to0 + to * 4352 + 160, a_from + 5 * a_by_pass, (5 < a_passes ? 4 : 0));
    copy_1(a_to0 + to * 4352 + 192, a_from + 6 * a_by_pass, (6 < a_passes ? 4 : 0));
    copy_1(a_to0 + to * 4352 + 224, a_from + 7 * a_by_pass, (7 < a_passes ? 4 : 0));
    copy_4(b_to0 + to * 2048 + 0, b_from + 0 * b_by_pass, b_bytes0);
    a_from += a_by_slice;
    b_from += b_by_slice;
    end_of_slice();
#pragma unroll
    for (uint term = 0; term < 16; ++term) {
      float a[1][4], b[4];
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(a_read + from * 1088 + term * 68 + u * 32), 0, a[u]);
      }
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(b_read + from * 512 + term * 32 + u * 16), u, b);
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
      const long left = terms - 16 * (long)(slice + 3);
      copy_1(a_to0 + to * 4352 + 0, a_from + 0 * a_by_pass, a_term + 0 < left ? (0 < a_passes ? 4 : 0) : 0);
      copy_1(a_to0 + to * 4352 + 32, a_from + 1 * a_by_pass, a_term + 0 < left ? (1 < a_passes ? 4 : 0) : 0);
      copy_1(a_to0 + to * 4352 + 64, a_from + 2 * a_by_pass, a_term + 0 < left ? (2 < a_passes ? 4 : 0) : 0);
      copy_1(a_to0 + to * 4352 + 96, a_from + 3 * a_by_pass, a_term + 0 < left ? (3 < a_passes ? 4 : 0) : 0);
      copy_1(a_to0 + to * 4352 + 128, a_from + 4 * a_by_pass, a_term + 0 < left ? (4 < a_passes ? 4 : 0) : 0);
      copy_1(a_to0 + to * 4352 + 160, a_from + 5 * a_by_pass, a_term + 0 < left ? (5 < a_passes ? 4 : 0) : 0);
      copy_1(a_to0 + to * 4352 + 192, a_from + 6 * a_by_pass, a_term + 0 < left ? (6 < a_passes ? 4 : 0) : 0);
      copy_1(a_to0 + to * 4352 + 224, a_from + 7 * a_by_pass, a_term + 0 < left ? (7 < a_passes ? 4 : 0) : 0);
      copy_4(b_to0 + to * 2048 + 0, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
#pragma unroll
    for (uint term = 0; term < 16; ++term) {
      float a[1][4], b[4];
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(a_read + from * 1088 + term * 68 + u * 32), 0, a[u]);
      }
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(*(local const float4*)(b_read + from * 512 + term * 32 + u * 16), u, b);
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
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 1; ++u) {
#pragma unroll
      for (uint q = 0; q < 4; ++q) {
        const long i = first_row + warp_row + u * 32 + down * 4 + q;
        const long j = first_col + warp_col + v / 4 * 16 + across * 4 + v % 4;
        if (i < rows && j < cols) {
          p0[i + (j + part * cols) * rows] = sums[u][v][q];
        }
      }
    }
  }
}

// adds the sums over parts of the terms
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_float_product_e60200bf_finish(global float* restrict y0, global const float* p0, const long rows,
                                         const long cols, const long parts) {
  const long results = rows * cols, place = (long)get_group_id(0) * 128 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    float r0 = 0;
#pragma unroll 4
    for (long part = 0; part < parts; ++part) r0 = r0 + p0[place + part * results];
    const long e = i + j * rows;
    y0[e] = expm1(r0);
  }
}
