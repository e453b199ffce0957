// y0 = expm1(matrix_product(transpose(x0), transpose(x1)))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_208b0f08(global float* p0, global const float* restrict x0,
                            global const float* restrict x1, const long n0, const long n2, const long n1,
                            const long rows, const long cols, const long inner, const uint row_tiles,
                            const long share) {
  local float4 a_slice[16][17], b_slice[16][17];
  const uint lane = get_local_id(0), across = lane % 16, down = lane / 16;
  const uint group = get_group_id(0) % (row_tiles * (uint)((cols + 63) / 64));
  const uint part = get_group_id(0) / (row_tiles * (uint)((cols + 63) / 64));
  const long first_row = (long)(group % row_tiles) * 64, first_col = (long)(group / row_tiles) * 64;
  const long begin = part * share, end = min(begin + share, inner);
  float sums[4][4];
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      sums[v][u] = 0;
    }
  }
  float a_next[4], b_next[4];
#pragma unroll
  for (uint turn = 0; turn < 4; ++turn) {
    const uint at = turn * 256 + lane;
    const uint term = at % 16, place = at / 16;
    const long row = first_row + place, col = begin + term;
    float value = 0;
    if (row < rows && col < end) {
      const float x0_at0 = x0[col + row * n0];
      value = x0_at0;
    }
    a_next[turn] = value;
  }
#pragma unroll
  for (uint turn = 0; turn < 4; ++turn) {
    const uint at = turn * 256 + lane;
    const uint place = at % 64, term = at / 64;
    const long row = begin + term, col = first_col + place;
    float value = 0;
    if (row < end && col < cols) {
      const float x1_at0 = x1[col + row * n2];
      value = x1_at0;
    }
    b_next[turn] = value;
  }
  for (long done = begin; done < end; done += 16) {
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint term = at % 16, place = at / 16;
      ((local float*)a_slice[term])[place] = a_next[turn];
    }
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint place = at % 64, term = at / 64;
      ((local float*)b_slice[term])[place] = b_next[turn];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const long following = done + 16;
    if (following < end) {
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint term = at % 16, place = at / 16;
        const long row = first_row + place, col = following + term;
        float value = 0;
        if (row < rows && col < end) {
          const float x0_at1 = x0[col + row * n0];
          value = x0_at1;
        }
        a_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint place = at % 64, term = at / 64;
        const long row = following + term, col = first_col + place;
        float value = 0;
        if (row < end && col < cols) {
          const float x1_at1 = x1[col + row * n2];
          value = x1_at1;
        }
        b_next[turn] = value;
      }
    }
#pragma unroll
    for (uint term = 0; term < 16; ++term) {
      float a[4], b[4];
#pragma unroll
      for (uint u = 0; u < 1; ++u) {
        vstore4(a_slice[term][across + u * 16], u, a);
        vstore4(b_slice[term][down + u * 16], u, b);
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
    const long j = first_col + (v / 4 * 16 + down) * 4 + v % 4;
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      const long i = first_row + (u / 4 * 16 + across) * 4 + u % 4;
      if (i < rows && j < cols) {
        p0[i + (j + part * cols) * rows] = sums[v][u];
      }
    }
  }
}

// adds the sums over parts of the terms
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_208b0f08_finish(global float* restrict y0, global const float* p0, const long rows,
                                   const long cols, const long parts) {
  const long results = rows * cols, place = (long)get_group_id(0) * 256 + get_local_id(0);
  if (place < results) {
    const long j = place / rows, i = place - j * rows;
    float r0 = 0;
#pragma unroll 4
    for (long part = 0; part < parts; ++part) r0 = r0 + p0[place + part * results];
    const long e = i + j * rows;
    y0[e] = expm1(r0);
  }
}
