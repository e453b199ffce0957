#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void invert_tile(
    local const double* d, local double* x, uint lane) {
  for (int q = 0; q < 16; ++q) {
    for (int r = 0; r < 16; ++r) x[r + q * 16] = r == q ? 1 : 0;
  }
  for (int k = 0; k < 16; ++k) {
    const double pivot = d[k + k * 16];
    for (int q = 0; q <= k; ++q) {
      const double value = x[k + q * 16] / pivot;
      x[k + q * 16] = value;
      for (int r = k + 1; r < 16; ++r)
        x[r + q * 16] = fma(-d[r + k * 16], value, x[r + q * 16]);
    }
  }
}

static inline __attribute__((always_inline)) void add_product(
    local const double* a, local const double* b, uint b_down, uint b_across, local double* c,
    uint cols, uint lane) {
  for (uint q = 0; q < cols; q += 4) {
    for (uint r = 0; r < 16; r += 8) {
      double4 s0_0 = vload4(0, c + r + 0 + (q + 0) * 16);
      double4 s1_0 = vload4(0, c + r + 4 + (q + 0) * 16);
      double4 s0_1 = vload4(0, c + r + 0 + (q + 1) * 16);
      double4 s1_1 = vload4(0, c + r + 4 + (q + 1) * 16);
      double4 s0_2 = vload4(0, c + r + 0 + (q + 2) * 16);
      double4 s1_2 = vload4(0, c + r + 4 + (q + 2) * 16);
      double4 s0_3 = vload4(0, c + r + 0 + (q + 3) * 16);
      double4 s1_3 = vload4(0, c + r + 4 + (q + 3) * 16);
      for (uint k = 0; k < 16; ++k) {
        const double4 x0 = vload4(0, a + r + 0 + k * 16);
        const double4 x1 = vload4(0, a + r + 4 + k * 16);
        const double4 y0 = (double4)(b[k * b_down + (q + 0) * b_across]);
        s0_0 = fma(x0, y0, s0_0);
        s1_0 = fma(x1, y0, s1_0);
        const double4 y1 = (double4)(b[k * b_down + (q + 1) * b_across]);
        s0_1 = fma(x0, y1, s0_1);
        s1_1 = fma(x1, y1, s1_1);
        const double4 y2 = (double4)(b[k * b_down + (q + 2) * b_across]);
        s0_2 = fma(x0, y2, s0_2);
        s1_2 = fma(x1, y2, s1_2);
        const double4 y3 = (double4)(b[k * b_down + (q + 3) * b_across]);
        s0_3 = fma(x0, y3, s0_3);
        s1_3 = fma(x1, y3, s1_3);
      }
      vstore4(s0_0, 0, c + r + 0 + (q + 0) * 16);
      vstore4(s1_0, 0, c + r + 4 + (q + 0) * 16);
      vstore4(s0_1, 0, c + r + 0 + (q + 1) * 16);
      vstore4(s1_1, 0, c + r + 4 + (q + 1) * 16);
      vstore4(s0_2, 0, c + r + 0 + (q + 2) * 16);
      vstore4(s1_2, 0, c + r + 4 + (q + 2) * 16);
      vstore4(s0_3, 0, c + r + 0 + (q + 3) * 16);
      vstore4(s1_3, 0, c + r + 4 + (q + 3) * 16);
    }
  }
}

static inline __attribute__((always_inline)) void subtract_product(
    local const double* a, local const double* b, uint b_down, uint b_across, local double* c,
    uint cols, uint lane) {
  for (uint q = 0; q < cols; q += 4) {
    for (uint r = 0; r < 16; r += 8) {
      double4 s0_0 = vload4(0, c + r + 0 + (q + 0) * 16);
      double4 s1_0 = vload4(0, c + r + 4 + (q + 0) * 16);
      double4 s0_1 = vload4(0, c + r + 0 + (q + 1) * 16);
      double4 s1_1 = vload4(0, c + r + 4 + (q + 1) * 16);
      double4 s0_2 = vload4(0, c + r + 0 + (q + 2) * 16);
      double4 s1_2 = vload4(0, c + r + 4 + (q + 2) * 16);
      double4 s0_3 = vload4(0, c + r + 0 + (q + 3) * 16);
      double4 s1_3 = vload4(0, c + r + 4 + (q + 3) * 16);
      for (uint k = 0; k < 16; ++k) {
        const double4 x0 = -vload4(0, a + r + 0 + k * 16);
        const double4 x1 = -vload4(0, a + r + 4 + k * 16);
        const double4 y0 = (double4)(b[k * b_down + (q + 0) * b_across]);
        s0_0 = fma(x0, y0, s0_0);
        s1_0 = fma(x1, y0, s1_0);
        const double4 y1 = (double4)(b[k * b_down + (q + 1) * b_across]);
        s0_1 = fma(x0, y1, s0_1);
        s1_1 = fma(x1, y1, s1_1);
        const double4 y2 = (double4)(b[k * b_down + (q + 2) * b_across]);
        s0_2 = fma(x0, y2, s0_2);
        s1_2 = fma(x1, y2, s1_2);
        const double4 y3 = (double4)(b[k * b_down + (q + 3) * b_across]);
        s0_3 = fma(x0, y3, s0_3);
        s1_3 = fma(x1, y3, s1_3);
      }
      vstore4(s0_0, 0, c + r + 0 + (q + 0) * 16);
      vstore4(s1_0, 0, c + r + 4 + (q + 0) * 16);
      vstore4(s0_1, 0, c + r + 0 + (q + 1) * 16);
      vstore4(s1_1, 0, c + r + 4 + (q + 1) * 16);
      vstore4(s0_2, 0, c + r + 0 + (q + 2) * 16);
      vstore4(s1_2, 0, c + r + 4 + (q + 2) * 16);
      vstore4(s0_3, 0, c + r + 0 + (q + 3) * 16);
      vstore4(s1_3, 0, c + r + 4 + (q + 3) * 16);
    }
  }
}

// y0 = triangular_inverse(upper(x0)) * 2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_triangular_inverse_9299d068(global double* p0, global double* p1,
                                       global const double* restrict x0, const long n0, const long rows,
                                       const long cols, const uint tiles, const uint round) {
  local double a[256] __attribute__((aligned(64)));
  local double b[256] __attribute__((aligned(64)));
  local double x[256] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint side = round > 0 ? 1u << ((round - 1) / 2) : 1, number = group % (side * side);
  const uint middle = group / (side * side) * 2 * side + side;
  const uint down = round > 0 ? middle + number % side : group;
  const uint across = round > 0 ? middle - side + number / side : group;
  if (down >= tiles) return;
  const bool halfway = round % 2 == 1;
  const long own = (long)down * 16, col_start = (long)across * 16;
  if (round == 0) {
    {
      const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - own);
      {
        for (int q = 0; q < 16; ++q)
          for (int r = 0; r < 16; ++r) a[r + q * 16] = r == q ? 1 : 0;
      }
      for (int q = 0; q < own_cols; ++q) {
        for (int r = q; r < own_rows; ++r) {
          const long row = own + r, col = own + q;
          const long own_row = rows - 1 - row, own_col = rows - 1 - col;
          const double x0_i = ((int)own_row <= (int)own_col) ? (x0[own_row + own_col * n0]) : 0.0;
          a[r + q * 16] = x0_i;
        }
      }
    }
  }
  for (uint at = 0; at < 256; ++at) {
    x[at] = 0;
  }
  if (round == 0) invert_tile(a, x, lane);
  // L21 inverse(L11), and in the round after it -inverse(L22) times that
  const uint begin = halfway ? across : middle, end = round == 0 ? begin : halfway ? middle : down + 1;
  for (uint k = begin; k < end; ++k) {
    const long inner = (long)k * 16;
    if (halfway) {
      {
        const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - inner);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) a[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = own + r, col = inner + q;
            const long own_row = rows - 1 - row, own_col = rows - 1 - col;
            const double x0_i = ((int)own_row <= (int)own_col) ? (x0[own_row + own_col * n0]) : 0.0;
            a[r + q * 16] = x0_i;
          }
        }
      }
      {
        const int own_rows = (int)min(16L, rows - inner), own_cols = (int)min(16L, rows - col_start);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = inner + r, col = col_start + q;
            b[r + q * 16] = p0[row + col * rows];
          }
        }
      }
    }
    else {
      {
        const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - inner);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) a[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = own + r, col = inner + q;
            a[r + q * 16] = p0[row + col * rows];
          }
        }
      }
      {
        const int own_rows = (int)min(16L, rows - inner), own_cols = (int)min(16L, rows - col_start);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = inner + r, col = col_start + q;
            b[r + q * 16] = p1[row + col * rows];
          }
        }
      }
    }
    if (halfway) {
      add_product(a, b, 1, 16, x, 16, lane);
    }
    else {
      subtract_product(a, b, 1, 16, x, 16, lane);
    }
  }
  if (halfway) {
    {
      const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - col_start);
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          p1[own + r + (col_start + q) * rows] = x[r + q * 16];
        }
      }
    }
  }
  else {
    {
      const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - col_start);
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          p0[own + r + (col_start + q) * rows] = x[r + q * 16];
        }
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_triangular_inverse_9299d068_finish(global double* restrict y0, global const double* p0,
                                              const long rows, const long cols, const long row_chunks) {
  const long j = get_group_id(0) / row_chunks, first = get_group_id(0) % row_chunks * 1024;
  const long end = min(first + 1024, rows);
  long i = first;
  for (; i + 4 <= min(end, j + 1); i += 4) {
    const double4 r0 = vload4(0, p0 + (rows - 4 - i) + (cols - 1 - j) * rows).s3210;
    const long e = i + j * rows;
    vstore4(r0 * 2.0, 0, y0 + e);
  }
  for (; i < min(end, j + 1); ++i) {
    const double r0 = p0[(rows - 1 - i) + (cols - 1 - j) * rows];
    const long e = i + j * rows;
    y0[e] = r0 * 2.0;
  }
  for (; i < end; ++i) {
    const double r0 = 0;
    const long e = i + j * rows;
    y0[e] = r0 * 2.0;
  }
}
