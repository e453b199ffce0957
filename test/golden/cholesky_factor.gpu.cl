#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void subtract_product(
    local const double* a, local const double* b, uint b_down, uint b_across, local double* c,
    uint cols, uint lane) {
  for (uint at = lane; at < 16 * ((cols + 3) / 4); at += 256) {
    const uint r = at % 16, q = at / 16 * 4;
    double s0 = c[r + (q + 0) * 17];
    double s1 = c[r + (q + 1) * 17];
    double s2 = c[r + (q + 2) * 17];
    double s3 = c[r + (q + 3) * 17];
    for (uint k = 0; k < 16; ++k) {
      const double x = -a[r + k * 17];
      s0 = fma(x, b[k * b_down + (q + 0) * b_across], s0);
      s1 = fma(x, b[k * b_down + (q + 1) * b_across], s1);
      s2 = fma(x, b[k * b_down + (q + 2) * b_across], s2);
      s3 = fma(x, b[k * b_down + (q + 3) * b_across], s3);
    }
    c[r + (q + 0) * 17] = s0;
    c[r + (q + 1) * 17] = s1;
    c[r + (q + 2) * 17] = s2;
    c[r + (q + 3) * 17] = s3;
  }
}

// y0 = exp(cholesky(x0))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_cholesky_fb956c2a(global double* p0, global double* p1, global double* p2,
                             global const double* restrict x0, const long n0, const long rows,
                             const long cols, const uint tiles, const uint panel_groups, const uint round) {
  local double d[272] __attribute__((aligned(64)));
  local double c[272] __attribute__((aligned(64)));
  local double a[272] __attribute__((aligned(64)));
  local double b[272] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint panels = min(tiles - round, panel_groups);
  const long first = (long)round * 16;
  const long before = first - 16;
  local double roots[16];
  const bool in_panel = group < panels;
  long row_start = first + (long)group * 16, col_start = first;
  if (!in_panel) {
    const long number = group - panels, side = tiles - round - 1;
    long across = (long)(side + 0.5f - sqrt((side + 0.5f) * (side + 0.5f) - 2.0f * number));
    across = clamp(across, 0L, side - 1);
    while (across * side - across * (across - 1) / 2 > number) --across;
    while ((across + 1) * side - (across + 1) * across / 2 <= number) ++across;
    const long down = across + number - (across * side - across * (across - 1) / 2);
    row_start = first + (down + 1) * 16;
    col_start = first + (across + 1) * 16;
  }
  // the tile on the diagonal, the group's own, and what the panel before has beside them
  if (in_panel) {
    if (round <= 1) {
      for (uint at = lane; at < 256; at += 256) {
        const uint r = at % 16, q = at / 16;
        const long row = first + r, col = first + q;
        double value = r == q ? 1 : 0;
        if (row < rows && col < rows && r >= q) {
          const double x0_i = x0[row + col * n0];
          value = x0_i;
        }
        d[r + q * 17] = value;
      }
    }
    else {
      for (uint at = lane; at < 256; at += 256) {
        const uint r = at % 16, q = at / 16;
        const long row = first + r, col = first + q;
        double value = r == q ? 1 : 0;
        if (row < rows && col < rows && r >= q) {
          value = p0[row + col * rows];
        }
        d[r + q * 17] = value;
      }
    }
  }
  if (round <= 1) {
    for (uint at = lane; at < 256; at += 256) {
      const uint r = at % 16, q = at / 16;
      const long row = row_start + r, col = col_start + q;
      double value = 0;
      if (row < rows && col < rows) {
        const double x0_i = x0[row + col * n0];
        value = x0_i;
      }
      c[r + q * 17] = value;
    }
  }
  else {
    for (uint at = lane; at < 256; at += 256) {
      const uint r = at % 16, q = at / 16;
      const long row = row_start + r, col = col_start + q;
      double value = 0;
      if (row < rows && col < rows) {
        value = p0[row + col * rows];
      }
      c[r + q * 17] = value;
    }
  }
  if (round > 0) {
    for (uint at = lane; at < 256; at += 256) {
      const uint r = at % 16, q = at / 16;
      const long row = row_start + r, col = before + q;
      double value = 0;
      if (row < rows && col < rows) {
        value = p1[row + col * rows];
      }
      a[r + q * 17] = value;
    }
  }
  if (round > 0) {
    for (uint at = lane; at < 256; at += 256) {
      const uint r = at % 16, q = at / 16;
      const long row = col_start + r, col = before + q;
      double value = 0;
      if (row < rows && col < rows) {
        value = p1[row + col * rows];
      }
      b[r + q * 17] = value;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (round > 0) subtract_product(a, b, 17, 1, c, 16, lane);
  if (round > 0 && in_panel) subtract_product(b, b, 17, 1, d, 16, lane);
  barrier(CLK_LOCAL_MEM_FENCE);
  // columns are scaled by their roots at the end
  const uint columns = in_panel ? 16 : 0;
  for (uint k = 0; k < columns; ++k) {
    const double pivot = d[k + k * 17], inverse = pivot > 0 ? 1 / pivot : (double)(NAN);
    for (uint at = lane; at < 32 * (15 - k); at += 256) {
      const uint row = at % 32, column = k + 1 + at / 32, r = row % 16;
      const double factor = d[column + k * 17] * inverse;
      local double* tile = row < 16 ? d : c;
      if (row >= column) tile[r + column * 17] = fma(-tile[r + k * 17], factor, tile[r + column * 17]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint at = lane; at < 16; at += 256) {
    const double pivot = d[at + at * 17];
    roots[at] = pivot > 0 ? sqrt(pivot) : (double)(NAN);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (group == 0 && lane == 0) {
    const uint own_columns = (uint)min(16L, rows - first);
    uint bad = 16;
    for (uint k = own_columns; k > 0; --k) bad = !(d[(k - 1) * 18] > 0) ? k - 1 : bad;
    if (round == 0) p2[0] = 0;
    if (bad < 16 && p2[0] == 0) {
      p2[0] = first + bad + 1;
      p2[1] = d[bad * 18];
    }
  }
  global double* to = in_panel ? p1 : p0;
  for (uint at = lane; at < 256; at += 256) {
    const uint r = at % 16, q = at / 16;
    if (row_start + r < rows && col_start + q < rows) {
      const double value = group == 0 ? d[r + q * 17] : c[r + q * 17];
      to[row_start + r + (col_start + q) * rows] =
          !in_panel ? value : group == 0 && r == q ? roots[q] : value / roots[q];
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_cholesky_fb956c2a_finish(global double* restrict y0, global const double* p1, const long rows,
                                    const long cols, const long row_chunks) {
  const long results = rows * cols, place = (long)get_group_id(0) * 256 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    double r0 = 0;
    if (i >= j) r0 = p1[i + j * rows];
    const long e = i + j * rows;
    y0[e] = exp(r0);
  }
}
