#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void copy_1(uint to, global const double* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void end_of_slice() {
  asm volatile("cp.async.commit_group;");
}
static inline __attribute__((always_inline)) void wait_for_slices() {
  asm volatile("cp.async.wait_group 4;");
}
static inline __attribute__((always_inline)) void multiply_unit(double* c, double a0, double a1, double b) {
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a0), "d"(a1), "d"(b));
}

static inline __attribute__((always_inline)) void bring_to_cache(global const void* from) {
  asm volatile("prefetch.global.L2 [%0];" :: "l"(from));
}

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

// y0 = exp(matrix_product(x0, x1))
// y1 = sum((matrix_product(x0, x1) - x2) * (matrix_product(x0, x1) - x2)) / 2
// y2 = max(matrix_product(x0, x1))
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_tensor_product_875e90ca(global double* restrict y0, global double* restrict y1,
                                   global double* restrict y2, global char* all_parts, const long apart0,
                                   volatile global uint* arrivals, global const double* restrict x0,
                                   global const double* restrict x1, global const double* restrict x2,
                                   const long n0, const long n1, const long rows, const long cols,
                                   const long inner, const uint row_tiles, const uint first_stride) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  local double a_ring[3072] __attribute__((aligned(128)));
  local double b_ring[1536] __attribute__((aligned(128)));
  const uint lane = get_local_id(0), warp = lane / 32, down = lane % 32 / 4, across = lane % 4;
  const uint col_tiles = (uint)((cols + 31) / 32);
  const uint group = get_group_id(0);
  const uint panel = group / (8 * col_tiles), place = group - panel * 8 * col_tiles;
  const uint high = min(8u, row_tiles - panel * 8);
  const long first_row = (long)(panel * 8 + place % high) * 64;
  const long first_col = (long)(place / high) * 32;
  const uint warp_row = warp % 2 * 32, warp_col = warp / 2 * 16;
  const uint a_line = lane % 64 * 1, a_term = lane / 64;
  const uint a_to0 = (uint)(ulong)(a_ring + ((a_term + 0) * 64 + (a_line ^ ((a_term + 0) % 4 * 4))));
  const int a_bytes0 = first_row + a_line + 0 < rows ? 8 : 0;
  const uint a_to1 = (uint)(ulong)(a_ring + ((a_term + 2) * 64 + (a_line ^ ((a_term + 2) % 4 * 4))));
  const uint a_to2 = (uint)(ulong)(a_ring + ((a_term + 4) * 64 + (a_line ^ ((a_term + 4) % 4 * 4))));
  const uint a_to3 = (uint)(ulong)(a_ring + ((a_term + 6) * 64 + (a_line ^ ((a_term + 6) % 4 * 4))));
  global const double *a_from, *a_pass, *a_slice;
  {
    const long line = first_row + a_line, term = a_term;
    a_from = &x0[line + term * n0];
  }
  {
    const long line = first_row + a_line, term = a_term + 2;
    a_pass = &x0[line + term * n0];
  }
  {
    const long line = first_row + a_line, term = a_term + 8;
    a_slice = &x0[line + term * n0];
  }
  const long a_by_pass = a_pass - a_from, a_by_slice = a_slice - a_from;
  const uint b_term = lane % 8 * 1, b_line = lane / 8;
  const uint b_to0 = (uint)(ulong)(b_ring + ((b_line + 0) * 8 + (b_term ^ ((b_line + 0) / 2 % 2 * 4))));
  const int b_bytes0 = first_col + b_line + 0 < cols ? 8 : 0;
  const uint b_to1 = (uint)(ulong)(b_ring + ((b_line + 16) * 8 + (b_term ^ ((b_line + 16) / 2 % 2 * 4))));
  const int b_bytes1 = first_col + b_line + 16 < cols ? 8 : 0;
  global const double *b_from, *b_pass, *b_slice;
  {
    const long line = first_col + b_line, term = b_term;
    b_from = &x1[term + line * n1];
  }
  {
    const long line = first_col + b_line + 16, term = b_term;
    b_pass = &x1[term + line * n1];
  }
  {
    const long line = first_col + b_line, term = b_term + 8;
    b_slice = &x1[term + line * n1];
  }
  const long b_by_pass = b_pass - b_from, b_by_slice = b_slice - b_from;
  local const double* const a_read0 = a_ring + across * 64 + warp_row + ((down + 0) ^ (across * 4));
  local const double* const a_read1 = a_ring + across * 64 + warp_row + ((down + 8) ^ (across * 4));
  local const double* const b_read0 = b_ring + (warp_col + down) * 8 + ((across + 0) ^ (down / 2 % 2 * 4));
  local const double* const b_read1 = b_ring + (warp_col + down) * 8 + ((across + 4) ^ (down / 2 % 2 * 4));
  double a[2][2][2], b[2][2];
  double sums[2][2][4];
#pragma unroll
  for (uint v = 0; v < 2; ++v) {
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;
    }
  }
  const bool interior = first_row + 64 <= rows && first_col + 32 <= cols;
  const int slices = (int)((inner + 7) / 8);
  const int whole = (int)(inner / 8);
  if (0 < slices) {
    const long left = inner - 8 * (long)(0);
    copy_1(a_to0 + 0 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to1 + 0 * 4096, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to2 + 0 * 4096, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to3 + 0 * 4096, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 0 * 2048, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to1 + 0 * 2048, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (1 < slices) {
    const long left = inner - 8 * (long)(1);
    copy_1(a_to0 + 1 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to1 + 1 * 4096, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to2 + 1 * 4096, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to3 + 1 * 4096, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 1 * 2048, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to1 + 1 * 2048, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (2 < slices) {
    const long left = inner - 8 * (long)(2);
    copy_1(a_to0 + 2 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to1 + 2 * 4096, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to2 + 2 * 4096, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to3 + 2 * 4096, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 2 * 2048, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to1 + 2 * 2048, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (3 < slices) {
    const long left = inner - 8 * (long)(3);
    copy_1(a_to0 + 3 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to1 + 3 * 4096, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to2 + 3 * 4096, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to3 + 3 * 4096, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 3 * 2048, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to1 + 3 * 2048, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (4 < slices) {
    const long left = inner - 8 * (long)(4);
    copy_1(a_to0 + 4 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_1(a_to1 + 4 * 4096, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_1(a_to2 + 4 * 4096, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_1(a_to3 + 4 * 4096, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_1(b_to0 + 4 * 2048, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_1(b_to1 + 4 * 2048, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (interior) {
    for (uint line = lane; line < 128; line += 128) {
      const long i = first_row + line % 4 * 16, j = first_col + line / 4;
      const long e = i + j * rows;
      bring_to_cache(&x2[e]);
    }
  }
  wait_for_slices();
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint u = 0; u < 2; ++u) {
    a[0][u][0] = a_read0[0 * 512 + 0 + (2 * u) * 8];
    a[0][u][1] = a_read1[0 * 512 + 0 + (2 * u) * 8];
  }
  b[0][0] = b_read0[0 * 256 + 0 * 64];
  b[0][1] = b_read0[0 * 256 + 1 * 64];
  uint from = 0, to = 5;
  int slice = 0;
#pragma unroll 1
  for (; slice + 5 < whole; ++slice) {
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[1][u][0] = a_read0[from * 512 + 256 + (2 * u) * 8];
      a[1][u][1] = a_read1[from * 512 + 256 + (2 * u) * 8];
    }
    b[1][0] = b_read1[from * 256 + 0 * 64];
    b[1][1] = b_read1[from * 256 + 1 * 64];
    copy_1(a_to0 + to * 4096, a_from + 0 * a_by_pass, a_bytes0);
    copy_1(a_to1 + to * 4096, a_from + 1 * a_by_pass, a_bytes0);
    copy_1(a_to2 + to * 4096, a_from + 2 * a_by_pass, a_bytes0);
    copy_1(a_to3 + to * 4096, a_from + 3 * a_by_pass, a_bytes0);
    copy_1(b_to0 + to * 2048, b_from + 0 * b_by_pass, b_bytes0);
    copy_1(b_to1 + to * 2048, b_from + 1 * b_by_pass, b_bytes1);
    a_from += a_by_slice;
    b_from += b_by_slice;
    end_of_slice();
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
      }
    }
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    to = from;
    from = from + 1 == 6 ? 0 : from + 1;
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[0][u][0] = a_read0[from * 512 + 0 + (2 * u) * 8];
      a[0][u][1] = a_read1[from * 512 + 0 + (2 * u) * 8];
    }
    b[0][0] = b_read0[from * 256 + 0 * 64];
    b[0][1] = b_read0[from * 256 + 1 * 64];
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        multiply_unit(sums[u][v], a[1][u][0], a[1][u][1], b[1][v]);
      }
    }
  }
  double ahead0[2][8];
  if (interior) {
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          const long e = i + j * rows;
          ahead0[v][4 * u + q] = x2[e];
        }
      }
    }
  }
  else {
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          if (i < rows && j < cols) {
            const long e = i + j * rows;
            ahead0[v][4 * u + q] = x2[e];
          }
        }
      }
    }
  }
#pragma unroll 1
  for (; slice < slices; ++slice) {
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[1][u][0] = a_read0[from * 512 + 256 + (2 * u) * 8];
      a[1][u][1] = a_read1[from * 512 + 256 + (2 * u) * 8];
    }
    b[1][0] = b_read1[from * 256 + 0 * 64];
    b[1][1] = b_read1[from * 256 + 1 * 64];
    if (slice + 5 < slices) {
      const long left = inner - 8 * (long)(slice + 5);
      copy_1(a_to0 + to * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
      copy_1(a_to1 + to * 4096, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
      copy_1(a_to2 + to * 4096, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
      copy_1(a_to3 + to * 4096, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
      copy_1(b_to0 + to * 2048, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      copy_1(b_to1 + to * 2048, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
      }
    }
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    to = from;
    from = from + 1 == 6 ? 0 : from + 1;
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[0][u][0] = a_read0[from * 512 + 0 + (2 * u) * 8];
      a[0][u][1] = a_read1[from * 512 + 0 + (2 * u) * 8];
    }
    b[0][0] = b_read0[from * 256 + 0 * 64];
    b[0][1] = b_read0[from * 256 + 1 * 64];
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        multiply_unit(sums[u][v], a[1][u][0], a[1][u][1], b[1][v]);
      }
    }
  }
  double r0_v = 0.0;
  double r1_v = (double)(-INFINITY);
  if (interior) {
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          const double r0 = sums[u][v][q];
          const long e = i + j * rows;
          const double x2_i = ahead0[v][4 * u + q];
          const double v0 = r0 - x2_i;
          y0[e] = exp(r0);
          r0_v = r0_v + (v0 * v0);
          r1_v = larger_double(r1_v, r0);
        }
      }
    }
  }
  else {
#pragma unroll
    for (uint v = 0; v < 2; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          if (i < rows && j < cols) {
            const double r0 = sums[u][v][q];
            const long e = i + j * rows;
            const double x2_i = ahead0[v][4 * u + q];
            const double v0 = r0 - x2_i;
            y0[e] = exp(r0);
            r0_v = r0_v + (v0 * v0);
            r1_v = larger_double(r1_v, r0);
          }
        }
      }
    }
  }
  double r0 = r0_v;
  double r1 = r1_v;
  local double* const shared0 = (local double*)((local char*)a_ring + 0);
  local double* const shared1 = (local double*)((local char*)a_ring + 1024);
  barrier(CLK_LOCAL_MEM_FENCE);
  shared0[lane] = r0;
  shared1[lane] = r1;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride && lane + stride < 128) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
      shared1[lane] = larger_double(shared1[lane], shared1[lane + stride]);
    }
  }
  r0 = shared0[lane];
  r1 = shared1[lane];
  if (lane == 0) {
    p0[get_group_id(0)] = r0;
    p1[get_group_id(0)] = r1;
  }
  // the group that arrives last adds what all have left
  local uint* const is_last = (local uint*)b_ring;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (lane == 0) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    is_last[0] = atomic_inc(arrivals) + 1 == get_num_groups(0);
    if (is_last[0]) *arrivals = 0;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (is_last[0]) {
    r0 = 0.0;
    r1 = (double)(-INFINITY);
#pragma unroll 4
    for (uint part = lane; part < get_num_groups(0); part += 128) {
      r0 = r0 + p0[part];
      r1 = larger_double(r1, p1[part]);
    }
    shared0[lane] = r0;
    shared1[lane] = r1;
    for (uint stride = first_stride; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < stride && lane + stride < 128) {
        shared0[lane] = shared0[lane] + (shared0[lane + stride]);
        shared1[lane] = larger_double(shared1[lane], shared1[lane + stride]);
      }
    }
    r0 = shared0[lane];
    r1 = shared1[lane];
    if (lane == 0) {
      const double u0 = r0 / 2.0;
      y1[0] = u0;
      y2[0] = r1;
    }
  }
}
