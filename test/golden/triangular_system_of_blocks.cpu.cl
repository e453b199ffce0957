#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void invert_tile(
    local const double* d, local double* x, uint lane) {
  for (int q = 0; q < 32; ++q) {
    for (int r = 0; r < 32; ++r) x[r + q * 32] = r == q ? 1 : 0;
  }
  for (int k = 0; k < 32; ++k) {
    const double pivot = d[k + k * 32];
    for (int q = 0; q <= k; ++q) {
      const double value = x[k + q * 32] / pivot;
      x[k + q * 32] = value;
      for (int r = k + 1; r < 32; ++r)
        x[r + q * 32] = fma(-d[r + k * 32], value, x[r + q * 32]);
    }
  }
}

static inline __attribute__((always_inline)) void add_lower_product(
    local const double* a, local const double* b, uint b_down, uint b_across, local double* c,
    uint cols, uint lane) {
  for (uint q = 0; q < cols; q += 4) {
    for (uint r = 0; r < 32; r += 8) {
      double4 s0_0 = vload4(0, c + r + 0 + (q + 0) * 32);
      double4 s1_0 = vload4(0, c + r + 4 + (q + 0) * 32);
      double4 s0_1 = vload4(0, c + r + 0 + (q + 1) * 32);
      double4 s1_1 = vload4(0, c + r + 4 + (q + 1) * 32);
      double4 s0_2 = vload4(0, c + r + 0 + (q + 2) * 32);
      double4 s1_2 = vload4(0, c + r + 4 + (q + 2) * 32);
      double4 s0_3 = vload4(0, c + r + 0 + (q + 3) * 32);
      double4 s1_3 = vload4(0, c + r + 4 + (q + 3) * 32);
      for (uint k = 0; k < 32; ++k) {
        const double4 x0 = vload4(0, a + r + 0 + k * 32);
        const double4 x1 = vload4(0, a + r + 4 + k * 32);
        const long4 below0 = (long4)((int)r + 0) + (long4)(0, 1, 2, 3) >= (long4)((int)k);
        const long4 below1 = (long4)((int)r + 4) + (long4)(0, 1, 2, 3) >= (long4)((int)k);
        const double4 y0 = (double4)(b[k * b_down + (q + 0) * b_across]);
        s0_0 = below0 ? fma(x0, y0, s0_0) : s0_0;
        s1_0 = below1 ? fma(x1, y0, s1_0) : s1_0;
        const double4 y1 = (double4)(b[k * b_down + (q + 1) * b_across]);
        s0_1 = below0 ? fma(x0, y1, s0_1) : s0_1;
        s1_1 = below1 ? fma(x1, y1, s1_1) : s1_1;
        const double4 y2 = (double4)(b[k * b_down + (q + 2) * b_across]);
        s0_2 = below0 ? fma(x0, y2, s0_2) : s0_2;
        s1_2 = below1 ? fma(x1, y2, s1_2) : s1_2;
        const double4 y3 = (double4)(b[k * b_down + (q + 3) * b_across]);
        s0_3 = below0 ? fma(x0, y3, s0_3) : s0_3;
        s1_3 = below1 ? fma(x1, y3, s1_3) : s1_3;
      }
      vstore4(s0_0, 0, c + r + 0 + (q + 0) * 32);
      vstore4(s1_0, 0, c + r + 4 + (q + 0) * 32);
      vstore4(s0_1, 0, c + r + 0 + (q + 1) * 32);
      vstore4(s1_1, 0, c + r + 4 + (q + 1) * 32);
      vstore4(s0_2, 0, c + r + 0 + (q + 2) * 32);
      vstore4(s1_2, 0, c + r + 4 + (q + 2) * 32);
      vstore4(s0_3, 0, c + r + 0 + (q + 3) * 32);
      vstore4(s1_3, 0, c + r + 4 + (q + 3) * 32);
    }
  }
}

static inline __attribute__((always_inline)) void subtract_product(
    local const double* a, local const double* b, uint b_down, uint b_across, local double* c,
    uint cols, uint lane) {
  for (uint q = 0; q < cols; q += 4) {
    for (uint r = 0; r < 32; r += 8) {
      double4 s0_0 = vload4(0, c + r + 0 + (q + 0) * 32);
      double4 s1_0 = vload4(0, c + r + 4 + (q + 0) * 32);
      double4 s0_1 = vload4(0, c + r + 0 + (q + 1) * 32);
      double4 s1_1 = vload4(0, c + r + 4 + (q + 1) * 32);
      double4 s0_2 = vload4(0, c + r + 0 + (q + 2) * 32);
      double4 s1_2 = vload4(0, c + r + 4 + (q + 2) * 32);
      double4 s0_3 = vload4(0, c + r + 0 + (q + 3) * 32);
      double4 s1_3 = vload4(0, c + r + 4 + (q + 3) * 32);
      for (uint k = 0; k < 32; ++k) {
        const double4 x0 = -vload4(0, a + r + 0 + k * 32);
        const double4 x1 = -vload4(0, a + r + 4 + k * 32);
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
      vstore4(s0_0, 0, c + r + 0 + (q + 0) * 32);
      vstore4(s1_0, 0, c + r + 4 + (q + 0) * 32);
      vstore4(s0_1, 0, c + r + 0 + (q + 1) * 32);
      vstore4(s1_1, 0, c + r + 4 + (q + 1) * 32);
      vstore4(s0_2, 0, c + r + 0 + (q + 2) * 32);
      vstore4(s1_2, 0, c + r + 4 + (q + 2) * 32);
      vstore4(s0_3, 0, c + r + 0 + (q + 3) * 32);
      vstore4(s1_3, 0, c + r + 4 + (q + 3) * 32);
    }
  }
}

// y0 = triangular_solve(x0, x0) * 2
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_triangular_solve_67ab8ea9(global double* p0, global double* p1, global double* p2,
                                     global const double* restrict x0, const long n0, const long rows,
                                     const long cols, const uint tiles, const uint row_groups,
                                     const uint round) {
  local double a[1024] __attribute__((aligned(64)));
  local double b[1024] __attribute__((aligned(64)));
  local double x[1024] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint k = round > 0 ? round - 1 : group;
  const uint sharing = round > 0 ? min(tiles - k, row_groups) : 1;
  const long first = (long)k * 32, side = (long)(group / sharing) * 32;
  const uint own_sides = round > 0 ? (uint)min(32L, cols - side) : 0;
  global double* inverse = p0 + (long)k * 1024;
  // the tile on the diagonal, or its inverse and the right-hand sides of its rows
  if (round == 0) {
    {
      const int own_rows = (int)min(32L, rows - first), own_cols = (int)min(32L, rows - first);
      {
        for (int q = 0; q < 32; ++q)
          for (int r = 0; r < 32; ++r) a[r + q * 32] = r == q ? 1 : 0;
      }
      for (int q = 0; q < own_cols; ++q) {
        for (int r = q; r < own_rows; ++r) {
          const long row = first + r, col = first + q;
          const double x0_i = x0[row + col * n0];
          a[r + q * 32] = x0_i;
        }
      }
    }
  }
  else {
    for (uint at = 0; at < 1024; ++at) {
      a[at % 32 + at / 32 * 32] = inverse[at];
    }
    if (k == 0) {
      {
        const int own_rows = (int)min(32L, rows - first), own_cols = (int)min(32L, cols - side);
        if (own_rows < 32 || own_cols < 32) {
          for (int q = 0; q < 32; ++q)
            for (int r = 0; r < 32; ++r) b[r + q * 32] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = first + r, col = side + q;
            const double x0_i = x0[row + col * n0];
            b[r + q * 32] = x0_i;
          }
        }
      }
    }
    else {
      {
        const int own_rows = (int)min(32L, rows - first), own_cols = (int)min(32L, cols - side);
        if (own_rows < 32 || own_cols < 32) {
          for (int q = 0; q < 32; ++q)
            for (int r = 0; r < 32; ++r) b[r + q * 32] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = first + r, col = side + q;
            b[r + q * 32] = p1[row + col * rows];
          }
        }
      }
    }
    for (uint at = 0; at < 1024; ++at) {
      x[at] = 0;
    }
  }
  if (round == 0) {
    invert_tile(a, x, lane);
  }
  else {
    add_lower_product(a, b, 1, 32, x, own_sides, lane);
  }
  if (round == 0) {
    for (uint at = 0; at < 1024; ++at) {
      inverse[at] = x[at % 32 + at / 32 * 32];
    }
  }
  const uint share = group % sharing;
  if (round > 0 && share == 0) {
    {
      const int own_rows = (int)min(32L, rows - first), own_cols = (int)min(32L, cols - side);
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          p2[first + r + (side + q) * rows] = x[r + q * 32];
        }
      }
    }
  }
  // and what this contributes to rows below
  const uint last = round > 0 ? tiles : 0;
  for (uint tile = k + (share > 0 ? share : sharing); tile < last; tile += sharing) {
    const long own = (long)tile * 32;
    {
      const int own_rows = (int)min(32L, rows - own), own_cols = (int)min(32L, rows - first);
      if (own_rows < 32 || own_cols < 32) {
        for (int q = 0; q < 32; ++q)
          for (int r = 0; r < 32; ++r) a[r + q * 32] = 0;
      }
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          const long row = own + r, col = first + q;
          const double x0_i = x0[row + col * n0];
          a[r + q * 32] = x0_i;
        }
      }
    }
    if (k == 0) {
      {
        const int own_rows = (int)min(32L, rows - own), own_cols = (int)min(32L, cols - side);
        if (own_rows < 32 || own_cols < 32) {
          for (int q = 0; q < 32; ++q)
            for (int r = 0; r < 32; ++r) b[r + q * 32] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = own + r, col = side + q;
            const double x0_i = x0[row + col * n0];
            b[r + q * 32] = x0_i;
          }
        }
      }
    }
    else {
      {
        const int own_rows = (int)min(32L, rows - own), own_cols = (int)min(32L, cols - side);
        if (own_rows < 32 || own_cols < 32) {
          for (int q = 0; q < 32; ++q)
            for (int r = 0; r < 32; ++r) b[r + q * 32] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = own + r, col = side + q;
            b[r + q * 32] = p1[row + col * rows];
          }
        }
      }
    }
    subtract_product(a, x, 1, 32, b, own_sides, lane);
    {
      const int own_rows = (int)min(32L, rows - own), own_cols = (int)min(32L, cols - side);
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          p1[own + r + (side + q) * rows] = b[r + q * 32];
        }
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_triangular_solve_67ab8ea9_finish(global double* restrict y0, global const double* p2,
                                            const long rows, const long cols, const long row_chunks) {
  const long j = get_group_id(0) / row_chunks, first = get_group_id(0) % row_chunks * 1024;
  const long end = min(first + 1024, rows);
  long i = first;
  for (; i + 4 <= end; i += 4) {
    const double4 r0 = vload4(0, p2 + i + j * rows);
    const long e = i + j * rows;
    vstore4(r0 * 2.0, 0, y0 + e);
  }
  for (; i < end; ++i) {
    const double r0 = p2[i + j * rows];
    const long e = i + j * rows;
    y0[e] = r0 * 2.0;
  }
}
