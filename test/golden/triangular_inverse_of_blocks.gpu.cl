#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void invert_tile(
    local const double* d, local double* x, uint lane) {
  for (uint q = lane; q < 32; q += 256) {
    for (uint r = 0; r < 32; ++r) {
      double sum = r == q ? 1 : 0;
      for (uint k = q; k < r; ++k) sum = fma(-d[r + k * 33], x[k + q * 33], sum);
      x[r + q * 33] = r < q ? 0 : sum / d[r + r * 33];
    }
  }
}

static inline __attribute__((always_inline)) void add_product(
    local const double* a, local const double* b, uint b_down, uint b_across, local double* c,
    uint cols, uint lane) {
  for (uint at = lane; at < 32 * ((cols + 3) / 4); at += 256) {
    const uint r = at % 32, q = at / 32 * 4;
    double s0 = c[r + (q + 0) * 33];
    double s1 = c[r + (q + 1) * 33];
    double s2 = c[r + (q + 2) * 33];
    double s3 = c[r + (q + 3) * 33];
    for (uint k = 0; k < 32; ++k) {
      const double x = a[r + k * 33];
      s0 = fma(x, b[k * b_down + (q + 0) * b_across], s0);
      s1 = fma(x, b[k * b_down + (q + 1) * b_across], s1);
      s2 = fma(x, b[k * b_down + (q + 2) * b_across], s2);
      s3 = fma(x, b[k * b_down + (q + 3) * b_across], s3);
    }
    c[r + (q + 0) * 33] = s0;
    c[r + (q + 1) * 33] = s1;
    c[r + (q + 2) * 33] = s2;
    c[r + (q + 3) * 33] = s3;
  }
}

// y0 = triangular_inverse(upper(x0)) * 2
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_triangular_blocks_48932361(global double* p0, global double* p1, global double* p2,
                                      global const double* restrict x0, const long n0, const long rows,
                                      const long cols, const uint tiles, const uint levels,
                                      const uint block, const long lead, const uint brought,
                                      const uint round) {
  local double d[1056] __attribute__((aligned(64)));
  local double b[1056] __attribute__((aligned(64)));
  local double x[1056] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint down = group % tiles, turn = group / tiles;
  const bool bringing = round == 0, own_side = bringing && turn >= brought;
  const uint across = own_side ? turn - brought : down / brought * brought * 0 + turn;
  const bool own_tile = bringing && !own_side && across < tiles;
  const bool on_diagonal = own_tile && down == across, below = own_tile && down > across;
  const bool above = own_tile && down < across;
  const long row_start = (long)down * 32, col_start = (long)across * 32;
  if (on_diagonal) {
    for (uint at = lane; at < 1024; at += 256) {
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
    for (uint at = lane; at < 1024; at += 256) {
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
    for (uint at = lane; at < 1056; at += 256) {
      x[at] = 0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (on_diagonal) invert_tile(d, x, lane);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (on_diagonal || (above && across / (block / 32) == down / (block / 32))) {
    const long own_col = col_start % block;
    for (uint at = lane; at < 1024; at += 256) {
      const uint r = at % 32, q = at / 32;
      if (row_start + r < lead && own_col + q < block) {
        p0[row_start + r + (own_col + q) * lead] = x[r + q * 33];
      }
    }
  }
  if (below) {
    const long own_col = col_start;
    for (uint at = lane; at < 1024; at += 256) {
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
    const uint tiles_across = max(1u, (uint)side / 32), pair = group / (tiles_across * tiles_across);
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
  const uint row_tiles = (uint)max(1L, (height + 31) / 32);
  const long first_row = (long)(place % row_tiles) * 32, first_col = (long)(place / row_tiles) * 32;
  // inverses are lower triangular, and one is the first operand or the second
  const bool doubling = round <= 2 * levels;
  const bool inverse_first = doubling == even;
  const long all = doubling ? (even ? height : width) : even ? (long)block : height;
  const long end = round > 0 ? (inverse_first ? min(all, first_row + 32) : all) : 0;
  if (doubling && !even) begin = min(first_col, end);
  for (uint once = round > 0 ? 0 : 1; once < 1; ++once) {
    for (uint at = lane; at < 1024; at += 256) {
      const uint r = at % 32, q = at / 32;
      const long row = first_row + r, col = first_col + q;
      double value = 0;
      if (row < height && col < width) {
        value = subtracts ? -out[row + col * lead] : 0;
      }
      x[r + q * 33] = value;
    }
    for (long term = begin; term < end; term += 32) {
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = first_row + r, col = term + q;
        double value = 0;
        if (row < height && col < end) {
          value = first[row + col * lead];
        }
        d[r + q * 33] = value;
      }
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = term + r, col = first_col + q;
        double value = 0;
        if (row < end && col < width) {
          value = second[row + col * lead];
        }
        b[r + q * 33] = value;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      add_product(d, b, 1, 33, x, 32, lane);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint at = lane; at < 1024; at += 256) {
      const long row = first_row + at % 32, col = first_col + at / 32;
      double sum = x[at % 32 + at / 32 * 33];
      if (row < height && col < width) {
        out[row + col * lead] = negative ? -sum : sum;
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_triangular_blocks_48932361_finish(global double* restrict y0, global const double* p0,
                                             const long rows, const long cols, const long row_chunks,
                                             const long lead) {
  const long results = rows * cols, place = (long)get_group_id(0) * 256 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    double r0 = 0;
    if (i <= j) r0 = p0[(rows - 1 - i) + (cols - 1 - j) * lead];
    const long e = i + j * rows;
    y0[e] = r0 * 2.0;
  }
}
