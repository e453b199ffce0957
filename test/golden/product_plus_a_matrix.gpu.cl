#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(matrix_product(x0, x1) + x2)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_5a9af601(global double* restrict y0, global const double* restrict x0,
                            global const double* restrict x1, global const double* restrict x2,
                            const long n0, const long n1, const long rows, const long cols,
                            const long inner, const uint row_tiles) {
  local double2 a_slice[16][33], b_slice[16][33];
  const uint lane = get_local_id(0), across = lane % 16, down = lane / 16;
  const uint group = get_group_id(0);
  const long first_row = (long)(group % row_tiles) * 64, first_col = (long)(group / row_tiles) * 64;
  double sums[4][4];
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      sums[v][u] = 0;
    }
  }
  double a_next[4], b_next[4];
#pragma unroll
  for (uint turn = 0; turn < 4; ++turn) {
    const uint at = turn * 256 + lane;
    const uint place = at % 64, term = at / 64;
    const long row = first_row + place, col = 0 + term;
    double value = 0;
    if (row < rows && col < inner) {
      const double x0_i = x0[row + col * n0];
      value = x0_i;
    }
    a_next[turn] = value;
  }
#pragma unroll
  for (uint turn = 0; turn < 4; ++turn) {
    const uint at = turn * 256 + lane;
    const uint term = at % 16, place = at / 16;
    const long row = 0 + term, col = first_col + place;
    double value = 0;
    if (row < inner && col < cols) {
      const double x1_i = x1[row + col * n1];
      value = x1_i;
    }
    b_next[turn] = value;
  }
  for (long done = 0; done < inner; done += 16) {
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint place = at % 64, term = at / 64;
      ((local double*)a_slice[term])[place] = a_next[turn];
    }
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint term = at % 16, place = at / 16;
      ((local double*)b_slice[term])[place] = b_next[turn];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const long following = done + 16;
    if (following < inner) {
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint place = at % 64, term = at / 64;
        const long row = first_row + place, col = following + term;
        double value = 0;
        if (row < rows && col < inner) {
          const double x0_i = x0[row + col * n0];
          value = x0_i;
        }
        a_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint term = at % 16, place = at / 16;
        const long row = following + term, col = first_col + place;
        double value = 0;
        if (row < inner && col < cols) {
          const double x1_i = x1[row + col * n1];
          value = x1_i;
        }
        b_next[turn] = value;
      }
    }
#pragma unroll
    for (uint term = 0; term < 16; ++term) {
      double a[4], b[4];
#pragma unroll
      for (uint u = 0; u < 2; ++u) {
        vstore2(a_slice[term][across + u * 16], u, a);
        vstore2(b_slice[term][down + u * 16], u, b);
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
    const long j = first_col + (v / 2 * 16 + down) * 2 + v % 2;
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      const long i = first_row + (u / 2 * 16 + across) * 2 + u % 2;
      if (i < rows && j < cols) {
        const double r0 = sums[v][u];
        const long e = i + j * rows;
        const double x2_i = x2[e];
        y0[e] = exp(r0 + x2_i);
      }
    }
  }
}
