#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = exp(matrix_product(transpose(x0), x0)) - x1
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_14f0dd10(global double* p0, global const double* restrict x0, const long n0,
                            const long n1, const long rows, const long cols, const long inner,
                            const uint row_tiles, const long share, const uint tiles) {
  local double2 a_slice[16][33], b_slice[16][33];
  const uint lane = get_local_id(0), across = lane % 16, down = lane / 16;
  const uint group = get_group_id(0) % tiles;
  const uint part = get_group_id(0) / tiles;
  const uint col_tiles = (uint)((cols + 63) / 64);
  uint place = group, row_tile = 0;
  for (uint wide; place >= (wide = min(col_tiles, ((row_tile + 1) * 64 + 63) / 64)); ++row_tile) place -= wide;
  const long first_row = (long)row_tile * 64, first_col = (long)place * 64;
  const long begin = part * share, end = min(begin + share, inner);
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
    const uint term = at % 16, place = at / 16;
    const long row = first_row + place, col = begin + term;
    double value = 0;
    if (row < rows && col < end) {
      const double x0_at0 = x0[col + row * n0];
      value = x0_at0;
    }
    a_next[turn] = value;
  }
#pragma unroll
  for (uint turn = 0; turn < 4; ++turn) {
    const uint at = turn * 256 + lane;
    const uint term = at % 16, place = at / 16;
    const long row = begin + term, col = first_col + place;
    double value = 0;
    if (row < end && col < cols) {
      const double x0_i = x0[row + col * n0];
      value = x0_i;
    }
    b_next[turn] = value;
  }
  for (long done = begin; done < end; done += 16) {
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint term = at % 16, place = at / 16;
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
    if (following < end) {
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint term = at % 16, place = at / 16;
        const long row = first_row + place, col = following + term;
        double value = 0;
        if (row < rows && col < end) {
          const double x0_at1 = x0[col + row * n0];
          value = x0_at1;
        }
        a_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint term = at % 16, place = at / 16;
        const long row = following + term, col = first_col + place;
        double value = 0;
        if (row < end && col < cols) {
          const double x0_i = x0[row + col * n0];
          value = x0_i;
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
          p0[i + (j + part * cols) * rows] = sums[v][u];
        }
      }
    }
  }
}

// adds the sums over parts of the terms
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_14f0dd10_finish(global double* restrict y0, global const double* p0,
                                   global const double* x1, const long rows, const long cols,
                                   const long parts) {
  const long results = rows * cols, place = (long)get_group_id(0) * 256 + get_local_id(0);
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
