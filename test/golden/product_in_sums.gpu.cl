#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline)) double larger_double(double a, double b) { return (a != a) || (a > b) ? a : b; }  // NaN stays NaN

// y0 = exp(matrix_product(x0, x1))
// y1 = sum((matrix_product(x0, x1) - x2) * (matrix_product(x0, x1) - x2)) / 2
// y2 = max(matrix_product(x0, x1))
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_8b14b89b(global double* restrict y0, global char* all_parts, const long apart0,
                            global const double* restrict x0, global const double* restrict x1,
                            global const double* restrict x2, const long n0, const long n1, const long rows,
                            const long cols, const long inner, const uint row_tiles,
                            const uint first_stride) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
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
  double r0_v = 0.0;
  double r1_v = (double)(-INFINITY);
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
        const double v0 = r0 - x2_i;
        y0[e] = exp(r0);
        r0_v = r0_v + (v0 * v0);
        r1_v = larger_double(r1_v, r0);
      }
    }
  }
  double r0 = r0_v;
  double r1 = r1_v;
  local double shared0[256];
  local double shared1[256];
  shared0[lane] = r0;
  shared1[lane] = r1;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < stride && lane + stride < 256) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride]);
      shared1[lane] = larger_double(shared1[lane], shared1[lane + stride]);
    }
  }
  r0 = shared0[lane];
  r1 = shared1[lane];
  if (lane == 0) {
    p0[get_group_id(0)] = r0;
    p1[get_group_id(0)] = r1;
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_product_8b14b89b_finish(global double* restrict y1, global double* restrict y2,
                                   global const char* all_parts, const long apart0, const long results,
                                   const long parts, const uint lanes, const uint first_stride) {
  global const double* const p0 = (global const double*)all_parts;
  global const double* const p1 = (global const double*)(all_parts + 1 * apart0);
  local double shared0[256];
  local double shared1[256];
  const uint lane = get_local_id(0), across = lane % lanes, down = lane / lanes, rounds = 256 / lanes;
  const long i = (long)get_group_id(0) * lanes + across;
  double r0 = 0.0;
  double r1 = (double)(-INFINITY);
  if (i < results && down < rounds) {
#pragma unroll 4
    for (long part = down; part < parts; part += rounds) {
      r0 = r0 + (p0[i + part * results]);
      r1 = larger_double(r1, p1[i + part * results]);
    }
  }
  shared0[lane] = r0;
  shared1[lane] = r1;
  for (uint stride = first_stride; stride > 0; stride /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (down < stride && down + stride < rounds) {
      shared0[lane] = shared0[lane] + (shared0[lane + stride * lanes]);
      shared1[lane] = larger_double(shared1[lane], shared1[lane + stride * lanes]);
    }
  }
  r0 = shared0[lane];
  r1 = shared1[lane];
  if (down == 0 && i < results) {
    const double u0 = r0 / 2.0;
    y1[0] = u0;
    y2[0] = r1;
  }
}
