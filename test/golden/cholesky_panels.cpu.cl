#pragma OPENCL EXTENSION cl_khr_fp64 : enable

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

// y0 = exp(cholesky(x0))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_cholesky_541bd08c(global double* p0, global double* p1, global double* p2,
                             global const double* restrict x0, const long n0, const long rows,
                             const long cols, const uint tiles, const uint panel_groups, const uint round) {
  local double d[256] __attribute__((aligned(64)));
  local double c[256] __attribute__((aligned(64)));
  local double a[256] __attribute__((aligned(64)));
  local double b[256] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint panels = min(tiles - round, panel_groups);
  const long first = (long)round * 16, before = first - 16;
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
      {
        const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, rows - first);
        {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) d[r + q * 16] = r == q ? 1 : 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = q; r < own_rows; ++r) {
            const long row = first + r, col = first + q;
            d[r + q * 16] = p0[row + col * rows];
          }
        }
      }
    }
    if (round > 0) {
      {
        const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, rows - before);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = first + r, col = before + q;
            b[r + q * 16] = p1[row + col * rows];
          }
        }
      }
    }
    if (round > 0) subtract_product(b, b, 16, 1, d, 16, lane);
    if (group == 0) {
      if (round == 0) p2[0] = 0;
    }
    for (int k = 0; k < 16; ++k) {
      const double pivot = d[k + k * 16];
      if (group == 0 && first + k < rows) {
        if (!(pivot > 0) && p2[0] == 0) {
          p2[0] = first + k + 1;
          p2[1] = pivot;
        }
      }
      const double root = pivot > 0 ? sqrt(pivot) : (double)(NAN);
      local double* column = d + k * 16;
      for (int r = k / 4 * 4; r < 16; r += 4) {
        vstore4(vload4(0, column + r) / (double4)(root), 0, column + r);
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
    for (uint tile = round + group; tile < tiles; tile += panels) {
      const long own = (long)tile * 16;
      if (tile == round) {
        {
          const int own_rows = (int)min(16L, rows - first), own_cols = (int)min(16L, rows - first);
          for (int q = 0; q < own_cols; ++q) {
            for (int r = 0; r < own_rows; ++r) {
              p1[first + r + (first + q) * rows] = d[r + q * 16];
            }
          }
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
          {
            const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - first);
            if (own_rows < 16 || own_cols < 16) {
              for (int q = 0; q < 16; ++q)
                for (int r = 0; r < 16; ++r) c[r + q * 16] = 0;
            }
            for (int q = 0; q < own_cols; ++q) {
              for (int r = 0; r < own_rows; ++r) {
                const long row = own + r, col = first + q;
                c[r + q * 16] = p0[row + col * rows];
              }
            }
          }
        }
        if (round > 0) {
          {
            const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - before);
            if (own_rows < 16 || own_cols < 16) {
              for (int q = 0; q < 16; ++q)
                for (int r = 0; r < 16; ++r) a[r + q * 16] = 0;
            }
            for (int q = 0; q < own_cols; ++q) {
              for (int r = 0; r < own_rows; ++r) {
                const long row = own + r, col = before + q;
                a[r + q * 16] = p1[row + col * rows];
              }
            }
          }
        }
        if (round > 0) subtract_product(a, b, 16, 1, c, 16, lane);
        for (int r = 0; r < 16; r += 16) {
          for (int q = 0; q < 16; ++q) {
            double4 x0 = vload4(0, c + r + 0 + q * 16);
            double4 x1 = vload4(0, c + r + 4 + q * 16);
            double4 x2 = vload4(0, c + r + 8 + q * 16);
            double4 x3 = vload4(0, c + r + 12 + q * 16);
            for (int k = 0; k < q; ++k) {
              const double4 factor = (double4)(-d[q + k * 16]);
              x0 = fma(vload4(0, c + r + 0 + k * 16), factor, x0);
              x1 = fma(vload4(0, c + r + 4 + k * 16), factor, x1);
              x2 = fma(vload4(0, c + r + 8 + k * 16), factor, x2);
              x3 = fma(vload4(0, c + r + 12 + k * 16), factor, x3);
            }
            const double4 root = (double4)(d[q + q * 16]);
            vstore4(x0 / root, 0, c + r + 0 + q * 16);
            vstore4(x1 / root, 0, c + r + 4 + q * 16);
            vstore4(x2 / root, 0, c + r + 8 + q * 16);
            vstore4(x3 / root, 0, c + r + 12 + q * 16);
          }
        }
        {
          const int own_rows = (int)min(16L, rows - own), own_cols = (int)min(16L, rows - first);
          for (int q = 0; q < own_cols; ++q) {
            for (int r = 0; r < own_rows; ++r) {
              p1[own + r + (first + q) * rows] = c[r + q * 16];
            }
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
    if (round <= 1) {
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
            c[r + q * 16] = p0[row + col * rows];
          }
        }
      }
    }
    if (round > 0) {
      {
        const int own_rows = (int)min(16L, rows - row_start), own_cols = (int)min(16L, rows - before);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) a[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = row_start + r, col = before + q;
            a[r + q * 16] = p1[row + col * rows];
          }
        }
      }
    }
    if (round > 0) {
      {
        const int own_rows = (int)min(16L, rows - col_start), own_cols = (int)min(16L, rows - before);
        if (own_rows < 16 || own_cols < 16) {
          for (int q = 0; q < 16; ++q)
            for (int r = 0; r < 16; ++r) b[r + q * 16] = 0;
        }
        for (int q = 0; q < own_cols; ++q) {
          for (int r = 0; r < own_rows; ++r) {
            const long row = col_start + r, col = before + q;
            b[r + q * 16] = p1[row + col * rows];
          }
        }
      }
    }
    if (round > 0) subtract_product(a, b, 16, 1, c, 16, lane);
    {
      const int own_rows = (int)min(16L, rows - row_start), own_cols = (int)min(16L, rows - col_start);
      for (int q = 0; q < own_cols; ++q) {
        for (int r = 0; r < own_rows; ++r) {
          p0[row_start + r + (col_start + q) * rows] = c[r + q * 16];
        }
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_cholesky_541bd08c_finish(global double* restrict y0, global const double* p1, const long rows,
                                    const long cols, const long row_chunks) {
  const long j = get_group_id(0) / row_chunks, first = get_group_id(0) % row_chunks * 1024;
  const long end = min(first + 1024, rows);
  long i = first;
  for (; i < min(end, j); ++i) {
    const double r0 = 0;
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
  for (; i + 4 <= end; i += 4) {
    const double4 r0 = vload4(0, p1 + i + j * rows);
    const long e = i + j * rows;
    vstore4(exp(r0), 0, y0 + e);
  }
  for (; i < end; ++i) {
    const double r0 = p1[i + j * rows];
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
}
