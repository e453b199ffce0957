#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) void add_product_of_panels(
    local const double* a, local const double* b, int terms, local double* c) {
  double4 c0_0 = vload4(0, c + 0);
  double4 c0_1 = vload4(0, c + 4);
  double4 c0_2 = vload4(0, c + 8);
  double4 c0_3 = vload4(0, c + 12);
  for (int k = 0; k < terms; ++k, a += 4, b += 8) {
    const double4 a0 = vload4(0, a + 0);
    const double4 b0 = (double4)(b[0]);
    c0_0 = fma(a0, b0, c0_0);
    const double4 b1 = (double4)(b[1]);
    c0_1 = fma(a0, b1, c0_1);
    const double4 b2 = (double4)(b[2]);
    c0_2 = fma(a0, b2, c0_2);
    const double4 b3 = (double4)(b[3]);
    c0_3 = fma(a0, b3, c0_3);
  }
  vstore4(c0_0, 0, c + 0);
  vstore4(c0_1, 0, c + 4);
  vstore4(c0_2, 0, c + 8);
  vstore4(c0_3, 0, c + 12);
}

// y0 = exp(batched_product(transpose_each(x0), transpose_each(x1)))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_batched_product_250c1178(global double* restrict y0, global const double* restrict x0,
                                    global const double* restrict x1, const long n0, const long n2,
                                    const long rows, const long cols, const long own_cols, const long inner,
                                    const uint row_tiles, const uint tiles, const long all_tiles,
                                    const long share) {
  local double a_panel[32] __attribute__((aligned(64))), b_panel[64] __attribute__((aligned(64))), sums[32] __attribute__((aligned(64)));
  const long first_tile = get_group_id(0) * share;
  const long end_tile = min(first_tile + share, all_tiles);
  for (long number = first_tile; number < end_tile; ++number) {
    const uint block = (uint)number / tiles, tile = (uint)number % tiles;
    const long first_row = (long)(tile % row_tiles) * 4;
    const long first_col = (long)(tile / row_tiles) * 8;
    const int high = (int)min(4L, rows - first_row), wide = (int)min(8L, own_cols - first_col);
    for (int at = 0; at < 4 * wide; ++at) sums[at] = 0;
    for (int at = wide; at < (wide + 3) / 4 * 4; ++at)
      for (int p = 0; p < 4; ++p) sums[p + at * 4] = 0;
    for (long done = 0; done < inner; done += 8) {
      const int terms = (int)min(8L, inner - done);
      for (int term = 0; term < terms; ++term) {
        for (int place = high; place < (high + 3) / 4 * 4; ++place) a_panel[term * 4 + place] = 0;
      }
      for (int place = 0; place < high; ++place) {
        for (int term = 0; term < terms; ++term) {
          const long own_term = done + term, own_place = first_row + place;
          const long row = own_term, col = (long)block * rows + own_place;
          const double x0_i = x0[row + col * n0];
          a_panel[term * 4 + place] = x0_i;
        }
      }
      for (int term = 0; term < terms; ++term) {
        for (int place = wide; place < (wide + 3) / 4 * 4; ++place) b_panel[term * 8 + place] = 0;
      }
      for (int term = 0; term < terms; ++term) {
        for (int place = 0; place < wide; ++place) {
          const long own_term = done + term, own_place = first_col + place;
          const long row = own_place, col = (long)block * inner + own_term;
          const double x1_i = x1[row + col * n2];
          b_panel[term * 8 + place] = x1_i;
        }
      }
      for (int q = 0; q < wide; q += 4) {
        for (int p = 0; p < high; p += 4)
          add_product_of_panels(a_panel + p, b_panel + q, terms, sums + p + q * 4);
      }
    }
    for (int q = 0; q < wide; ++q) {
      const long j = (long)block * own_cols + first_col + q;
      local const double* column = sums + q * 4;
      int p = 0;
      for (; p + 4 <= high; p += 4) {
        const long i = first_row + p;
        const double4 r0 = vload4(0, column + p);
        const long e = i + j * rows;
        vstore4(exp(r0), 0, y0 + e);
      }
#pragma clang loop unroll(disable) vectorize(disable)
      for (; p < high; ++p) {
        const long i = first_row + p;
        const double r0 = column[p];
        const long e = i + j * rows;
        y0[e] = exp(r0);
      }
    }
  }
}
