static inline __attribute__((always_inline)) void add_product_of_panels(
    local const float* a, local const float* b, int terms, local float* c) {
  float8 c0_0 = vload8(0, c + 0);
  float8 c1_0 = vload8(0, c + 8);
  float8 c2_0 = vload8(0, c + 16);
  float8 c0_1 = vload8(0, c + 192);
  float8 c1_1 = vload8(0, c + 200);
  float8 c2_1 = vload8(0, c + 208);
  float8 c0_2 = vload8(0, c + 384);
  float8 c1_2 = vload8(0, c + 392);
  float8 c2_2 = vload8(0, c + 400);
  float8 c0_3 = vload8(0, c + 576);
  float8 c1_3 = vload8(0, c + 584);
  float8 c2_3 = vload8(0, c + 592);
  for (int k = 0; k < terms; ++k, a += 24, b += 4) {
    const float8 a0 = vload8(0, a + 0);
    const float8 a1 = vload8(0, a + 8);
    const float8 a2 = vload8(0, a + 16);
    const float8 b0 = (float8)(b[0]);
    c0_0 = fma(a0, b0, c0_0);
    c1_0 = fma(a1, b0, c1_0);
    c2_0 = fma(a2, b0, c2_0);
    const float8 b1 = (float8)(b[1]);
    c0_1 = fma(a0, b1, c0_1);
    c1_1 = fma(a1, b1, c1_1);
    c2_1 = fma(a2, b1, c2_1);
    const float8 b2 = (float8)(b[2]);
    c0_2 = fma(a0, b2, c0_2);
    c1_2 = fma(a1, b2, c1_2);
    c2_2 = fma(a2, b2, c2_2);
    const float8 b3 = (float8)(b[3]);
    c0_3 = fma(a0, b3, c0_3);
    c1_3 = fma(a1, b3, c1_3);
    c2_3 = fma(a2, b3, c2_3);
  }
  vstore8(c0_0, 0, c + 0);
  vstore8(c1_0, 0, c + 8);
  vstore8(c2_0, 0, c + 16);
  vstore8(c0_1, 0, c + 192);
  vstore8(c1_1, 0, c + 200);
  vstore8(c2_1, 0, c + 208);
  vstore8(c0_2, 0, c + 384);
  vstore8(c1_2, 0, c + 392);
  vstore8(c2_2, 0, c + 400);
  vstore8(c0_3, 0, c + 576);
  vstore8(c1_3, 0, c + 584);
  vstore8(c2_3, 0, c + 592);
}

// y0 = expm1(matrix_product(transpose(x0), transpose(x1)))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_product_653cc1b0(global float* p0, global const float* restrict x0,
                            global const float* restrict x1, const long n0, const long n2, const long n1,
                            const long rows, const long cols, const long inner, const uint row_tiles,
                            const long share) {
  local float a_panels[3072] __attribute__((aligned(64)));
  local float b_panels[192] __attribute__((aligned(64)));
  local float sums[2304] __attribute__((aligned(64)));
  const uint group = get_group_id(0) % (row_tiles * (uint)((cols + 11) / 12));
  const uint part = get_group_id(0) / (row_tiles * (uint)((cols + 11) / 12));
  const long first_row = (long)(group % row_tiles) * 192, first_col = (long)(group / row_tiles) * 12;
  const long begin = part * share, end = min(begin + share, inner);
  const int own_rows = (int)min(192L, rows - first_row), own_cols = (int)min(12L, cols - first_col);
  const int packed_cols = (own_cols + 3) / 4 * 4;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int at = 0; at < packed_cols * 192; at += 8) {
    vstore8((float8)(0), 0, sums + at);
  }
  for (long done = begin; done < end; done += 16) {
    const int terms = (int)min(16L, end - done);
    for (int p = 0; p < own_rows; p += 24) {
      local float* to = a_panels + p * 16;
      const int places = min(24, own_rows - p);
      if (places == 24) {
        for (int place = 0; place < 24; ++place) {
          for (int term = 0; term < terms; ++term) {
            const long row = first_row + p + place, col = done + term;
            const float x0_at0 = x0[col + row * n0];
            to[term * 24 + place] = x0_at0;
          }
        }
      }
      else {
        if (done == begin) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int at = 0; at < terms * 24; at += 8) {
            vstore8((float8)(0), 0, to + at);
          }
        }
#pragma clang loop unroll(disable) vectorize(disable)
        for (int place = 0; place < places; ++place) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int term = 0; term < terms; ++term) {
            const long row = first_row + p + place, col = done + term;
            const float x0_at1 = x0[col + row * n0];
            to[term * 24 + place] = x0_at1;
          }
        }
      }
    }
    for (int p = 0; p < own_cols; p += 4) {
      local float* to = b_panels + p * 16;
      const int places = min(4, own_cols - p);
      if (places == 4) {
        for (int term = 0; term < terms; ++term) {
          for (int place = 0; place < 4; ++place) {
            const long row = done + term, col = first_col + p + place;
            const float x1_at0 = x1[col + row * n2];
            to[term * 4 + place] = x1_at0;
          }
        }
      }
      else {
        if (done == begin) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int at = 0; at < terms * 4; at += 4) {
            vstore4((float4)(0), 0, to + at);
          }
        }
#pragma clang loop unroll(disable) vectorize(disable)
        for (int term = 0; term < terms; ++term) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int place = 0; place < places; ++place) {
            const long row = done + term, col = first_col + p + place;
            const float x1_at1 = x1[col + row * n2];
            to[term * 4 + place] = x1_at1;
          }
        }
      }
    }
    for (int q = 0; q < own_cols; q += 4) {
      for (int p = 0; p < own_rows; p += 24) {
        add_product_of_panels(a_panels + p * 16, b_panels + q * 16, terms, sums + p + q * 192);
      }
    }
  }
  for (int q = 0; q < own_cols; ++q) {
    const long j = first_col + q;
    int p = 0;
#pragma clang loop unroll(disable) vectorize(disable)
    for (; p < own_rows; ++p) {
      const long i = first_row + p;
      p0[i + (j + part * cols) * rows] = *(sums + p + q * 192);
    }
  }
}

// adds the sums over parts of the terms
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_product_653cc1b0_finish(global float* restrict y0, global const float* p0, const long rows,
                                   const long cols, const long parts) {
  const long results = rows * cols, place = (long)get_group_id(0) * 1 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    float r0 = 0;
#pragma unroll 4
    for (long part = 0; part < parts; ++part) r0 = r0 + p0[place + part * results];
    const long e = i + j * rows;
    y0[e] = expm1(r0);
  }
}
