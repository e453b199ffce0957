// y0 = exp(batched_cholesky(x0))
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_batched_cholesky_06d0523a(global float* restrict y0, global const float* restrict x0,
                                     const long n0, const long rows, const long cols, global float* p0,
                                     const long count, const long share) {
  local float d[64] __attribute__((aligned(64)));
  float scales[8];
  const long first_block = get_group_id(0) * share;
  const long end_block = min(first_block + share, count);
  for (long block = first_block; block < end_block; ++block) {
    const long first_col = block * rows;
    for (int q = 0; q < 8; ++q) {
      for (int r = 0; r < 8; ++r) d[r + q * 8] = r == q;
    }
    for (int q = 0; q < rows; ++q) {
      for (int r = q; r < rows; ++r) {
        const long row = r, col = first_col + q;
        const float x0_i = x0[row + col * n0];
        d[r + q * 8] = x0_i;
      }
    }
    int bad = 0;
    float bad_pivot = 0;
    for (int k = 0; k < 8; ++k) {
      const float pivot = d[k + k * 8];
      if (!(pivot > 0) && bad == 0 && k < rows) {
        bad = k + 1;
        bad_pivot = pivot;
      }
      const float root = pivot > 0 ? sqrt(pivot) : (float)(NAN), scale = 1 / root;
      scales[k] = scale;
      local float* column = d + k * 8;
      for (int r = k / 8 * 8; r < 8; r += 8) {
        vstore8(vload8(0, column + r) * (float8)(scale), 0, column + r);
      }
      column[k] = root;
      for (int q = k + 1; q < 8; ++q) {
        const float8 factor = (float8)(-column[q]);
        local float* changed = d + q * 8;
        for (int r = q / 8 * 8; r < 8; r += 8) {
          vstore8(fma(vload8(0, column + r), factor, vload8(0, changed + r)), 0, changed + r);
        }
      }
    }
    p0[2 * block] = bad;
    p0[2 * block + 1] = bad_pivot;
    for (int q = 0; q < rows; ++q) {
      const long j = first_col + q;
      long i = 0;
      for (; i + 1 <= q; i += 1) {
        const float r0 = 0;
        const long e = i + j * rows;
        y0[e] = exp(r0);
      }
      for (; i + 8 <= rows; i += 8) {
        const float8 r0 = vload8(0, d + i + q * 8);
        const long e = i + j * rows;
        vstore8(exp(r0), 0, y0 + e);
      }
      for (; i + 1 <= rows; i += 1) {
        const float r0 = d[i + q * 8];
        const long e = i + j * rows;
        y0[e] = exp(r0);
      }
    }
  }
}

// finds the first matrix that is not positive definite
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_batched_cholesky_06d0523a_finish(global const float* p0, global float* p1, const long count) {
  const uint lane = get_local_id(0);
  long found = count;
  for (long block = lane; block < count && found == count; block += 1) {
    if (p0[2 * block] != 0) found = block;
  }
  if (lane == 0) {
    const bool failed = found < count;
    ((global long*)p1)[0] = failed ? found * 256 + (long)p0[2 * found] : 0;
    p1[2] = failed ? p0[2 * found + 1] : 0;
  }
}
