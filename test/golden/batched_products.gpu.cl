#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = batched_product(x0, 0.5 * x1)
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_product_0532a720(global double* restrict y0, global const double* restrict x0,
                                    global const double* restrict x1, const long n0, const long n2,
                                    const long rows, const long cols, const long own_cols, const long inner,
                                    const uint row_tiles, const uint tiles, const long all_tiles) {
  local double a_slices[32][33], b_slices[32][33];
  const uint lane = get_local_id(0), slot = lane / 64, across = lane % 8, down = lane / 8 % 8;
  const long number = get_group_id(0);
  const long block = number;
  double sums[4][4];
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      sums[v][u] = 0;
    }
  }
  for (long done = 0; done < inner; done += 32) {
#pragma unroll 1
    for (uint part = 0; part < 2; ++part) {
      double a_next[8], b_next[8];
#pragma unroll
      for (uint turn = 0; turn < 8; ++turn) {
        const uint at = (part * 8 + turn) * 64 + lane, place = at % 32, term = at / 32 % 32;
        const long own_term = done + term, own_place = place;
        double value = 0;
        if (own_term < inner && own_place < rows && number < all_tiles) {
          const long row = own_place, col = (long)block * inner + own_term;
          const double x0_i = x0[row + col * n0];
          value = x0_i;
        }
        a_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 8; ++turn) {
        const uint at = (part * 8 + turn) * 64 + lane, term = at % 32, place = at / 32 % 32;
        const long own_term = done + term, own_place = place;
        double value = 0;
        if (own_term < inner && own_place < own_cols && number < all_tiles) {
          const long row = own_term, col = (long)block * own_cols + own_place;
          const double x1_i = x1[row + col * n2];
          value = 0.5 * x1_i;
        }
        b_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 8; ++turn) {
        const uint at = (part * 8 + turn) * 64 + lane, place = at % 32, term = at / 32 % 32;
        a_slices[term][place] = a_next[turn];
      }
#pragma unroll
      for (uint turn = 0; turn < 8; ++turn) {
        const uint at = (part * 8 + turn) * 64 + lane, term = at % 32, place = at / 32 % 32;
        b_slices[term][place] = b_next[turn];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 2
    for (uint term = slot * 32; term < (slot + 1) * 32; ++term) {
      double a[4], b[4];
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        a[u] = a_slices[term][across + u * 8];
        b[u] = b_slices[term][down + u * 8];
      }
#pragma unroll
      for (uint v = 0; v < 4; ++v) {
#pragma unroll
        for (uint u = 0; u < 4; ++u) {
          sums[v][u] = fma(a[u], b[v], sums[v][u]);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      const long i = across + u * 8, own_col = down + v * 8;
      if (i < rows && own_col < own_cols && number < all_tiles) {
        const long j = (long)block * own_cols + own_col;
        const double r0 = sums[v][u];
        const long e = i + j * rows;
        y0[e] = r0;
      }
    }
  }
}
