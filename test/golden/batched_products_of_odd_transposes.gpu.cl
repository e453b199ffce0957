#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(batched_product(transpose_each(x0), transpose_each(x1)))
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void fused_batched_product_fac6766b(global double* restrict y0, global const double* restrict x0,
                                    global const double* restrict x1, const long n0, const long n2,
                                    const long rows, const long cols, const long own_cols, const long inner,
                                    const uint row_tiles, const uint tiles, const long all_tiles) {
  local double a_slices[128][5], b_slices[128][9];
  const uint lane = get_local_id(0), slot = lane / 2, across = lane % 1, down = lane / 1 % 2;
  const long first_tile = (long)get_group_id(0) * 32;
  double sums[4][4];
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      sums[v][u] = 0;
    }
  }
  for (long done = 0; done < inner; done += 4) {
#pragma unroll 1
    for (uint part = 0; part < 2; ++part) {
      double a_next[4], b_next[8];
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = (part * 4 + turn) * 64 + lane, term = at % 4, place = at / 4 % 4;
        const uint which = at / 16;
        const long number = first_tile + which;
        const long block = number;
        const long own_term = done + term, own_place = place;
        double value = 0;
        if (own_term < inner && own_place < rows && number < all_tiles) {
          const long row = own_term, col = (long)block * rows + own_place;
          const double x0_i = x0[row + col * n0];
          value = x0_i;
        }
        a_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 8; ++turn) {
        const uint at = (part * 8 + turn) * 64 + lane, place = at % 8, term = at / 8 % 4;
        const uint which = at / 32;
        const long number = first_tile + which;
        const long block = number;
        const long own_term = done + term, own_place = place;
        double value = 0;
        if (own_term < inner && own_place < own_cols && number < all_tiles) {
          const long row = own_place, col = (long)block * inner + own_term;
          const double x1_i = x1[row + col * n2];
          value = x1_i;
        }
        b_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = (part * 4 + turn) * 64 + lane, term = at % 4, place = at / 4 % 4;
        const uint which = at / 16;
        a_slices[which * 4 + term][place] = a_next[turn];
      }
#pragma unroll
      for (uint turn = 0; turn < 8; ++turn) {
        const uint at = (part * 8 + turn) * 64 + lane, place = at % 8, term = at / 8 % 4;
        const uint which = at / 32;
        b_slices[which * 4 + term][place] = b_next[turn];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 2
    for (uint term = slot * 4; term < (slot + 1) * 4; ++term) {
      double a[4], b[4];
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        a[u] = a_slices[term][across + u * 1];
        b[u] = b_slices[term][down + u * 2];
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
  const long number = first_tile + slot;
  const long block = number;
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      const long i = across + u * 1, own_col = down + v * 2;
      if (i < rows && own_col < own_cols && number < all_tiles) {
        const long j = (long)block * own_cols + own_col;
        const double r0 = sums[v][u];
        const long e = i + j * rows;
        y0[e] = exp(r0);
      }
    }
  }
}
