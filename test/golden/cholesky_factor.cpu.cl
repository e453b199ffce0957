#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void subtract_product(
    global const double* a, global const double* b, uint b_down, uint b_across, global double* c,
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

static inline __attribute__((always_inline)) void subtract_from_diagonal(
    global const double* a, global const double* b, uint b_down, uint b_across, local double* c,
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

// y0 = exp(cholesky(x0))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_cholesky_8c518165(global double* p0, global double* p1, global double* p2,
                             global const double* restrict x0, const long n0, const long rows,
                             const long cols, const uint tiles, const uint panel_groups, const uint round) {
  local double d[256] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint panels = min(tiles - round, panel_groups);
  const long first = (long)round * 16;
  const uint before_at = (round - 1) * tiles;
  if (group < panels) {
    if (round <= 1) {
      {
        const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, rows - first);
        {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) d[r + q * 16] = r == q ? 1 : 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = q; r < own_rows; ++r) {
            const long row = first + r, col = first + q;
            const double x0_i = x0[row + col * n0];
            d[r + q * 16] = x0_i;
          }
        }
      }
    }
    else {
      global const double* left = p0 + (round * tiles + round) * 256L;
      for (int at = 0; at < 256; at += 4) {
        vstore4(vload4(0, left + at), 0, d + at);
      }
    }
    if (round > 0) subtract_from_diagonal(p1 + (before_at + round) * 256L, p1 + (before_at + round) * 256L, 16, 1, d, 16, lane);
    double scales[16];
    uint bad = 16;
    double bad_pivot = 0;
    for (int k = 0; k < 16; ++k) {
      const double pivot = d[k + k * 16];
      if (!(pivot > 0) && bad == 16 && first + k < rows) {
        bad = k;
        bad_pivot = pivot;
      }
      const double root = pivot > 0 ? sqrt(pivot) : (double)(NAN), scale = 1 / root;
      scales[k] = scale;
      local double* column = d + k * 16;
      for (int r = k / 4 * 4; r < 16; r += 4) {
        vstore4(vload4(0, column + r) * (double4)(scale), 0, column + r);
      }
      column[k] = root;
      for (int q = k + 1; q < 16; ++q) {
        const double4 factor = (double4)(-column[q]);
        local double* changed = d + q * 16;
        for (int r = q / 4 * 4; r < 16; r += 4) {
          vstore4(fma(vload4(0, column + r), factor, vload4(0, changed + r)), 0, changed + r);
        }
      }
    }
    if (group == 0) {
      if (round == 0) p2[0] = 0;
      if (bad < 16 && p2[0] == 0) {
        p2[0] = first + bad + 1;
        p2[1] = bad_pivot;
      }
    }
    for (uint tile = round + group; tile < tiles; tile += panels) {
      const long own = (long)tile * 16;
      global double* c = p1 + (round * tiles + tile) * 256L;
      if (tile == round) {
        for (int at = 0; at < 256; at += 4) {
          vstore4(vload4(0, d + at), 0, c + at);
        }
      }
      else {
        if (round <= 1) {
          {
            const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - first);
            if (own_rows < 16 || own_cols < 16) {
              for (int q = 0; q < 16; ++q)
                for (int r = 0; r < 16; ++r) c[r + q * 16] = 0;
            }
            for (int q = 0; q < own_cols; ++q) {
              for (int r = 0; r < own_rows; ++r) {
                const long row = own + r, col = first + q;
                const double x0_i = x0[row + col * n0];
                c[r + q * 16] = x0_i;
              }
            }
          }
        }
        else {
          global const double* left = p0 + (round * tiles + tile) * 256L;
          for (int at = 0; at < 256; at += 4) {
            vstore4(vload4(0, left + at), 0, c + at);
          }
        }
        if (round > 0) subtract_product(p1 + (before_at + tile) * 256L, p1 + (before_at + round) * 256L, 16, 1, c, 16, lane);
        for (int r = 0; r < 16; r += 8) {
          for (int q = 0; q < 16; q += 4) {
            double4 x0_0 = vload4(0, c + r + 0 + (q + 0) * 16);
            double4 x1_0 = vload4(0, c + r + 4 + (q + 0) * 16);
            double4 x0_1 = vload4(0, c + r + 0 + (q + 1) * 16);
            double4 x1_1 = vload4(0, c + r + 4 + (q + 1) * 16);
            double4 x0_2 = vload4(0, c + r + 0 + (q + 2) * 16);
            double4 x1_2 = vload4(0, c + r + 4 + (q + 2) * 16);
            double4 x0_3 = vload4(0, c + r + 0 + (q + 3) * 16);
            double4 x1_3 = vload4(0, c + r + 4 + (q + 3) * 16);
            for (int k = 0; k < q; ++k) {
              const double4 y0 = vload4(0, c + r + 0 + (k) * 16);
              const double4 y1 = vload4(0, c + r + 4 + (k) * 16);
              x0_0 = fma(y0, (double4)(-d[q + 0 + k * 16]), x0_0);
              x1_0 = fma(y1, (double4)(-d[q + 0 + k * 16]), x1_0);
              x0_1 = fma(y0, (double4)(-d[q + 1 + k * 16]), x0_1);
              x1_1 = fma(y1, (double4)(-d[q + 1 + k * 16]), x1_1);
              x0_2 = fma(y0, (double4)(-d[q + 2 + k * 16]), x0_2);
              x1_2 = fma(y1, (double4)(-d[q + 2 + k * 16]), x1_2);
              x0_3 = fma(y0, (double4)(-d[q + 3 + k * 16]), x0_3);
              x1_3 = fma(y1, (double4)(-d[q + 3 + k * 16]), x1_3);
            }
            x0_0 *= (double4)(scales[q + 0]);
            x1_0 *= (double4)(scales[q + 0]);
            x0_1 = fma(x0_0, (double4)(-d[q + 1 + (q + 0) * 16]), x0_1);
            x0_1 *= (double4)(scales[q + 1]);
            x1_1 = fma(x1_0, (double4)(-d[q + 1 + (q + 0) * 16]), x1_1);
            x1_1 *= (double4)(scales[q + 1]);
            x0_2 = fma(x0_0, (double4)(-d[q + 2 + (q + 0) * 16]), x0_2);
            x0_2 = fma(x0_1, (double4)(-d[q + 2 + (q + 1) * 16]), x0_2);
            x0_2 *= (double4)(scales[q + 2]);
            x1_2 = fma(x1_0, (double4)(-d[q + 2 + (q + 0) * 16]), x1_2);
            x1_2 = fma(x1_1, (double4)(-d[q + 2 + (q + 1) * 16]), x1_2);
            x1_2 *= (double4)(scales[q + 2]);
            x0_3 = fma(x0_0, (double4)(-d[q + 3 + (q + 0) * 16]), x0_3);
            x0_3 = fma(x0_1, (double4)(-d[q + 3 + (q + 1) * 16]), x0_3);
            x0_3 = fma(x0_2, (double4)(-d[q + 3 + (q + 2) * 16]), x0_3);
            x0_3 *= (double4)(scales[q + 3]);
            x1_3 = fma(x1_0, (double4)(-d[q + 3 + (q + 0) * 16]), x1_3);
            x1_3 = fma(x1_1, (double4)(-d[q + 3 + (q + 1) * 16]), x1_3);
            x1_3 = fma(x1_2, (double4)(-d[q + 3 + (q + 2) * 16]), x1_3);
            x1_3 *= (double4)(scales[q + 3]);
            vstore4(x0_0, 0, c + r + 0 + (q + 0) * 16);
            vstore4(x1_0, 0, c + r + 4 + (q + 0) * 16);
            vstore4(x0_1, 0, c + r + 0 + (q + 1) * 16);
            vstore4(x1_1, 0, c + r + 4 + (q + 1) * 16);
            vstore4(x0_2, 0, c + r + 0 + (q + 2) * 16);
            vstore4(x1_2, 0, c + r + 4 + (q + 2) * 16);
            vstore4(x0_3, 0, c + r + 0 + (q + 3) * 16);
            vstore4(x1_3, 0, c + r + 4 + (q + 3) * 16);
          }
        }
      }
    }
  }
  else {
    long row_start, col_start;
    const long number = group - panels, side = tiles - round - 1;
    long across = (long)(side + 0.5f - sqrt((side + 0.5f) * (side + 0.5f) - 2.0f * number));
    across = clamp(across, 0L, side - 1);
    while (across * side - across * (across - 1) / 2 > number) --across;
    while ((across + 1) * side - (across + 1) * across / 2 <= number) ++across;
    const long down = across + number - (across * side - across * (across - 1) / 2);
    row_start = first + (down + 1) * 16;
    col_start = first + (across + 1) * 16;
    const uint tile_row = row_start / 16, tile_col = col_start / 16;
    global double* c = p0 + (tile_col * tiles + tile_row) * 256L;
    if (round == 1) {
      if (tile_row == tile_col) {
        {
          const int own_rows = (int)min(16L, rows - row_start), own_cols = (int)min(16L, rows - col_start);
          {
            for (int q = 0; q < 16; ++q)
              for (int r = 0; r < 16; ++r) c[r + q * 16] = r == q ? 1 : 0;
          }
          for (int q = 0; q < own_cols; ++q) {
            for (int r = q; r < own_rows; ++r) {
              const long row = row_start + r, col = col_start + q;
              const double x0_i = x0[row + col * n0];
              c[r + q * 16] = x0_i;
            }
          }
        }
      }
      else {
        {
          const int own_rows = (int)min(16L, rows - row_start), own_cols = (int)min(16L, rows - col_start);
          if (own_rows < 16 || own_cols < 16) {
            for (int q = 0; q < 16; ++q)
              for (int r = 0; r < 16; ++r) c[r + q * 16] = 0;
          }
          for (int q = 0; q < own_cols; ++q) {
            for (int r = 0; r < own_rows; ++r) {
              const long row = row_start + r, col = col_start + q;
              const double x0_i = x0[row + col * n0];
              c[r + q * 16] = x0_i;
            }
          }
        }
      }
    }
    if (round > 0) subtract_product(p1 + (before_at + tile_row) * 256L, p1 + (before_at + tile_col) * 256L, 16, 1, c, 16, lane);
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_cholesky_8c518165_finish(global double* restrict y0, global const double* p1, const long rows,
                                    const long cols, const long row_chunks) {
  const long j = get_group_id(0) / row_chunks, first = get_group_id(0) % row_chunks * 1024;
  const long end = min(first + 1024, rows);
  const long column = j / 16 * ((rows + 15) / 16) * 256 + j % 16 * 16;
  long i = first;
  for (; i < min(end, j); ++i) {
    const double r0 = 0;
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
  for (; i < min(end, (j + 3) / 4 * 4); ++i) {
    const double r0 = *(p1 + column + i / 16 * 256 + i % 16);
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
  for (; i + 4 <= end; i += 4) {
    const double4 r0 = vload4(0, p1 + column + i / 16 * 256 + i % 16);
    const long e = i + j * rows;
    vstore4(exp(r0), 0, y0 + e);
  }
  for (; i < end; ++i) {
    const double r0 = *(p1 + column + i / 16 * 256 + i % 16);
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
}
