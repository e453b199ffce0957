#pragma OPENCL EXTENSION cl_khr_fp64 : enable

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
    const double inverse = pivot > 0 ? 1 / pivot : (double)(NAN), factor = below * inverse;
    const double second_pivot = fma(-below, factor, both[k + 1].y);
    const double second_inverse = second_pivot > 0 ? 1 / second_pivot : (double)(NAN);
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

// y0 = exp(inverse_factor(x0))
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_cholesky_panels_c37352ef(global double* p0, global double* p1, global double* p2,
                                    global const double* restrict x0, const long n0, const long rows,
                                    const long cols, const uint tiles, const uint block,
                                    const uint inner_block, const long lead, const uint round) {
  local double2 slices[2][8][96];
  local double* turned = (local double*)slices;
  local double pivots[64], roots[64], scales[64];
  const uint lane = get_local_id(0), across = lane % 16, right = lane / 16, group = get_group_id(0), panels = tiles;
  const bool in_panel = group < panels;
  // the first panel of a block comes after all panels of the block before
  const uint before_it = round % block == 0 ? block : round % inner_block == 0 ? inner_block : 1;
  const uint terms = round == 0 ? 0 : before_it * 64;
  const long first = (long)round * 64, before = first - terms;
  long top = first, bottom = first + (long)group * 64, col_start = first;
  const uint below = tiles - round;
  bool above = in_panel && (group == 0 || group >= below);
  if (in_panel && group >= below) bottom = (long)(group - below) * 64;
  if (!in_panel) {
    const long most = tiles - round - 1;
    long number = group - panels, s = most;
    const long pairs = (most + 1) * (most + 1) / 4, halves = (round + 1) / 2;
    above = number >= pairs;
    if (above) {
      col_start = first + ((number - pairs) / halves + 1) * 64;
      top = (number - pairs) % halves * 128;
    }
    else {
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
    }
    bottom = top + 64;
  }
  const bool new_top = above && !in_panel && top + 64 >= first;
  const long top_end = new_top && top >= first ? 0 : rows;
  const bool new_bottom = above && bottom + 64 >= first;
  const long bottom_end = new_bottom && bottom >= first ? 0 : rows;
  double sums[8][8], next[12];
  const bool whole_tiles = max(top, bottom) + 64 <= rows && !new_top && !new_bottom;
  if (whole_tiles) {
    if (round <= 1 || round == inner_block || round == block) {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
        const uint q = v / 2 * 16 + 2 * right + v % 2;
        const long j = col_start + q;
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          const uint r = u / 2 * 32 + 2 * across + u % 2;
          const long i = r < 64 ? top + r : bottom + r - 64;
          const double x0_i = x0[i + j * n0];
          sums[v][u] = x0_i;
        }
      }
    }
    else {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
        const uint q = v / 2 * 16 + 2 * right + v % 2;
        const long j = col_start + q;
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          const uint r = u / 2 * 32 + 2 * across + u % 2;
          const long i = r < 64 ? top + r : bottom + r - 64;
          sums[v][u] = p0[i + j * lead];
        }
      }
    }
  }
  else {
    if (round <= 1 || round == inner_block || round == block) {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
        const uint q = v / 2 * 16 + 2 * right + v % 2;
        const long j = col_start + q;
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          const uint r = u / 2 * 32 + 2 * across + u % 2;
          const long i = r < 64 ? top + r : bottom + r - 64;
          const long own_i = min(i, rows - 1), own_j = min(j, own_i);
          const double x0_i = x0[own_i + own_j * n0];
          sums[v][u] = x0_i;
        }
      }
    }
    else {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
        const uint q = v / 2 * 16 + 2 * right + v % 2;
        const long j = col_start + q;
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          const uint r = u / 2 * 32 + 2 * across + u % 2;
          const long i = r < 64 ? top + r : bottom + r - 64;
          const long own_i = min(i, rows - 1), own_j = j;
          sums[v][u] = p0[own_i + own_j * lead];
        }
      }
    }
#pragma unroll
    for (uint v = 0; v < 8; ++v) {
      const uint q = v / 2 * 16 + 2 * right + v % 2;
      const long j = col_start + q;
#pragma unroll
      for (uint u = 0; u < 8; ++u) {
        const uint r = u / 2 * 32 + 2 * across + u % 2;
        const long i = r < 64 ? top + r : bottom + r - 64;
        const bool inside = i < rows && !(r < 64 ? new_top : new_bottom);
        sums[v][u] = inside ? sums[v][u] : i == j ? 1 : 0;
      }
    }
  }
  if (terms > 0) {
#pragma unroll
    for (uint turn = 0; turn < 12; ++turn) {
      const uint m = lane % 64, line = turn * 2 + lane / 64, part = line / 8, k = line % 8;
      const long at = (part == 0 ? top : part == 1 ? bottom : col_start) + m;
      next[turn] = at < (part == 0 ? top_end : part == 1 ? bottom_end : rows) ? p1[at + (before + 0 + k) * lead] : 0;
    }
  }
  for (uint done = 0; done < terms; done += 8) {
    local double2 (*slice)[96] = slices[done / 8 % 2];
#pragma unroll
    for (uint turn = 0; turn < 12; ++turn) {
      const uint m = lane % 64, line = turn * 2 + lane / 64, part = line / 8, k = line % 8;
      ((local double*)slice[k])[part * 64 + m] = next[turn];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint following = done + 8;
    if (following < terms) {
#pragma unroll
      for (uint turn = 0; turn < 12; ++turn) {
        const uint m = lane % 64, line = turn * 2 + lane / 64, part = line / 8, k = line % 8;
        const long at = (part == 0 ? top : part == 1 ? bottom : col_start) + m;
        next[turn] = at < (part == 0 ? top_end : part == 1 ? bottom_end : rows) ? p1[at + (before + following + k) * lead] : 0;
      }
    }
#pragma unroll
    for (uint k = 0; k < 8; ++k) {
      double a[8], b[8];
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        vstore2(slice[k][u * 16 + across], u, a);
        vstore2(slice[k][64 + u * 8 + right], u, b);
      }
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          sums[v][u] = fma(-a[u], b[v], sums[v][u]);
        }
      }
    }
  }
  if (!in_panel) {
    if (whole_tiles) {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
        const uint q = v / 2 * 16 + 2 * right + v % 2;
        const long j = col_start + q;
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          const uint r = u / 2 * 32 + 2 * across + u % 2;
          const long i = r < 64 ? top + r : bottom + r - 64;
          p0[i + j * lead] = sums[v][u];
        }
      }
    }
    else {
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
        const uint q = v / 2 * 16 + 2 * right + v % 2;
        const long j = col_start + q;
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          const uint r = u / 2 * 32 + 2 * across + u % 2;
          const long i = r < 64 ? top + r : bottom + r - 64;
          if (i < rows) p0[i + j * lead] = sums[v][u];
        }
      }
    }
  }
  // a loop that a group of the panel goes through once, and others not at all
  for (uint once = in_panel ? 0 : 1; once < 1; ++once) {
    const uint side = lane % 32, part = lane / 32;
    double2 row[4][8];
#pragma unroll
    for (uint c = 0; c < 4; ++c) {
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint v = 0; v < 2; ++v) {
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          turned[(2 * right + v) * 130 + u / 2 * 32 + 2 * across + u % 2] = sums[2 * c + v][u];
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint m = 0; m < 2; ++m) {
        local const double* const from = turned + 2 * (m * 4 + part) * 130 + side;
#pragma unroll
        for (uint s = 0; s < 4; ++s) {
          row[s][c * 2 + m] = (double2)(from[32 * s], from[130 + 32 * s]);
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
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_cholesky_panels_c37352ef_finish(global double* restrict y0, global const double* p1,
                                           const long rows, const long cols, const long row_chunks,
                                           const long lead) {
  const long results = rows * cols, place = (long)get_group_id(0) * 128 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    double r0 = 0;
    if (i <= j) r0 = p1[i + j * lead];
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
}
