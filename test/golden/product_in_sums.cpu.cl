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

static inline __attribute__((always_inline)) double4 larger_double4(double4 a, double4 b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

static inline __attribute__((always_inline)) double2 larger_double2(double2 a, double2 b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

// y0 = exp(matrix_product(x0, x1))
// y1 = sum((matrix_product(x0, x1) - x2) * (matrix_product(x0, x1) - x2)) / 2
// y2 = max(matrix_product(x0, x1))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_product_ef23e851(global double* restrict y0, global double* restrict y1,
                            global double* restrict y2, global char* all_parts, const long apart0,
                            volatile global uint* arrivals, global const double* restrict x0,
                            global const double* restrict x1, global const double* restrict x2,
                            const long n0, const long n1, const long rows, const long cols,
                            const long inner, const uint row_tiles) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  local double a_panels[1536] __attribute__((aligned(64)));
  local double b_panels[192] __attribute__((aligned(64)));
  local double sums[1152] __attribute__((aligned(64)));
  const uint group = get_group_id(0);
  const long first_row = (long)(group % row_tiles) * 96, first_col = (long)(group / row_tiles) * 12;
  const int own_rows = (int)min(96L, rows - first_row), own_cols = (int)min(12L, cols - first_col);
  const int packed_cols = (own_cols + 3) / 4 * 4;
#pragma clang loop unroll(disable) vectorize(disable)
  for (int at = 0; at < packed_cols * 96; at += 4) {
    vstore4((double4)(0), 0, sums + at);
  }
  for (long done = 0; done < inner; done += 16) {
    const int terms = (int)min(16L, inner - done);
    for (int p = 0; p < own_rows; p += 12) {
      local double* to = a_panels + p * 16;
      const int places = min(12, own_rows - p);
      if (places == 12) {
        for (int term = 0; term < terms; ++term) {
          for (int place = 0; place < 12; ++place) {
            const long row = first_row + p + place, col = done + term;
            const double x0_i = x0[row + col * n0];
            to[term * 12 + place] = x0_i;
          }
        }
      }
      else {
        if (done == 0) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int at = 0; at < terms * 12; at += 4) {
            vstore4((double4)(0), 0, to + at);
          }
        }
#pragma clang loop unroll(disable) vectorize(disable)
        for (int term = 0; term < terms; ++term) {
#pragma clang loop unroll(disable) vectorize(disable)
          for (int place = 0; place < places; ++place) {
            const long row = first_row + p + place, col = done + term;
            const double x0_i = x0[row + col * n0];
            to[term * 12 + place] = x0_i;
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
            const double x1_i = x1[row + col * n1];
            to[term * 4 + place] = x1_i;
          }
        }
      }
      else {
        if (done == 0) {
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
            const double x1_i = x1[row + col * n1];
            to[term * 4 + place] = x1_i;
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
  double4 r0_v = 0.0;
  double4 r1_v = (double)(-INFINITY);
  double r0_s = 0.0;
  double r1_s = (double)(-INFINITY);
  for (int q = 0; q < own_cols; ++q) {
    const long j = first_col + q;
    int p = 0;
    for (; p + 4 <= own_rows; p += 4) {
      local const double* from = sums + p + q * 96;
      const long i = first_row + p;
      const double4 r0 = vload4(0, from);
      const long e = i + j * rows;
      const double4 x2_i = vload4(0, x2 + e);
      const double4 v0 = r0 - x2_i;
      vstore4(exp(r0), 0, y0 + e);
      r0_v = r0_v + (v0 * v0);
      r1_v = larger_double4(r1_v, r0);
    }
#pragma clang loop unroll(disable) vectorize(disable)
    for (; p < own_rows; ++p) {
      const long i = first_row + p;
      const double r0 = *(sums + p + q * 96);
      const long e = i + j * rows;
      const double x2_i = x2[e];
      const double v1 = r0 - x2_i;
      y0[e] = exp(r0);
      r0_s = r0_s + (v1 * v1);
      r1_s = larger_double(r1_s, r0);
    }
  }
  const double2 r0_2 = r0_v.lo + r0_v.hi;
  double r0 = (r0_2.lo + r0_2.hi) + r0_s;
  const double2 r1_2 = larger_double2(r1_v.lo, r1_v.hi);
  double r1 = larger_double(larger_double(r1_2.lo, r1_2.hi), r1_s);
  p0[get_group_id(0)] = r0;
  p1[get_group_id(0)] = r1;
  // the group that arrives last adds what all have left
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(arrivals) + 1 == get_num_groups(0)) {
    *arrivals = 0;
    r0 = 0.0;
    r1 = (double)(-INFINITY);
    for (uint part = 0; part < get_num_groups(0); ++part) {
      r0 = r0 + p0[part];
      r1 = larger_double(r1, p1[part]);
    }
    const double u0 = r0 / 2.0;
    y1[0] = u0;
    y2[0] = r1;
  }
}
