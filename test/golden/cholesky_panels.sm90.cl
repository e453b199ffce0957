#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void copy_2(uint to, global const double* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes));
}
static inline __attribute__((always_inline)) void end_of_slice() {
  asm volatile("cp.async.commit_group;");
}
static inline __attribute__((always_inline)) void wait_for_slices() {
  asm volatile("cp.async.wait_group 1;");
}
static inline __attribute__((always_inline)) void multiply_unit(double* c, double a0, double a1, double b) {
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a0), "d"(a1), "d"(b));
}

static inline __attribute__((always_inline)) double reciprocal(double d) {
  double x;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(x) : "d"(d));
  const double rest = fma(-d, x, 1.0);
  return d > 0 ? fma(x, fma(rest, rest, rest), x) : NAN;
}

static inline __attribute__((always_inline)) void eliminate(double2 (*row)[8], local double2 (*pairs)[128], local double* pivots, uint own, uint side, uint part) {
#pragma unroll 1
  for (uint t = 0; t < 4; ++t) {
    const uint k = 2 * (own * 4 + t);
    local double2* both = pairs[t % 2];
#pragma unroll
    for (uint s = 0; s < 4; ++s) {
      if (part == t) both[side + 32 * s] = row[s][own];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const double pivot = both[k].x, below = both[k + 1].x;
    const double inverse = reciprocal(pivot), factor = below * inverse;
    const double second_pivot = fma(-below, factor, both[k + 1].y);
    const double second_inverse = reciprocal(second_pivot);
    double2 shares[4], seconds[4];
#pragma unroll
    for (uint s = 0; s < 4; ++s) {
      const double2 mine = both[side + 32 * s];
      const double scaled = mine.x * inverse, changed = fma(-scaled, below, mine.y);
      const double second = changed * second_inverse;
      seconds[s] = -second;
      shares[s] = -fma(-second, factor, scaled);
      if (part == t) row[s][own].y = changed;
    }
#pragma unroll
    for (uint m = own; m < 8; ++m) {
      if (m > own || part > t) {
        local const double2* const columns = both + 2 * (m * 4 + part);
        const double2 x = (double2)(columns[0].x, columns[1].x), y = (double2)(columns[0].y, columns[1].y);
#pragma unroll
        for (uint s = 0; s < 4; ++s) {
          row[s][m] = fma(shares[s], x, fma(seconds[s], y, row[s][m]));
        }
      }
    }
    if (part == 0 && side == 0) {
      pivots[k] = pivot;
      pivots[k + 1] = second_pivot;
    }
  }
}

// y0 = exp(cholesky(x0))
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_cholesky_panels_3cb80a7f(global double* p0, global double* p1, global double* p2,
                                    global const double* restrict x0, const long n0, const long rows,
                                    const long cols, const uint tiles, const uint block,
                                    const uint inner_block, const long lead, const uint round) {
  local double room[4608] __attribute__((aligned(128)));
  local double *const a_ring = room, *const b_ring = room + 3072;
  local double* turned = room;
  local double pivots[64], roots[64], scales[64];
  const uint lane = get_local_id(0), warp = lane / 32, down = lane % 32 / 4, across = lane % 4, group = get_group_id(0), panels = tiles - round;
  const bool in_panel = group < panels;
  // the first panel of a block comes after all panels of the block before
  const uint before_it = round % block == 0 ? block : round % inner_block == 0 ? inner_block : 1;
  const uint terms = round == 0 ? 0 : before_it * 64;
  const long first = (long)round * 64, before = first - terms;
  long top = first, bottom = first + (long)group * 64, col_start = first;
  if (!in_panel) {
    const long most = tiles - round - 1;
    long number = group - panels, s = most;
    if (round % block == 0) {
      // columns with 1, 2, 3 ... tiles have (s + 1)^2 / 4 pairs up to the one with s tiles
      s = clamp((long)(2 * sqrt(number + 1.0f)), 1L, most);
      while (s * s / 4 > number) --s;
      while ((s + 1) * (s + 1) / 4 <= number) ++s;
      // so do columns of a band side by side, as far as its shortest one goes
      const long shorter = (s - 1) / 8 * 8, shortest = (shorter + 2) / 2;
      const long side_by_side = min((long)8, most - shorter);
      number -= (shorter + 1) * (shorter + 1) / 4;
      if (number < side_by_side * shortest) {
        s = shorter + side_by_side - number % side_by_side;
        number /= side_by_side;
      }
      else {
        number -= side_by_side * shortest;
        for (s = shorter + 1; number >= (s + 1) / 2 - shortest; ++s) number -= (s + 1) / 2 - shortest;
        number += shortest;
      }
    }
    else {
      for (; number >= (s + 1) / 2; --s) number -= (s + 1) / 2;
    }
    col_start = first + (most - s + 1) * 64;
    top = col_start + number * 128;
    bottom = top + 64;
  }
  const long first_row = 0, first_col = 0, inner = terms;
  const long a_limit = lane % 64 < 32 ? rows - top : rows - bottom + 64;
  const long b_limit = rows - col_start;
  const uint warp_row = warp % 4 * 32, warp_col = warp / 4 * 64;
  const uint a_line = lane % 64 * 2, a_term = lane / 64;
  const uint a_to0 = (uint)(ulong)(a_ring + ((a_term + 0) * 128 + (a_line ^ ((a_term + 0) % 4 * 4))));
  const int a_bytes0 = first_row + a_line + 0 < a_limit ? 16 : 0;
  const uint a_to1 = (uint)(ulong)(a_ring + ((a_term + 2) * 128 + (a_line ^ ((a_term + 2) % 4 * 4))));
  const uint a_to2 = (uint)(ulong)(a_ring + ((a_term + 4) * 128 + (a_line ^ ((a_term + 4) % 4 * 4))));
  const uint a_to3 = (uint)(ulong)(a_ring + ((a_term + 6) * 128 + (a_line ^ ((a_term + 6) % 4 * 4))));
  global const double *a_from, *a_pass, *a_slice;
  {
    const long line = first_row + a_line;
    const long row = line < 64 ? top + line : bottom + line - 64;
    a_from = &p1[row + (before + a_term) * lead];
  }
  {
    const long line = first_row + a_line;
    const long row = line < 64 ? top + line : bottom + line - 64;
    a_pass = &p1[row + (before + a_term + 2) * lead];
  }
  {
    const long line = first_row + a_line;
    const long row = line < 64 ? top + line : bottom + line - 64;
    a_slice = &p1[row + (before + a_term + 8) * lead];
  }
  const long a_by_pass = a_pass - a_from, a_by_slice = a_slice - a_from;
  const uint b_line = lane % 32 * 2, b_term = lane / 32;
  const uint b_to0 = (uint)(ulong)(b_ring + ((b_term + 0) * 64 + (b_line ^ ((b_term + 0) % 4 * 4))));
  const int b_bytes0 = first_col + b_line + 0 < b_limit ? 16 : 0;
  const uint b_to1 = (uint)(ulong)(b_ring + ((b_term + 4) * 64 + (b_line ^ ((b_term + 4) % 4 * 4))));
  global const double *b_from, *b_pass, *b_slice;
  {
    const long line = first_col + b_line;
    const long row = col_start + line;
    b_from = &p1[row + (before + b_term) * lead];
  }
  {
    const long line = first_col + b_line;
    const long row = col_start + line;
    b_pass = &p1[row + (before + b_term + 4) * lead];
  }
  {
    const long line = first_col + b_line;
    const long row = col_start + line;
    b_slice = &p1[row + (before + b_term + 8) * lead];
  }
  const long b_by_pass = b_pass - b_from, b_by_slice = b_slice - b_from;
  local const double* const a_read0 = a_ring + across * 128 + warp_row + ((down + 0) ^ (across * 4));
  local const double* const a_read1 = a_ring + across * 128 + warp_row + ((down + 8) ^ (across * 4));
  local const double* const b_read0 = b_ring + across * 64 + warp_col + ((down + 0) ^ (across * 4));
  local const double* const b_read1 = b_ring + across * 64 + warp_col + ((down + 8) ^ (across * 4));
  double a[2][2][2], b[2][8];
  double sums[2][8][4];
#pragma unroll
  for (uint v = 0; v < 8; ++v) {
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      for (uint q = 0; q < 4; ++q) sums[u][v][q] = 0;
    }
  }
  const int slices = (int)((inner + 7) / 8);
  const int whole = (int)(inner / 8);
  if (0 < slices) {
    const long left = inner - 8 * (long)(0);
    copy_2(a_to0 + 0 * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_2(a_to1 + 0 * 8192, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_2(a_to2 + 0 * 8192, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_2(a_to3 + 0 * 8192, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_2(b_to0 + 0 * 4096, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_2(b_to1 + 0 * 4096, b_from + 1 * b_by_pass, b_term + 4 < left ? b_bytes0 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  if (1 < slices) {
    const long left = inner - 8 * (long)(1);
    copy_2(a_to0 + 1 * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
    copy_2(a_to1 + 1 * 8192, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
    copy_2(a_to2 + 1 * 8192, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
    copy_2(a_to3 + 1 * 8192, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
    copy_2(b_to0 + 1 * 4096, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
    copy_2(b_to1 + 1 * 4096, b_from + 1 * b_by_pass, b_term + 4 < left ? b_bytes0 : 0);
    a_from += a_by_slice;
    b_from += b_by_slice;
  }
  end_of_slice();
  const bool whole_tiles = max(top, bottom) + 64 <= rows;
  if (whole_tiles) {
    if (round <= 1 || round == inner_block || round == block) {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            const long r = first_row + warp_row + 16 * u + q / 2 * 8 + down;
            const long own_col = first_col + warp_col + 8 * v + across * 2 + q % 2;
            const long j = col_start + own_col;
            const long i = r < 64 ? top + r : bottom + r - 64;
            const double x0_i = x0[i + j * n0];
            sums[u][v][q] = -x0_i;
          }
        }
      }
    }
    else {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            const long r = first_row + warp_row + 16 * u + q / 2 * 8 + down;
            const long own_col = first_col + warp_col + 8 * v + across * 2 + q % 2;
            const long j = col_start + own_col;
            const long i = r < 64 ? top + r : bottom + r - 64;
            sums[u][v][q] = -p0[i + j * lead];
          }
        }
      }
    }
  }
  else {
    if (round <= 1 || round == inner_block || round == block) {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            const long r = first_row + warp_row + 16 * u + q / 2 * 8 + down;
            const long own_col = first_col + warp_col + 8 * v + across * 2 + q % 2;
            const long j = col_start + own_col;
            const long i = r < 64 ? top + r : bottom + r - 64;
            const long own_i = min(i, rows - 1), own_j = min(j, own_i);
            const double x0_i = x0[own_i + own_j * n0];
            sums[u][v][q] = x0_i;
          }
        }
      }
    }
    else {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            const long r = first_row + warp_row + 16 * u + q / 2 * 8 + down;
            const long own_col = first_col + warp_col + 8 * v + across * 2 + q % 2;
            const long j = col_start + own_col;
            const long i = r < 64 ? top + r : bottom + r - 64;
            const long own_i = min(i, rows - 1), own_j = min(j, own_i);
            sums[u][v][q] = p0[own_i + own_j * lead];
          }
        }
      }
    }
#pragma unroll
    for (uint v = 0; v < 8; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
#pragma unroll
        for (uint q = 0; q < 4; ++q) {
          const long r = first_row + warp_row + 16 * u + q / 2 * 8 + down;
          const long own_col = first_col + warp_col + 8 * v + across * 2 + q % 2;
          const long j = col_start + own_col;
          const long i = r < 64 ? top + r : bottom + r - 64;
          const bool inside = i < rows && i >= j;
          sums[u][v][q] = inside ? -sums[u][v][q] : i == j ? -1 : 0;
        }
      }
    }
  }
  wait_for_slices();
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint u = 0; u < 2; ++u) {
    a[0][u][0] = a_read0[0 * 1024 + 0 + (2 * u) * 8];
    a[0][u][1] = a_read1[0 * 1024 + 0 + (2 * u) * 8];
  }
  b[0][0] = b_read0[0 * 512 + 0 + 0 * 8];
  b[0][1] = b_read1[0 * 512 + 0 + 0 * 8];
  b[0][2] = b_read0[0 * 512 + 0 + 2 * 8];
  b[0][3] = b_read1[0 * 512 + 0 + 2 * 8];
  b[0][4] = b_read0[0 * 512 + 0 + 4 * 8];
  b[0][5] = b_read1[0 * 512 + 0 + 4 * 8];
  b[0][6] = b_read0[0 * 512 + 0 + 6 * 8];
  b[0][7] = b_read1[0 * 512 + 0 + 6 * 8];
  uint from = 0, to = 2;
  int slice = 0;
#pragma unroll 1
  for (; slice + 2 < whole; ++slice) {
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[1][u][0] = a_read0[from * 1024 + 512 + (2 * u) * 8];
      a[1][u][1] = a_read1[from * 1024 + 512 + (2 * u) * 8];
    }
    b[1][0] = b_read0[from * 512 + 256 + 0 * 8];
    b[1][1] = b_read1[from * 512 + 256 + 0 * 8];
    b[1][2] = b_read0[from * 512 + 256 + 2 * 8];
    b[1][3] = b_read1[from * 512 + 256 + 2 * 8];
    b[1][4] = b_read0[from * 512 + 256 + 4 * 8];
    b[1][5] = b_read1[from * 512 + 256 + 4 * 8];
    b[1][6] = b_read0[from * 512 + 256 + 6 * 8];
    b[1][7] = b_read1[from * 512 + 256 + 6 * 8];
    copy_2(a_to0 + to * 8192, a_from + 0 * a_by_pass, a_bytes0);
    copy_2(a_to1 + to * 8192, a_from + 1 * a_by_pass, a_bytes0);
    copy_2(a_to2 + to * 8192, a_from + 2 * a_by_pass, a_bytes0);
    copy_2(a_to3 + to * 8192, a_from + 3 * a_by_pass, a_bytes0);
    copy_2(b_to0 + to * 4096, b_from + 0 * b_by_pass, b_bytes0);
    copy_2(b_to1 + to * 4096, b_from + 1 * b_by_pass, b_bytes0);
    a_from += a_by_slice;
    b_from += b_by_slice;
    end_of_slice();
#pragma unroll
    for (uint v = 0; v < 8; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
      }
    }
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    to = from;
    from = from + 1 == 3 ? 0 : from + 1;
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[0][u][0] = a_read0[from * 1024 + 0 + (2 * u) * 8];
      a[0][u][1] = a_read1[from * 1024 + 0 + (2 * u) * 8];
    }
    b[0][0] = b_read0[from * 512 + 0 + 0 * 8];
    b[0][1] = b_read1[from * 512 + 0 + 0 * 8];
    b[0][2] = b_read0[from * 512 + 0 + 2 * 8];
    b[0][3] = b_read1[from * 512 + 0 + 2 * 8];
    b[0][4] = b_read0[from * 512 + 0 + 4 * 8];
    b[0][5] = b_read1[from * 512 + 0 + 4 * 8];
    b[0][6] = b_read0[from * 512 + 0 + 6 * 8];
    b[0][7] = b_read1[from * 512 + 0 + 6 * 8];
#pragma unroll
    for (uint v = 0; v < 8; ++v) {
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
      a[1][u][0] = a_read0[from * 1024 + 512 + (2 * u) * 8];
      a[1][u][1] = a_read1[from * 1024 + 512 + (2 * u) * 8];
    }
    b[1][0] = b_read0[from * 512 + 256 + 0 * 8];
    b[1][1] = b_read1[from * 512 + 256 + 0 * 8];
    b[1][2] = b_read0[from * 512 + 256 + 2 * 8];
    b[1][3] = b_read1[from * 512 + 256 + 2 * 8];
    b[1][4] = b_read0[from * 512 + 256 + 4 * 8];
    b[1][5] = b_read1[from * 512 + 256 + 4 * 8];
    b[1][6] = b_read0[from * 512 + 256 + 6 * 8];
    b[1][7] = b_read1[from * 512 + 256 + 6 * 8];
    if (slice + 2 < slices) {
      const long left = inner - 8 * (long)(slice + 2);
      copy_2(a_to0 + to * 8192, a_from + 0 * a_by_pass, a_term + 0 < left ? a_bytes0 : 0);
      copy_2(a_to1 + to * 8192, a_from + 1 * a_by_pass, a_term + 2 < left ? a_bytes0 : 0);
      copy_2(a_to2 + to * 8192, a_from + 2 * a_by_pass, a_term + 4 < left ? a_bytes0 : 0);
      copy_2(a_to3 + to * 8192, a_from + 3 * a_by_pass, a_term + 6 < left ? a_bytes0 : 0);
      copy_2(b_to0 + to * 4096, b_from + 0 * b_by_pass, b_term + 0 < left ? b_bytes0 : 0);
      copy_2(b_to1 + to * 4096, b_from + 1 * b_by_pass, b_term + 4 < left ? b_bytes0 : 0);
      a_from += a_by_slice;
      b_from += b_by_slice;
    }
    end_of_slice();
#pragma unroll
    for (uint v = 0; v < 8; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        multiply_unit(sums[u][v], a[0][u][0], a[0][u][1], b[0][v]);
      }
    }
    wait_for_slices();
    barrier(CLK_LOCAL_MEM_FENCE);
    to = from;
    from = from + 1 == 3 ? 0 : from + 1;
#pragma unroll
    for (uint u = 0; u < 2; ++u) {
      a[0][u][0] = a_read0[from * 1024 + 0 + (2 * u) * 8];
      a[0][u][1] = a_read1[from * 1024 + 0 + (2 * u) * 8];
    }
    b[0][0] = b_read0[from * 512 + 0 + 0 * 8];
    b[0][1] = b_read1[from * 512 + 0 + 0 * 8];
    b[0][2] = b_read0[from * 512 + 0 + 2 * 8];
    b[0][3] = b_read1[from * 512 + 0 + 2 * 8];
    b[0][4] = b_read0[from * 512 + 0 + 4 * 8];
    b[0][5] = b_read1[from * 512 + 0 + 4 * 8];
    b[0][6] = b_read0[from * 512 + 0 + 6 * 8];
    b[0][7] = b_read1[from * 512 + 0 + 6 * 8];
#pragma unroll
    for (uint v = 0; v < 8; ++v) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        multiply_unit(sums[u][v], a[1][u][0], a[1][u][1], b[1][v]);
      }
    }
  }
  if (!in_panel) {
    if (whole_tiles && top > col_start) {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            const long r = first_row + warp_row + 16 * u + q / 2 * 8 + down;
            const long own_col = first_col + warp_col + 8 * v + across * 2 + q % 2;
            const long j = col_start + own_col;
            const long i = r < 64 ? top + r : bottom + r - 64;
            p0[i + j * lead] = -sums[u][v][q];
          }
        }
      }
    }
    else {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            const long r = first_row + warp_row + 16 * u + q / 2 * 8 + down;
            const long own_col = first_col + warp_col + 8 * v + across * 2 + q % 2;
            const long j = col_start + own_col;
            const long i = r < 64 ? top + r : bottom + r - 64;
            if (i < rows && i >= j) p0[i + j * lead] = -sums[u][v][q];
          }
        }
      }
    }
  }
  // a loop that a group of the panel goes through once, and others not at all
  for (uint once = in_panel ? 0 : 1; once < 1; ++once) {
    const uint side = lane % 32, part = lane / 32;
    double2 row[4][8];
#pragma unroll
    for (uint c = 0; c < 2; ++c) {
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint w = 0; w < 4; ++w) {
#pragma unroll
        for (uint u = 0; u < 2; ++u) {
#pragma unroll
          for (uint q = 0; q < 4; ++q) {
            turned[(w * 8 + across * 2 + q % 2) * 130 + warp_row + 16 * u + q / 2 * 8 + down] = -sums[u][4 * c + w][q];
          }
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint m = 0; m < 4; ++m) {
        local const double* const from = turned + 2 * (m * 4 + part) * 130 + side;
#pragma unroll
        for (uint s = 0; s < 4; ++s) {
          row[s][c * 4 + m] = (double2)(from[32 * s], from[130 + 32 * s]);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    local double2 (*pairs)[128] = (local double2 (*)[128])turned;
    eliminate(row, pairs, pivots, 0, side, part);
    eliminate(row, pairs, pivots, 1, side, part);
    eliminate(row, pairs, pivots, 2, side, part);
    eliminate(row, pairs, pivots, 3, side, part);
    eliminate(row, pairs, pivots, 4, side, part);
    eliminate(row, pairs, pivots, 5, side, part);
    eliminate(row, pairs, pivots, 6, side, part);
    eliminate(row, pairs, pivots, 7, side, part);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group == 0 && lane == 0) {
      // the last pivot is NaN where an earlier one was not positive
      uint bad = 64;
      if (!(pivots[63] > 0)) {
        for (uint k = (uint)min(64L, rows - first); k > 0; --k) bad = !(pivots[k - 1] > 0) ? k - 1 : bad;
      }
      if (round == 0) p2[0] = 0;
      if (bad < 64 && p2[0] == 0) {
        p2[0] = first + bad + 1;
        p2[1] = pivots[bad];
      }
    }
    if (lane < 64) {
      const double root = pivots[lane] > 0 ? sqrt(pivots[lane]) : (double)(NAN);
      roots[lane] = root;
      scales[lane] = 1 / root;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group > 0) {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        const uint s = 2 + u;
        const long i = bottom + side + 32 * u;
        if (i < rows) {
#pragma unroll
          for (uint m = 0; m < 8; ++m) {
            {
              const uint col = 2 * (m * 4 + part);
              global double* const to = &p1[i + (first + col) * lead];
              *to = row[s][m].x * scales[col];
            }
            {
              const uint col = 2 * (m * 4 + part) + 1;
              global double* const to = &p1[i + (first + col) * lead];
              *to = row[s][m].y * scales[col];
            }
          }
        }
      }
    }
    else {
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        const uint s = 0 + u;
        const long i = first + side + 32 * u;
        if (i < rows) {
#pragma unroll
          for (uint m = 0; m < 8; ++m) {
            {
              const uint col = 2 * (m * 4 + part);
              global double* const to = &p1[i + (first + col) * lead];
              if (i - first >= col) *to = i - first == col ? roots[col] : row[s][m].x * scales[col];
            }
            {
              const uint col = 2 * (m * 4 + part) + 1;
              global double* const to = &p1[i + (first + col) * lead];
              if (i - first >= col) *to = i - first == col ? roots[col] : row[s][m].y * scales[col];
            }
          }
        }
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_cholesky_panels_3cb80a7f_finish(global double* restrict y0, global const double* p1,
                                           const long rows, const long cols, const long row_chunks,
                                           const long lead) {
  const long results = rows * cols, place = (long)get_group_id(0) * 128 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    double r0 = 0;
    if (i >= j) r0 = p1[i + j * lead];
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
}
