static inline __attribute__((always_inline)) void invert_tile(
    local const float* d, local float* x, uint lane) {
  for (uint q = lane; q < 32; q += 256) {
    for (uint r = 0; r < 32; ++r) {
      float sum = r == q ? 1 : 0;
      for (uint k = q; k < r; ++k) sum = fma(-d[r + k * 33], x[k + q * 33], sum);
      x[r + q * 33] = r < q ? 0 : sum / d[r + r * 33];
    }
  }
}

static inline __attribute__((always_inline)) void add_lower_product(
    local const float* a, local const float* b, uint b_down, uint b_across, local float* c,
    uint cols, uint lane) {
  for (uint at = lane; at < 32 * ((cols + 3) / 4); at += 256) {
    const uint r = at % 32, q = at / 32 * 4;
    float s0 = c[r + (q + 0) * 33];
    float s1 = c[r + (q + 1) * 33];
    float s2 = c[r + (q + 2) * 33];
    float s3 = c[r + (q + 3) * 33];
    for (uint k = 0; k <= r; ++k) {
      const float x = a[r + k * 33];
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

static inline __attribute__((always_inline)) void subtract_product(
    local const float* a, local const float* b, uint b_down, uint b_across, local float* c,
    uint cols, uint lane) {
  for (uint at = lane; at < 32 * ((cols + 3) / 4); at += 256) {
    const uint r = at % 32, q = at / 32 * 4;
    float s0 = c[r + (q + 0) * 33];
    float s1 = c[r + (q + 1) * 33];
    float s2 = c[r + (q + 2) * 33];
    float s3 = c[r + (q + 3) * 33];
    for (uint k = 0; k < 32; ++k) {
      const float x = -a[r + k * 33];
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

// y0 = triangular_solve(upper(transpose(x0)), x1) * 0.5
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_triangular_solve_c3a454a7(global float* p0, global float* p1, global float* p2,
                                     global const float* restrict x0, global const float* restrict x1,
                                     const long n0, const long rows, const long cols, const uint tiles,
                                     const uint row_groups, const uint round) {
  local float a[1056] __attribute__((aligned(64)));
  local float b[1056] __attribute__((aligned(64)));
  local float x[1056] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint k = round > 0 ? round - 1 : group;
  const uint sharing = round > 0 ? min(tiles - k, row_groups) : 1;
  const long first = (long)k * 32, side = (long)(group / sharing) * 32;
  const uint own_sides = round > 0 ? (uint)min(32L, cols - side) : 0;
  global float* inverse = p0 + (long)k * 1024;
  // the tile on the diagonal, or its inverse and the right-hand sides of its rows
  if (round == 0) {
    for (uint at = lane; at < 1024; at += 256) {
      const uint q = at % 32, r = at / 32;
      const long row = first + r, col = first + q;
      float value = r == q ? 1 : 0;
      if (row < rows && col < rows && r >= q) {
        const long own_row = rows - 1 - row, own_col = rows - 1 - col;
        const float x0_at0 = x0[own_col + own_row * n0];
        value = x0_at0;
      }
      a[r + q * 33] = value;
    }
  }
  else {
    for (uint at = lane; at < 1024; at += 256) {
      a[at % 32 + at / 32 * 33] = inverse[at];
    }
    if (k == 0) {
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = first + r, col = side + q;
        float value = 0;
        if (row < rows && col < cols) {
          const long own_row = rows - 1 - row, own_col = col;
          const float x1_i = x1[own_row + own_col * n0];
          value = x1_i;
        }
        b[r + q * 33] = value;
      }
    }
    else {
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = first + r, col = side + q;
        float value = 0;
        if (row < rows && col < cols) {
          value = p1[row + col * rows];
        }
        b[r + q * 33] = value;
      }
    }
    for (uint at = lane; at < 1056; at += 256) {
      x[at] = 0;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (round == 0) {
    invert_tile(a, x, lane);
  }
  else {
    add_lower_product(a, b, 1, 33, x, own_sides, lane);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (round == 0) {
    for (uint at = lane; at < 1024; at += 256) {
      inverse[at] = x[at % 32 + at / 32 * 33];
    }
  }
  const uint share = group % sharing;
  if (round > 0 && share == 0) {
    for (uint at = lane; at < 1024; at += 256) {
      const uint r = at % 32, q = at / 32;
      if (first + r < rows && side + q < cols) {
        p2[first + r + (side + q) * rows] = x[r + q * 33];
      }
    }
  }
  // and what this contributes to rows below
  const uint last = round > 0 ? tiles : 0;
  for (uint tile = k + (share > 0 ? share : sharing); tile < last; tile += sharing) {
    const long own = (long)tile * 32;
    for (uint at = lane; at < 1024; at += 256) {
      const uint q = at % 32, r = at / 32;
      const long row = own + r, col = first + q;
      float value = 0;
      if (row < rows && col < rows) {
        const long own_row = rows - 1 - row, own_col = rows - 1 - col;
        const float x0_at1 = x0[own_col + own_row * n0];
        value = x0_at1;
      }
      a[r + q * 33] = value;
    }
    if (k == 0) {
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = own + r, col = side + q;
        float value = 0;
        if (row < rows && col < cols) {
          const long own_row = rows - 1 - row, own_col = col;
          const float x1_i = x1[own_row + own_col * n0];
          value = x1_i;
        }
        b[r + q * 33] = value;
      }
    }
    else {
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = own + r, col = side + q;
        float value = 0;
        if (row < rows && col < cols) {
          value = p1[row + col * rows];
        }
        b[r + q * 33] = value;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    subtract_product(a, x, 1, 33, b, own_sides, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = lane; at < 1024; at += 256) {
      const uint r = at % 32, q = at / 32;
      if (own + r < rows && side + q < cols) {
        p1[own + r + (side + q) * rows] = b[r + q * 33];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_triangular_solve_c3a454a7_finish(global float* restrict y0, global const float* p2,
                                            const long rows, const long cols, const long row_chunks) {
  const long results = rows * cols, place = (long)get_group_id(0) * 256 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    float r0 = 0;
    r0 = p2[(rows - 1 - i) + j * rows];
    y0[i] = r0 * 0.5f;
  }
}
