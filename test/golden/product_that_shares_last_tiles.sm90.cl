#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void copy_2(uint to, global const double* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes));
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

// y0 = exp(matrix_product(x0, x0))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_tensor_product_af22fb58(global double* restrict y0, global double* p0,
                                   global const double* restrict x0, const long n0, const long rows,
                                   const long cols, const long inner, const uint row_tiles,
                                   const long share, const uint unshared) {
  local double a_ring[6144] __attribute__((aligned(128)));
  local double b_ring[6144] __attribute__((aligned(128)));
  const uint lane = get_local_id(0), warp = lane / 32, down = lane % 32 / 4, across = lane % 4;
  const uint col_tiles = (uint)((cols + 127) / 128);
  const uint number = get_group_id(0), rest = row_tiles * col_tiles - unshared;
  const bool is_whole = number < unshared;
  const uint part = is_whole ? 0 : (number - unshared) / rest;
  const uint group = is_whole ? number : unshared + (number - unshared) % rest;
  const uint panel = group / (8 * col_tiles), place = group - panel * 8 * col_tiles;
  const uint high = min(8u, row_tiles - panel * 8);
  const long first_row = (long)(panel * 8 + place % high) * 128;
  const long first_col = (long)(place / high) * 128;
  const long begin = part * share, end = is_whole ? inner : min(begin + share, inner);
  const uint warp_row = warp % 2 * 64, warp_col = warp / 2 * 32;
  const uint a_line = lane % 64 * 2, a_term = lane / 64;
  const uint a_to0 = (uint)(ulong)(a_ring + ((a_term + 0) * 128 + (a_line ^ ((a_term + 0) % 4 * 4))));
  const int a_bytes0 = first_row + a_line + 0 < rows ? 16 : 0;
  const uint a_to1 = (uint)(ulong)(a_ring + ((a_term + 4) * 128 + (a_line ^ ((a_term + 4) % 4 * 4))));
  global const double *a_from, *a_pass, *a_slice;
  {
    const long line = first_row + a_line, term = begin + a_term;
    a_from = &x0[line + term * n0];
  }
  {
    const long line = first_row + a_line, term = begin + a_term + 4;
    a_pass = &x0[line + term * n0];
  }
  {
    const long line = first_row + a_line, term = begin + a_term + 8;
    a_slice = &x0[line + term * n0];
  }
  const long a_by_pass = a_pass - a_from, a_by_slice = a_slice - a_from;
  const uint b_term = lane % 4 * 2, b_line = lane / 4;
  const uint b_to0 = (uint)(ulong)(b_ring + ((b_line + 0) * 8 + (b_term ^ ((b_line + 0) / 2 % 2 * 4))));
  const int b_bytes0 = first_col + b_line + 0 < cols ? 16 : 0;
  const uint b_to1 = (uint)(ulong)(b_ring + ((b_line + 64) * 8 + (b_term ^ ((b_line + 64) / 2 % 2 * 4))));
  const int b_bytes1 = first_col + b_line + 64 < cols ? 16 : 0;
  global const double *b_from, *b_pass, *b_slice;
  {
    const long line = first_col + b_line, term = begin + b_term;
    b_from = &x0[term + line * n0];
  }
  {
    const long line = first_col + b_line + 64, term = begin + b_term;
    b_pass = &x0[term + line * n0];
  }
  {
    const long line = first_col + b_line, term = begin + b_term + 8;
    b_slice = &x0[term + line * n0];
  }
  const long b_by_pass = b_pass - b_from, b_by_slice = b_slice - b_from;
  local const double* const a_read0 = a_ring + across * 128 + warp_row + ((down + 0) ^ (across * 4));
  local const double* const a_read1 = a_ring + across * 128 + warp_row + ((down + 8) ^ (across * 4));
  local const double* const b_read0 = b_ring + (warp_col + down) * 8 + ((across + 0) ^ (down / 2 % 2 * 4));
  local const double* const b_read1 = b_ring + (warp_col + down) * 8 + ((across + 4) ^ (down / 2 % 2 * 4));
  double a[2][4][2], b[2][4];
  double sums[4][4][4];
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;
    }
  }
  const bool interior = first_row + 128 <= rows && first_col + 128 <= cols;
  const long terms = end - begin;
  const int slices = (int)((terms + 7) / 8);
  const int whole = (int)(terms / 8);
  if (0 < slices) {
    const long left = terms - 8 * (long)(0);
    copy_2(a_to0 + 0 * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_2(a_to1 + 0 * 8192, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_2(b_to0 + 0 * 8192, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_2(b_to1 + 0 * 8192, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (1 < slices) {
    const long left = terms - 8 * (long)(1);
    copy_2(a_to0 + 1 * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_2(a_to1 + 1 * 8192, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_2(b_to0 + 1 * 8192, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_2(b_to1 + 1 * 8192, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (2 < slices) {
    const long left = terms - 8 * (long)(2);
    copy_2(a_to0 + 2 * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_2(a_to1 + 2 * 8192, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_2(b_to0 + 2 * 8192, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_2(b_to1 + 2 * 8192, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (3 < slices) {
    const long left = terms - 8 * (long)(3);
    copy_2(a_to0 + 3 * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_2(a_to1 + 3 * 8192, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_2(b_to0 + 3 * 8192, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_2(b_to1 + 3 * 8192, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (4 < slices) {
    const long left = terms - 8 * (long)(4);
    copy_2(a_to0 + 4 * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_2(a_to1 + 4 * 8192, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_2(b_to0 + 4 * 8192, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_2(b_to1 + 4 * 8192, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  wait_for_slices();
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint u = 0; u < 4; ++u) {
    a[0][u][0] = a_read0[0 * 1024 + 0 + (2 * u) * 8];
    a[0][u][1] = a_read1[0 * 1024 + 0 + (2 * u) * 8];
  }
  b[0][0] = b_read0[0 * 1024 + 0 * 64];
  b[0][1] = b_read0[0 * 1024 + 1 * 64];
  b[0][2] = b_read0[0 * 1024 + 2 * 64];
  b[0][3] = b_read0[0 * 1024 + 3 * 64];
  uint from = 0, to = 5;
  int slice = 0;
#pragma unroll 1
  for (; slice + 5 < whole; ++slice) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      a[1][u][0] = a_read0[from * 1024 + 512 + (2 * u) * 8];
      a[1][u][1] = a_read1[from * 1024 + 512 + (2 * u) * 8];
    }
    b[1][0] = b_read1[from * 1024 + 0 * 64];
    b[1][1] = b_read1[from * 1024 + 1 * 64];
    b[1][2] = b_read1[from * 1024 + 2 * 64];
    b[1][3] = b_read1[from * 1024 + 3 * 64];
    copy_2(a_to0 + to * 8192, a_from + 0 * a_by_pass, a_bytes0);
    copy_2(a_to1 + to * 8192, a_from + 1 * a_by_pass, a_bytes0);
    copy_2(b_to0 + to * 8192, b_from + 0 * b_by_pass, b_bytes0);
    copy_2(b_to1 + to * 8192, b_from + 1 * b_by_pass, b_bytes1);
    a_from += a_by_slice;
    b_from += b_by_slice;
    end_of_slice();
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
      }
    }
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    to = from;
    from = from + 1 == 6 ? 0 : from + 1;
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      a[0][u][0] = a_read0[from * 1024 + 0 + (2 * u) * 8];
      a[0][u][1] = a_read1[from * 1024 + 0 + (2 * u) * 8];
    }
    b[0][0] = b_read0[from * 1024 + 0 * 64];
    b[0][1] = b_read0[from * 1024 + 1 * 64];
    b[0][2] = b_read0[from * 1024 + 2 * 64];
    b[0][3] = b_read0[from * 1024 + 3 * 64];
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        multiply_unit(sums[u][v], a[1][u][0], a[1][u][1], b[1][v]);
      }
    }
  }
#pragma unroll 1
  for (; slice < slices; ++slice) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      a[1][u][0] = a_read0[from * 1024 + 512 + (2 * u) * 8];
      a[1][u][1] = a_read1[from * 1024 + 512 + (2 * u) * 8];
    }
    b[1][0] = b_read1[from * 1024 + 0 * 64];
    b[1][1] = b_read1[from * 1024 + 1 * 64];
    b[1][2] = b_read1[from * 1024 + 2 * 64];
    b[1][3] = b_read1[from * 1024 + 3 * 64];
    if (slice + 5 < slices) {
      const long left = terms - 8 * (long)(slice + 5);
      copy_2(a_to0 + to * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
      copy_2(a_to1 + to * 8192, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
      copy_2(b_to0 + to * 8192, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      copy_2(b_to1 + to * 8192, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
      }
    }
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    to = from;
    from = from + 1 == 6 ? 0 : from + 1;
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      a[0][u][0] = a_read0[from * 1024 + 0 + (2 * u) * 8];
      a[0][u][1] = a_read1[from * 1024 + 0 + (2 * u) * 8];
    }
    b[0][0] = b_read0[from * 1024 + 0 * 64];
    b[0][1] = b_read0[from * 1024 + 1 * 64];
    b[0][2] = b_read0[from * 1024 + 2 * 64];
    b[0][3] = b_read0[from * 1024 + 3 * 64];
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        multiply_unit(sums[u][v], a[1][u][0], a[1][u][1], b[1][v]);
      }
    }
  }
  if (!is_whole) {
    global double* const own = p0 + ((long)part * rest + (group - unshared)) * 16384;
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          own[i - first_row + (j - first_col) * 128] = sums[u][v][q];
        }
      }
    }
  }
  else if (interior) {
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          const double r0 = sums[u][v][q];
          const long e = i + j * rows;
          y0[e] = exp(r0);
        }
      }
    }
  }
  else {
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          if (i < rows && j < cols) {
            const double r0 = sums[u][v][q];
            const long e = i + j * rows;
            y0[e] = exp(r0);
          }
        }
      }
    }
  }
}

// adds the sums over parts of the terms
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_tensor_product_af22fb58_finish(global double* restrict y0, global const double* p0,
                                          const long rows, const long cols, const long parts,
                                          const uint row_tiles, const uint unshared) {
  const uint col_tiles = (uint)((cols + 127) / 128);
  const long results = (long)(row_tiles * col_tiles - unshared) * 16384;
  const long element = (long)get_group_id(0) * 256 + get_local_id(0);
  const uint group = unshared + (uint)(element / 16384), within = (uint)(element % 16384);
  const uint panel = group / (8 * col_tiles), place = group - panel * 8 * col_tiles;
  const uint high = min(8u, row_tiles - panel * 8);
  const long first_row = (long)(panel * 8 + place % high) * 128;
  const long first_col = (long)(place / high) * 128;
  const long i = first_row + within % 128, j = first_col + within / 128;
  if (i < rows && j < cols) {
    double r0 = 0;
#pragma unroll 4
    for (long part = 0; part < parts; ++part) r0 = r0 + p0[element + part * results];
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
}
