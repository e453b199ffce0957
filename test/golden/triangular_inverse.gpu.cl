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

static inline __attribute__((always_inline)) void subtract_product(
    local const double* a, local const double* b, uint b_down, uint b_across, local double* c,
    uint cols, uint lane) {
  for (uint at = lane; at < 32 * ((cols + 3) / 4); at += 256) {
    const uint r = at % 32, q = at / 32 * 4;
    double s0 = c[r + (q + 0) * 33];
    double s1 = c[r + (q + 1) * 33];
    double s2 = c[r + (q + 2) * 33];
    double s3 = c[r + (q + 3) * 33];
    for (uint k = 0; k < 32; ++k) {
      const double x = -a[r + k * 33];
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
void fused_triangular_inverse_a510f589(global double* p0, global double* p1,
                                       global const double* restrict x0, const long n0, const long rows,
                                       const long cols, const uint tiles, const uint round) {
  local double a[1056] __attribute__((aligned(64)));
  local double b[1056] __attribute__((aligned(64)));
  local double x[1056] __attribute__((aligned(64)));
  const uint group = get_group_id(0), lane = get_local_id(0);
  const uint side = round > 0 ? 1u << ((round - 1) / 2) : 1, number = group % (side * side);
  const uint middle = group / (side * side) * 2 * side + side;
  const uint down = round > 0 ? middle + number % side : group;
  const uint across = round > 0 ? middle - side + number / side : group;
  if (down >= tiles) return;
  const bool halfway = round % 2 == 1;
  const long own = (long)down * 32, col_start = (long)across * 32;
  if (round == 0) {
    for (uint at = lane; at < 1024; at += 256) {
      const uint r = at % 32, q = at / 32;
      const long row = own + r, col = own + q;
      double value = r == q ? 1 : 0;
      if (row < rows && col < rows && r >= q) {
        const long own_row = rows - 1 - row, own_col = rows - 1 - col;
        const double x0_i = ((int)own_row <= (int)own_col) ? (x0[own_row + own_col * n0]) : 0.0;
        value = x0_i;
      }
      a[r + q * 33] = value;
    }
  }
  for (uint at = lane; at < 1056; at += 256) {
    x[at] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (round == 0) invert_tile(a, x, lane);
  barrier(CLK_LOCAL_MEM_FENCE);
  // L21 inverse(L11), and in the round after it -inverse(L22) times that
  const uint begin = halfway ? across : middle, end = round == 0 ? begin : halfway ? middle : down + 1;
  for (uint k = begin; k < end; ++k) {
    const long inner = (long)k * 32;
    if (halfway) {
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = own + r, col = inner + q;
        double value = 0;
        if (row < rows && col < rows) {
          const long own_row = rows - 1 - row, own_col = rows - 1 - col;
          const double x0_i = ((int)own_row <= (int)own_col) ? (x0[own_row + own_col * n0]) : 0.0;
          value = x0_i;
        }
        a[r + q * 33] = value;
      }
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = inner + r, col = col_start + q;
        double value = 0;
        if (row < rows && col < rows) {
          value = p0[row + col * rows];
        }
        b[r + q * 33] = value;
      }
    }
    else {
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = own + r, col = inner + q;
        double value = 0;
        if (row < rows && col < rows) {
          value = p0[row + col * rows];
        }
        a[r + q * 33] = value;
      }
      for (uint at = lane; at < 1024; at += 256) {
        const uint r = at % 32, q = at / 32;
        const long row = inner + r, col = col_start + q;
        double value = 0;
        if (row < rows && col < rows) {
          value = p1[row + col * rows];
        }
        b[r + q * 33] = value;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (halfway) {
      add_product(a, b, 1, 33, x, 32, lane);
    }
    else {
      subtract_product(a, b, 1, 33, x, 32, lane);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (halfway) {
    for (uint at = lane; at < 1024; at += 256) {
      const uint r = at % 32, q = at / 32;
      if (own + r < rows && col_start + q < rows) {
        p1[own + r + (col_start + q) * rows] = x[r + q * 33];
      }
    }
  }
  else {
    for (uint at = lane; at < 1024; at += 256) {
      const uint r = at % 32, q = at / 32;
      if (own + r < rows && col_start + q < rows) {
        p0[own + r + (col_start + q) * rows] = x[r + q * 33];
      }
    }
  }
}

// finishes what the rounds have computed
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_triangular_inverse_a510f589_finish(global double* restrict y0, global const double* p0,
                                              const long rows, const long cols, const long row_chunks) {
  const long results = rows * cols, place = (long)get_group_id(0) * 256 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    double r0 = 0;
    if (i <= j) r0 = p0[(rows - 1 - i) + (cols - 1 - j) * rows];
    const long e = i + j * rows;
    y0[e] = r0 * 2.0;
  }
}
