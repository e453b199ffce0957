#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void invert_tile(
    local const double* d, local double* x, uint lane) {
  for (uint q = lane; q < 32; q += 128) {
    for (uint r = 0; r < 32; ++r) {
      double sum = r == q ? 1 : 0;
      for (uint k = q; k < r; ++k) sum = fma(-d[r + k * 33], x[k + q * 33], sum);
      x[r + q * 33] = r < q ? 0 : sum / d[r + r * 33];
    }
  }
}

static inline __attribute__((always_inline)) void copy_2(uint to, global const double* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void end_of_slice() {
  asm volatile("cp.async.commit_group;");
}
static inline __attribute__((always_inline)) void wait_for_slices() {
  asm volatile("cp.async.wait_group 2;");
}
static inline __attribute__((always_inline)) void multiply_unit(double* c, double a0, double a1, double b) {
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a0), "d"(a1), "d"(b));
}

// y0 = triangular_inverse(upper(x0)) * 2
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_triangular_blocks_9049d198(global double* p0, global double* p1, global double* p2,
                                      global const double* restrict x0, const long n0, const long rows,
                                      const long cols, const uint tiles, const uint levels,
                                      const uint block, const long lead, const uint brought,
                                      const uint round) {
  local double room[4096] __attribute__((aligned(128)));
  local double *const a_ring = room, *const b_ring = room + 2048;
  local double *const d = room, *const x = room + 1056;
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint down = group % tiles, turn = group / tiles;
  const bool bringing = round == 0, own_side = bringing && turn >= brought;
  const uint across = own_side ? turn - brought : down / brought * brought * 0 + turn;
  const bool own_tile = bringing && !own_side && across < tiles;
  const bool on_diagonal = own_tile && down == across, below = own_tile && down > across;
  const bool above = own_tile && down < across;
  const long row_start = (long)down * 32, col_start = (long)across * 32;
  if (on_diagonal) {
    for (uint at = lane; at < 1024; at += 128) {
      const uint r = at % 32, q = at / 32;
      const long row = row_start + r, col = col_start + q;
      double value = r == q ? 1 : 0;
      if (row < rows && col < rows && r >= q) {
        const long own_row = rows - 1 - row, own_col = rows - 1 - col;
        const double x0_i = ((int)own_row <= (int)own_col) ? (x0[own_row + own_col * n0]) : 0.0;
        value = x0_i;
      }
      d[r + q * 33] = value;
    }
  }
  if (below) {
    for (uint at = lane; at < 1024; at += 128) {
      const uint r = at % 32, q = at / 32;
      const long row = row_start + r, col = col_start + q;
      double value = 0;
      if (row < rows && col < rows) {
        const long own_row = rows - 1 - row, own_col = rows - 1 - col;
        const double x0_i = ((int)own_row <= (int)own_col) ? (x0[own_row + own_col * n0]) : 0.0;
        value = x0_i;
      }
      d[r + q * 33] = value;
    }
  }
  if (above) {
    for (uint at = lane; at < 1056; at += 128) {
      x[at] = 0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (on_diagonal) invert_tile(d, x, lane);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (on_diagonal || (above && across / (block / 32) == down / (block / 32))) {
    const long own_col = col_start % block;
    for (uint at = lane; at < 1024; at += 128) {
      const uint r = at % 32, q = at / 32;
      if (row_start + r < lead && own_col + q < block) {
        p0[row_start + r + (own_col + q) * lead] = x[r + q * 33];
      }
    }
  }
  if (below) {
    const long own_col = col_start;
    for (uint at = lane; at < 1024; at += 128) {
      const uint r = at % 32, q = at / 32;
      if (row_start + r < lead && own_col + q < lead) {
        p2[row_start + r + (own_col + q) * lead] = d[r + q * 33];
      }
    }
  }
  // the product of a round, [begin, end) of whose terms a tile needs
  global const double *first = p2, *second = p0;
  global double* out = p1;
  const bool even = round % 2 == 0;
  bool subtracts = false, negative = even;
  long height, width, begin = 0;
  uint place = group;
  if (round <= 2 * levels) {
    const long side = (long)32 << (max(round, 1u) - 1) / 2;
    const uint tiles_across = max(1u, (uint)side / 64), pair = group / (tiles_across * tiles_across);
    const long left = pair * 2 * side, top = left + side, col = left % block * lead;
    place = group % (tiles_across * tiles_across);
    height = min(side, lead - top);
    width = side;
    first = even ? p0 + top + top % block * lead : p2 + top + left * lead;
    second = even ? p1 + top + col : p0 + left + col;
    out = (even ? p0 : p1) + top + col;
  }
  else {
    height = width = 0;
  }
  const uint row_tiles = (uint)max(1L, (height + 63) / 64);
  const long first_row = (long)(place % row_tiles) * 64, first_col = (long)(place / row_tiles) * 64;
  // inverses are lower triangular, and one is the first operand or the second
  const bool doubling = round <= 2 * levels;
  const bool inverse_first = doubling == even;
  const long all = doubling ? (even ? height : width) : even ? (long)block : height;
  const long end = round > 0 ? (inverse_first ? min(all, first_row + 64) : all) : 0;
  if (doubling && !even) begin = min(first_col, end);
  for (uint once = round > 0 ? 0 : 1; once < 1; ++once) {
    const uint warp = lane / 32, down = lane % 32 / 4, across = lane % 4;
    const uint warp_row = warp % 2 * 32, warp_col = warp / 2 * 32;
    const uint a_line = lane % 32 * 2, a_term = lane / 32;
    const uint a_to0 = (uint)(ulong)(a_ring + ((a_term + 0) * 64 + (a_line ^ ((a_term + 0) % 4 * 4))));
    const int a_bytes0 = first_row + a_line + 0 < height ? 16 : 0;
    const uint a_to1 = (uint)(ulong)(a_ring + ((a_term + 4) * 64 + (a_line ^ ((a_term + 4) % 4 * 4))));
    global const double *a_from, *a_pass, *a_slice;
    a_from = &first[(first_row + a_line) + (begin + a_term) * lead];
    a_pass = &first[(first_row + a_line) + (begin + a_term + 4) * lead];
    a_slice = &first[(first_row + a_line) + (begin + a_term + 8) * lead];
    const long a_by_pass = a_pass - a_from, a_by_slice = a_slice - a_from;
    const uint b_term = lane % 4 * 2, b_line = lane / 4;
    const uint b_to0 = (uint)(ulong)(b_ring + ((b_line + 0) * 8 + (b_term ^ ((b_line + 0) / 2 % 2 * 4))));
    const int b_bytes0 = first_col + b_line + 0 < width ? 16 : 0;
    const uint b_to1 = (uint)(ulong)(b_ring + ((b_line + 32) * 8 + (b_term ^ ((b_line + 32) / 2 % 2 * 4))));
    const int b_bytes1 = first_col + b_line + 32 < width ? 16 : 0;
    global const double *b_from, *b_pass, *b_slice;
    b_from = &second[(begin + b_term) + (first_col + b_line) * lead];
    b_pass = &second[(begin + b_term) + (first_col + b_line + 32) * lead];
    b_slice = &second[(begin + b_term + 8) + (first_col + b_line) * lead];
    const long b_by_pass = b_pass - b_from, b_by_slice = b_slice - b_from;
    local const double* const a_read0 = a_ring + across * 64 + warp_row + ((down + 0) ^ (across * 4));
    local const double* const a_read1 = a_ring + across * 64 + warp_row + ((down + 8) ^ (across * 4));
    local const double* const b_read0 = b_ring + (warp_col + down) * 8 + ((across + 0) ^ (down / 2 % 2 * 4));
    local const double* const b_read1 = b_ring + (warp_col + down) * 8 + ((across + 4) ^ (down / 2 % 2 * 4));
    double a[2][2][2], b[2][4];
    double sums[2][4][4];
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;
      }
    }
    if (subtracts) {
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
            const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
            sums[u][v][q] = i < height && j < width ? -out[i + j * lead] : 0;
          }
        }
      }
    }
    const long terms = end - begin;
    const int slices = (int)((terms + 7) / 8);
    const int whole = (int)(terms / 8);
    if (0 < slices) {
      const long left = terms - 8 * (long)(0);
      copy_2(a_to0 + 0 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
      copy_2(a_to1 + 0 * 4096, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
      copy_2(b_to0 + 0 * 4096, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      copy_2(b_to1 + 0 * 4096, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
    if (1 < slices) {
      const long left = terms - 8 * (long)(1);
      copy_2(a_to0 + 1 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
      copy_2(a_to1 + 1 * 4096, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
      copy_2(b_to0 + 1 * 4096, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      copy_2(b_to1 + 1 * 4096, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
    if (2 < slices) {
      const long left = terms - 8 * (long)(2);
      copy_2(a_to0 + 2 * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
      copy_2(a_to1 + 2 * 4096, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
      copy_2(b_to0 + 2 * 4096, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      copy_2(b_to1 + 2 * 4096, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[0][u][0] = a_read0[0 * 512 + 0 + (2 * u) * 8];
      a[0][u][1] = a_read1[0 * 512 + 0 + (2 * u) * 8];
    }
    b[0][0] = b_read0[0 * 512 + 0 * 64];
    b[0][1] = b_read0[0 * 512 + 1 * 64];
    b[0][2] = b_read0[0 * 512 + 2 * 64];
    b[0][3] = b_read0[0 * 512 + 3 * 64];
    uint from = 0, to = 3;
    int slice = 0;
#pragma unroll 1
    for (; slice + 3 < whole; ++slice) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        a[1][u][0] = a_read0[from * 512 + 256 + (2 * u) * 8];
        a[1][u][1] = a_read1[from * 512 + 256 + (2 * u) * 8];
      }
      b[1][0] = b_read1[from * 512 + 0 * 64];
      b[1][1] = b_read1[from * 512 + 1 * 64];
      b[1][2] = b_read1[from * 512 + 2 * 64];
      b[1][3] = b_read1[from * 512 + 3 * 64];
      copy_2(a_to0 + to * 4096, a_from + 0 * a_by_pass, a_bytes0);
      copy_2(a_to1 + to * 4096, a_from + 1 * a_by_pass, a_bytes0);
      copy_2(b_to0 + to * 4096, b_from + 0 * b_by_pass, b_bytes0);
      copy_2(b_to1 + to * 4096, b_from + 1 * b_by_pass, b_bytes1);
      a_from += a_by_slice;
      b_from += b_by_slice;
      end_of_slice();
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
          multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
        }
      }
      wait_for_slices();
      barrier(CLK_LOCAL_MEM_FENCE);
      to = from;
      from = from + 1 == 4 ? 0 : from + 1;
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        a[0][u][0] = a_read0[from * 512 + 0 + (2 * u) * 8];
        a[0][u][1] = a_read1[from * 512 + 0 + (2 * u) * 8];
      }
      b[0][0] = b_read0[from * 512 + 0 * 64];
      b[0][1] = b_read0[from * 512 + 1 * 64];
      b[0][2] = b_read0[from * 512 + 2 * 64];
      b[0][3] = b_read0[from * 512 + 3 * 64];
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
          multiply_unit(sums[u][v], a[1][u][0], a[1][u][1], b[1][v]);
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
      b[1][0] = b_read1[from * 512 + 0 * 64];
      b[1][1] = b_read1[from * 512 + 1 * 64];
      b[1][2] = b_read1[from * 512 + 2 * 64];
      b[1][3] = b_read1[from * 512 + 3 * 64];
      if (slice + 3 < slices) {
        const long left = terms - 8 * (long)(slice + 3);
        copy_2(a_to0 + to * 4096, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
        copy_2(a_to1 + to * 4096, a_from + 1 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
        copy_2(b_to0 + to * 4096, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
        copy_2(b_to1 + to * 4096, b_from + 1 * b_by_pass, b_term + 0 < left ? b_bytes1 : 0);
        a_from += a_by_slice;
        b_from += b_by_slice;
      }
      end_of_slice();
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
          multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
        }
      }
      wait_for_slices();
      barrier(CLK_LOCAL_MEM_FENCE);
      to = from;
      from = from + 1 == 4 ? 0 : from + 1;
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        a[0][u][0] = a_read0[from * 512 + 0 + (2 * u) * 8];
        a[0][u][1] = a_read1[from * 512 + 0 + (2 * u) * 8];
      }
      b[0][0] = b_read0[from * 512 + 0 * 64];
      b[0][1] = b_read0[from * 512 + 1 * 64];
      b[0][2] = b_read0[from * 512 + 2 * 64];
      b[0][3] = b_read0[from * 512 + 3 * 64];
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
          multiply_unit(sums[u][v], a[1][u][0], a[1][u][1], b[1][v]);
        }
      }
    }
#pragma unroll
    for (uint v = 0; v < 4; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long i = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long j = first_col + warp_col + 8 * v + across * 2 + q % 2;
          const double sum = negative ? -sums[u][v][q] : sums[u][v][q];
          if (i < height && j < width) out[i + j * lead] = sum;
        }
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_triangular_blocks_9049d198_finish(global double* restrict y0, global const double* p0,
                                             const long rows, const long cols, const long row_chunks,
                                             const long lead) {
  const long results = rows * cols, place = (long)get_group_id(0) * 128 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    double r0 = 0;
    if (i <= j) r0 = p0[(rows - 1 - i) + (cols - 1 - j) * lead];
    const long e = i + j * rows;
    y0[e] = r0 * 2.0;
  }
}
