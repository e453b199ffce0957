// y0 = colwise_sum(exp(matrix_product(x0, x1))) / s0
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_2f22acac(global float* p0, global const float* restrict x0,
                            global const float* restrict x1, const long n0, const long n1, const long rows,
                            const long cols, const long inner, const uint row_tiles) {
  local float4 a_slice[16][17], b_slice[16][17];
  const uint lane = get_local_id(0), across = lane % 16, down = lane / 16;
  const uint group = get_group_id(0);
  const long first_row = (long)(group % row_tiles) * 64, first_col = (long)(group / row_tiles) * 64;
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
    const uint place = at % 64, term = at / 64;
    const long row = first_row + place, col = 0 + term;
    float value = 0;
    if (row < rows && col < inner) {
      const float x0_i = x0[row + col * n0];
      value = x0_i;
    }
    a_next[turn] = value;
  }
#pragma unroll
  for (uint turn = 0; turn < 4; ++turn) {
    const uint at = turn * 256 + lane;
    const uint term = at % 16, place = at / 16;
    const long row = 0 + term, col = first_col + place;
    float value = 0;
    if (row < inner && col < cols) {
      const float x1_i = x1[row + col * n1];
      value = x1_i;
    }
    b_next[turn] = value;
  }
  for (long done = 0; done < inner; done += 16) {
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint place = at % 64, term = at / 64;
      ((local float*)a_slice[term])[place] = a_next[turn];
    }
#pragma unroll
    for (uint turn = 0; turn < 4; ++turn) {
      const uint at = turn * 256 + lane;
      const uint term = at % 16, place = at / 16;
      ((local float*)b_slice[term])[place] = b_next[turn];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const long following = done + 16;
    if (following < inner) {
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint place = at % 64, term = at / 64;
        const long row = first_row + place, col = following + term;
        float value = 0;
        if (row < rows && col < inner) {
          const float x0_i = x0[row + col * n0];
          value = x0_i;
        }
        a_next[turn] = value;
      }
#pragma unroll
      for (uint turn = 0; turn < 4; ++turn) {
        const uint at = turn * 256 + lane;
        const uint term = at % 16, place = at / 16;
        const long row = following + term, col = first_col + place;
        float value = 0;
        if (row < inner && col < cols) {
          const float x1_i = x1[row + col * n1];
          value = x1_i;
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
  float r0_v[4];
  for (int k = 0; k < 4; ++k) r0_v[k] = 0.0f;
#pragma unroll
  for (uint v = 0; v < 4; ++v) {
    const long j = first_col + (v / 4 * 16 + down) * 4 + v % 4;
#pragma unroll
    for (uint u = 0; u < 4; ++u) {
      const long i = first_row + (u / 4 * 16 + across) * 4 + u % 4;
      if (i < rows && j < cols) {
        const float r0 = sums[v][u];
        r0_v[v] = r0_v[v] + exp(r0);
      }
    }
  }
  local float shared0[256];
#pragma unroll
  for (uint each = 0; each < 4; ++each) {
    float r0 = r0_v[each];
    {
      const uint first_stride = 8;
      shared0[lane] = r0;
      for (uint stride = first_stride; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (across < stride && across + stride < 16) {
          shared0[lane] = shared0[lane] + (shared0[lane + stride]);
        }
      }
      r0 = shared0[lane];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    const long j = first_col + (each / 4 * 16 + down) * 4 + each % 4;
    if (across == 0 && j < cols) {
      p0[j + (first_row / 64) * cols] = r0;
    }
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_2f22acac_finish(global float* restrict y0, global const float* p0, const float s0,
                                   const long results, const long parts, const uint lanes,
                                   const uint first_stride) {
  local float shared0[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = (long)get_group_id(0) * lanes + across;
  float r0 = 0.0f;
  if (i < results && down < rounds) {
#pragma unroll 4
    for (long part = down; part < parts; part += rounds) {
      r0 = r0 + (p0[i + part * results]);
    }
  }
  shared0[lane] = r0;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  if (down == 0 && i < results) {
    y0[i] = r0 / s0;
  }
}
