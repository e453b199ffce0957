#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = matrix_product(x0, transpose(x0)) + 1
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_e60d8b9d(global double* restrict y0, global const double* restrict x0, const long n0,
                            const long n1, const long rows, const long cols, const long inner,
                            const uint row_tiles) {
  local double2 a_slice[16][33], b_slice[16][33];
  const uint lane = get_local_id(0), across = lane % 16, down = lane / 16;
  const uint group = get_group_id(0);
  const uint col_tiles = (uint)((cols + 63) / 64);
  uint place = group, row_tile = 0;
  for (uint wide; place >= (wide = min(col_tiles, ((row_tile + 1) * 64 + 63) / 64)); ++row_tile) place -= wide;
  const long first_row = (long)row_tile * 64, first_col = (long)place * 64;
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
    const uint place = at % 64, term = at / 64;
    const long row = 0 + term, col = first_col + place;
    double value = 0;
    if (row < inner && col < cols) {
      const double x0_at0 = x0[col + row * n0];
      value = x0_at0;
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
      const uint place = at % 64, term = at / 64;
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
        const uint place = at % 64, term = at / 64;
        const long row = following + term, col = first_col + place;
        double value = 0;
        if (row < inner && col < cols) {
          const double x0_at1 = x0[col + row * n0];
          value = x0_at1;
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
    const long own_col = first_col + (v / 2 * 16 + down) * 2 + v % 2;
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      const long own_row = first_row + (u / 2 * 16 + across) * 2 + u % 2;
      if (own_row < rows && own_col <= own_row) {
        for (uint turn = 0; turn < (own_row == own_col ? 1 : 2); ++turn) {
          const long i = turn ? own_col : own_row, j = turn ? own_row : own_col;
          const double r0 = sums[v][u];
          const long e = i + j * rows;
          y0[e] = r0 + 1.0;
        }
      }
    }
  }
}
