static inline __attribute__((always_inline)) void invert_tile(
    local const float* d, local float* x, uint lane) {
  for (int q = 0; q < 16; ++q) {
    for (int r = 0; r < 16; ++r) x[r + q * 16] = r == q ? 1 : 0;
  }
  for (int k = 0; k < 16; ++k) {
    const float pivot = d[k + k * 16];
    for (int q = 0; q <= k; ++q) {
      const float value = x[k + q * 16] / pivot;
      x[k + q * 16] = value;
      for (int r = k + 1; r < 16; ++r)
        x[r + q * 16] = fma(-d[r + k * 16], value, x[r + q * 16]);
    }
  }
}

static inline __attribute__((always_inline)) void add_lower_product(
    local const float* a, local const float* b, uint b_down, uint b_across, local float* c,
    uint cols, uint lane) {
  for (uint q = 0; q < cols; q += 4) {
    for (uint r = 0; r < 16; r += 16) {
      float8 s0_0 = vload8(0, c + r + 0 + (q + 0) * 16);
      float8 s1_0 = vload8(0, c + r + 8 + (q + 0) * 16);
      float8 s0_1 = vload8(0, c + r + 0 + (q + 1) * 16);
      float8 s1_1 = vload8(0, c + r + 8 + (q + 1) * 16);
      float8 s0_2 = vload8(0, c + r + 0 + (q + 2) * 16);
      float8 s1_2 = vload8(0, c + r + 8 + (q + 2) * 16);
      float8 s0_3 = vload8(0, c + r + 0 + (q + 3) * 16);
      float8 s1_3 = vload8(0, c + r + 8 + (q + 3) * 16);
      for (uint k = 0; k < 16; ++k) {
        const float8 x0 = vload8(0, a + r + 0 + k * 16);
        const float8 x1 = vload8(0, a + r + 8 + k * 16);
        const int8 below0 = (int8)((int)r + 0) + (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)((int)k);
        const int8 below1 = (int8)((int)r + 8) + (int8)(0, 1, 2, 3, 4, 5, 6, 7) >= (int8)((int)k);
        const float8 y0 = (float8)(b[k * b_down + (q + 0) * b_across]);
        s0_0 = below0 ? fma(x0, y0, s0_0) : s0_0;
        s1_0 = below1 ? fma(x1, y0, s1_0) : s1_0;
        const float8 y1 = (float8)(b[k * b_down + (q + 1) * b_across]);
        s0_1 = below0 ? fma(x0, y1, s0_1) : s0_1;
        s1_1 = below1 ? fma(x1, y1, s1_1) : s1_1;
        const float8 y2 = (float8)(b[k * b_down + (q + 2) * b_across]);
        s0_2 = below0 ? fma(x0, y2, s0_2) : s0_2;
        s1_2 = below1 ? fma(x1, y2, s1_2) : s1_2;
        const float8 y3 = (float8)(b[k * b_down + (q + 3) * b_across]);
        s0_3 = below0 ? fma(x0, y3, s0_3) : s0_3;
        s1_3 = below1 ? fma(x1, y3, s1_3) : s1_3;
      }
      vstore8(s0_0, 0, c + r + 0 + (q + 0) * 16);
      vstore8(s1_0, 0, c + r + 8 + (q + 0) * 16);
      vstore8(s0_1, 0, c + r + 0 + (q + 1) * 16);
      vstore8(s1_1, 0, c + r + 8 + (q + 1) * 16);
      vstore8(s0_2, 0, c + r + 0 + (q + 2) * 16);
      vstore8(s1_2, 0, c + r + 8 + (q + 2) * 16);
      vstore8(s0_3, 0, c + r + 0 + (q + 3) * 16);
      vstore8(s1_3, 0, c + r + 8 + (q + 3) * 16);
    }
  }
}

static inline __attribute__((always_inline)) void subtract_product(
    local const float* a, local const float* b, uint b_down, uint b_across, local float* c,
    uint cols, uint lane) {
  for (uint q = 0; q < cols; q += 4) {
    for (uint r = 0; r < 16; r += 16) {
      float8 s0_0 = vload8(0, c + r + 0 + (q + 0) * 16);
      float8 s1_0 = vload8(0, c + r + 8 + (q + 0) * 16);
      float8 s0_1 = vload8(0, c + r + 0 + (q + 1) * 16);
      float8 s1_1 = vload8(0, c + r + 8 + (q + 1) * 16);
      float8 s0_2 = vload8(0, c + r + 0 + (q + 2) * 16);
      float8 s1_2 = vload8(0, c + r + 8 + (q + 2) * 16);
      float8 s0_3 = vload8(0, c + r + 0 + (q + 3) * 16);
      float8 s1_3 = vload8(0, c + r + 8 + (q + 3) * 16);
      for (uint k = 0; k < 16; ++k) {
        const float8 x0 = -vload8(0, a + r + 0 + k * 16);
        const float8 x1 = -vload8(0, a + r + 8 + k * 16);
        const float8 y0 = (float8)(b[k * b_down + (q + 0) * b_across]);
        s0_0 = fma(x0, y0, s0_0);
        s1_0 = fma(x1, y0, s1_0);
        const float8 y1 = (float8)(b[k * b_down + (q + 1) * b_across]);
        s0_1 = fma(x0, y1, s0_1);
        s1_1 = fma(x1, y1, s1_1);
        const float8 y2 = (float8)(b[k * b_down + (q + 2) * b_across]);
        s0_2 = fma(x0, y2, s0_2);
        s1_2 = fma(x1, y2, s1_2);
        const float8 y3 = (float8)(b[k * b_down + (q + 3) * b_across]);
        s0_3 = fma(x0, y3, s0_3);
        s1_3 = fma(x1, y3, s1_3);
      }
      vstore8(s0_0, 0, c + r + 0 + (q + 0) * 16);
      vstore8(s1_0, 0, c + r + 8 + (q + 0) * 16);
      vstore8(s0_1, 0, c + r + 0 + (q + 1) * 16);
      vstore8(s1_1, 0, c + r + 8 + (q + 1) * 16);
      vstore8(s0_2, 0, c + r + 0 + (q + 2) * 16);
      vstore8(s1_2, 0, c + r + 8 + (q + 2) * 16);
      vstore8(s0_3, 0, c + r + 0 + (q + 3) * 16);
      vstore8(s1_3, 0, c + r + 8 + (q + 3) * 16);
    }
  }
}

// y0 = triangular_solve(x0, x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_triangular_solve_077c017f(global float* p0, global float* p1, global float* p2,
                                     global const float* restrict x0, const long n0, const long rows,
                                     const long cols, const uint tiles, const uint row_groups,
                                     const uint round) {
  local float a[256] __attribute__((aligned(64)));
  local float b[256] __attribute__((aligned(64)));
  local float x[256] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint k = round > 0 ? round - 1 : group;
  const uint sharing = round > 0 ? min(tiles - k, row_groups) : 1;
  const long first = (long)k * 16, side = (long)(group / sharing) * 16;
  const uint own_sides = round > 0 ? (uint)min(16L, cols - side) : 0;
  global float* inverse = p0 + (long)k * 256;
  // the tile on the diagonal, or its inverse and the right-hand sides of its rows
  if (round == 0) {
    {
      const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, rows - first);
      {
        for (int q = 0; q < 16; ++q)
          for (int r = 0; r < 16; ++r) a[r + q * 16] = r == q ? 1 : 0;
      }
      for (int q = 0; q < own_cols; ++q) {
        for (int r = q; r < own_rows; ++r) {
          const long row = first + r, col = first + q;
          const float x0_i = x0[row + col * n0];
          a[r + q * 16] = x0_i;
        }
      }
    }
  }
  else {
    for (uint at = 0; at < 256; ++at) {
      a[at % 16 + at / 16 * 16] = inverse[at];
    }
    if (k == 0) {
      {
        const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, cols - side);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = first + r, col = side + q;
            const float x0_i = x0[row + col * n0];
            b[r + q * 16] = x0_i;
          }
        }
      }
    }
    else {
      {
        const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, cols - side);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = first + r, col = side + q;
            b[r + q * 16] = p1[row + col * rows];
          }
        }
      }
    }
    for (uint at = 0; at < 256; ++at) {
      x[at] = 0;
    }
  }
  if (round == 0) {
    invert_tile(a, x, lane);
  }
  else {
    add_lower_product(a, b, 1, 16, x, own_sides, lane);
  }
  if (round == 0) {
    for (uint at = 0; at < 256; ++at) {
      inverse[at] = x[at % 16 + at / 16 * 16];
    }
  }
  const uint share = group % sharing;
  if (round > 0 && share == 0) {
    {
      const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, cols - side);
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          p2[first + r + (side + q) * rows] = x[r + q * 16];
        }
      }
    }
  }
  // and what this contributes to rows below
  const uint last = round > 0 ? tiles : 0;
  for (uint tile = k + (share > 0 ? share : sharing); tile < last; tile += sharing) {
    const long own = (long)tile * 16;
    {
      const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - first);
      if (own_rows < 16 || own_cols < 16) {
        for (int q = 0; q < 16; ++q)
          for (int r = 0; r < 16; ++r) a[r + q * 16] = 0;
      }
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          const long row = own + r, col = first + q;
          const float x0_i = x0[row + col * n0];
          a[r + q * 16] = x0_i;
        }
      }
    }
    if (k == 0) {
      {
        const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, cols - side);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = own + r, col = side + q;
            const float x0_i = x0[row + col * n0];
            b[r + q * 16] = x0_i;
          }
        }
      }
    }
    else {
      {
        const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, cols - side);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = own + r, col = side + q;
            b[r + q * 16] = p1[row + col * rows];
          }
        }
      }
    }
    subtract_product(a, x, 1, 16, b, own_sides, lane);
    {
      const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, cols - side);
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          p1[own + r + (side + q) * rows] = b[r + q * 16];
        }
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_triangular_solve_077c017f_finish(global float* restrict y0, global const float* p2,
                                            const long rows, const long cols, const long row_chunks) {
  const long j = get_group_id(0) / row_chunks, first = get_group_id(0) % row_chunks * 1024;
  const long end = min(first + 1024, rows);
  long i = first;
  for (; i + 8 <= end; i += 8) {
    const float8 r0 = vload8(0, p2 + i + j * rows);
    const long e = i + j * rows;
    vstore8(r0, 0, y0 + e);
  }
  for (; i < end; ++i) {
    const float r0 = p2[i + j * rows];
    const long e = i + j * rows;
    y0[e] = r0;
  }
}
