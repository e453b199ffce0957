#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void add_product_of_panels(
    local const double* a, local const double* b, int terms, local double* c) {
  double4 c0_0 = vload4(0, c + 0);
  double4 c1_0 = vload4(0, c + 4);
  double4 c2_0 = vload4(0, c + 8);
  double4 c0_1 = vload4(0, c + 96);
  double4 c1_1 = vload4(0, c + 100);
  double4 c2_1 = vload4(0, c + 104);
  double4 c0_2 = vload4(0, c + 192);
  double4 c1_2 = vload4(0, c + 196);
  double4 c2_2 = vload4(0, c + 200);
  double4 c0_3 = vload4(0, c + 288);
  double4 c1_3 = vload4(0, c + 292);
  double4 c2_3 = vload4(0, c + 296);
  for (int k = 0; k < terms; ++k, a += 12, b += 4) {
    const double4 a0 = vload4(0, a + 0);
    const double4 a1 = vload4(0, a + 4);
    const double4 a2 = vload4(0, a + 8);
    const double4 b0 = (double4)(b[0]);
    c0_0 = fma(a0, b0, c0_0);
    c1_0 = fma(a1, b0, c1_0);
    c2_0 = fma(a2, b0, c2_0);
    const double4 b1 = (double4)(b[1]);
    c0_1 = fma(a0, b1, c0_1);
    c1_1 = fma(a1, b1, c1_1);
    c2_1 = fma(a2, b1, c2_1);
    const double4 b2 = (double4)(b[2]);
    c0_2 = fma(a0, b2, c0_2);
    c1_2 = fma(a1, b2, c1_2);
    c2_2 = fma(a2, b2, c2_2);
    const double4 b3 = (double4)(b[3]);
    c0_3 = fma(a0, b3, c0_3);
    c1_3 = fma(a1, b3, c1_3);
    c2_3 = fma(a2, b3, c2_3);
  }
  vstore4(c0_0, 0, c + 0);
  vstore4(c1_0, 0, c + 4);
  vstore4(c2_0, 0, c + 8);
  vstore4(c0_1, 0, c + 96);
  vstore4(c1_1, 0, c + 100);
  vstore4(c2_1, 0, c + 104);
  vstore4(c0_2, 0, c + 192);
  vstore4(c1_2, 0, c + 196);
  vstore4(c2_2, 0, c + 200);
  vstore4(c0_3, 0, c + 288);
  vstore4(c1_3, 0, c + 292);
  vstore4(c2_3, 0, c + 296);
}

// y0 = exp(matrix_product(transpose(x0), x0)) - x1
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_product_64e8da92(global double* p0, global const double* restrict x0, const long n0,
                            const long n1, const long rows, const long cols, const long inner,
                            const uint row_tiles, const long share, const uint tiles) {
  local double a_panels[1536] __attribute__((aligned(64)));
  local double b_panels[192] __attribute__((aligned(64)));
  local double sums[1152] __attribute__((aligned(64)));
  const uint group = get_group_id(0) % tiles;
  const uint part = get_group_id(0) / tiles;
  const uint col_tiles = (uint)((cols + 11) / 12);
  uint place = group, row_tile = 0;
  for (uint wide; place >= (wide = min(col_tiles, ((row_tile + 1) * 96 + 11) / 12)); ++row_tile) place -= wide;
  const long first_row = (long)row_tile * 96, first_col = (long)place * 12;
  const long begin = part * share, end = min(begin + share, inner);
  const int own_rows = (int)min(96L, rows - first_row), own_cols = (int)min(12L, cols - first_col);
  const int packed_cols = (own_cols + 3) / 4 * 4;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int at = 0; at < packed_cols * 96; at += 4) {
    vstore4((double4)(0), 0, sums + at);
  }
  for (long done = begin; done < end; done += 16) {
    const int terms = (int)min(16L, end - done);
    for (int p = 0; p < own_rows; p += 12) {
      local double* to = a_panels + p * 16;
      const int places = min(12, own_rows - p);
      if (places == 12) {
        for (int place = 0; place < 12; ++place) {
          for (int term = 0; term < terms; ++term) {
            const long row = first_row + p + place, col = done + term;
            const double x0_at0 = x0[col + row * n0];
            to[term * 12 + place] = x0_at0;
          }
        }
      }
      else {
        if (done == begin) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int at = 0; at < terms * 12; at += 4) {
            vstore4((double4)(0), 0, to + at);
          }
        }
#pragma clang loop unroll(disable) vectorize(disable)
        for (int place = 0; place < places; ++place) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int term = 0; term < terms; ++term) {
            const long row = first_row + p + place, col = done + term;
            const double x0_at1 = x0[col + row * n0];
            to[term * 12 + place] = x0_at1;
          }
        }
      }
    }
    for (int p = 0; p < own_cols; p += 4) {
      local double* to = b_panels + p * 16;
      const int places = min(4, own_cols - p);
      if (places == 4) {
        for (int place = 0; place < 4; ++place) {
          for (int term = 0; term < terms; ++term) {
            const long row = done + term, col = first_col + p + place;
            const double x0_i = x0[row + col * n0];
            to[term * 4 + place] = x0_i;
          }
        }
      }
      else {
        if (done == begin) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int at = 0; at < terms * 4; at += 4) {
            vstore4((double4)(0), 0, to + at);
          }
        }
#pragma clang loop unroll(disable) vectorize(disable)
        for (int place = 0; place < places; ++place) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int term = 0; term < terms; ++term) {
            const long row = done + term, col = first_col + p + place;
            const double x0_i = x0[row + col * n0];
            to[term * 4 + place] = x0_i;
          }
        }
      }
    }
    for (int q = 0; q < own_cols; q += 4) {
      for (int p = 0; p < own_rows; p += 12) {
        add_product_of_panels(a_panels + p * 16, b_panels + q * 16, terms, sums + p + q * 96);
      }
    }
  }
  for (int q = 0; q < own_cols; ++q) {
    const long j = first_col + q;
    int p = (int)max(0L, j - first_row);
#pragma clang loop unroll(disable) vectorize(disable)
    for (; p < own_rows; ++p) {
      const long i = first_row + p;
      p0[i + (j + part * cols) * rows] = *(sums + p + q * 96);
    }
  }
  for (int p = 0; p < own_rows; ++p) {
    const long j = first_row + p;
    const int below = (int)min((long)own_cols, j - first_col);
    int q = 0;
#pragma clang loop unroll(disable) vectorize(disable)
    for (; q < below; ++q) {
      const long i = first_col + q;
      p0[i + (j + part * cols) * rows] = *(sums + p + q * 96);
    }
  }
}

// adds the sums over parts of the terms
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_product_64e8da92_finish(global double* restrict y0, global const double* p0,
                                   global const double* x1, const long rows, const long cols,
                                   const long parts) {
  const long results = rows * cols, place = (long)get_group_id(0) * 1 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    double r0 = 0;
#pragma unroll 4
    for (long part = 0; part < parts; ++part) r0 = r0 + p0[place + part * results];
    const long e = i + j * rows;
    const double x1_i = x1[e];
    y0[e] = exp(r0) - x1_i;
  }
}
