#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(matrix_product(x0, x0))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_9ab79fea(global double* restrict y0, global const double* restrict x0, const long n0,
                            const long rows, const long cols, const long inner, const uint row_tiles) {
  local double2 a_slice[8][65], b_slice[8][65];
  const uint lane = get_local_id(0), across = lane % 16, down = lane / 16;
  const uint group = get_group_id(0);
  const long first_row = (long)(group % row_tiles) * 128, first_col = (long)(group / row_tiles) * 128;
  double sums[8][8];
#pragma unroll
  for (uint v = 0; v < 8; ++v) {
#pragma unroll
    for (uint u = 0; u < 8; ++u) {
      sums[v][u] = 0;
    }
  }
  for (long done = 0; done < inner; done += 8) {
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint place = at % 128, term = at / 128;
      const long row = first_row + place, col = done + term;
      double value = 0;
      if (row < rows && col < inner) {
        const double x0_i = x0[row + col * n0];
        value = x0_i;
      }
      ((local double*)a_slice[term])[place] = value;
    }
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint term = at % 8, place = at / 8;
      const long row = done + term, col = first_col + place;
      double value = 0;
      if (row < inner && col < cols) {
        const double x0_i = x0[row + col * n0];
        value = x0_i;
      }
      ((local double*)b_slice[term])[place] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint term = 0; term < 8; ++term) {
      double a[8], b[8];
#pragma unroll
      for (uint u = 0; u < 4; ++u) {
        vstore2(a_slice[term][across + u * 16], u, a);
        vstore2(b_slice[term][down + u * 16], u, b);
      }
#pragma unroll
      for (uint v = 0; v < 8; ++v) {
#pragma unroll
        for (uint u = 0; u < 8; ++u) {
          sums[v][u] = fma(a[u], b[v], sums[v][u]);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#pragma unroll
  for (uint v = 0; v < 8; ++v) {
    const long j = first_col + (v / 2 * 16 + down) * 2 + v % 2;
#pragma unroll
    for (uint u = 0; u < 8; ++u) {
      const long i = first_row + (u / 2 * 16 + across) * 2 + u % 2;
      if (i < rows && j < cols) {
        const double r0 = sums[v][u];
        const long e = i + j * rows;
        y0[e] = exp(r0);
      }
    }
  }
}
