#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = batched_cholesky(x0)
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_batched_cholesky_40ffdcc1(global double* restrict y0, global const double* restrict x0,
                                     const long n0, const long rows, const long cols, global double* p0,
                                     const long count, const long share) {
  double d[4096] __attribute__((aligned(64)));
  double scales[64];
  const long first_block = get_group_id(0) * share;
  const long end_block = min(first_block + share, count);
  for (long block = first_block; block < end_block; ++block) {
    const long first_col = block * rows;
    for (int q = 0; q < 64; ++q) {
      for (int r = 0; r < 64; ++r) d[r + q * 64] = r == q;
    }
    for (int q = 0; q < rows; ++q) {
      for (int r = q; r < rows; ++r) {
        const long row = r, col = first_col + q;
        const double x0_i = x0[row + col * n0];
        d[r + q * 64] = x0_i;
      }
    }
    int bad = 0;
    double bad_pivot = 0;
    for (int k = 0; k < 64; ++k) {
      const double pivot = d[k + k * 64];
      if (!(pivot > 0) && bad == 0 && k < rows) {
        bad = k + 1;
        bad_pivot = pivot;
      }
      const double root = pivot > 0 ? sqrt(pivot) : (double)(NAN), scale = 1 / root;
      scales[k] = scale;
      double* column = d + k * 64;
      for (int r = k / 4 * 4; r < 64; r += 4) {
        vstore4(vload4(0, column + r) * (double4)(scale), 0, column + r);
      }
      column[k] = root;
      for (int q = k + 1; q < 64; ++q) {
        const double4 factor = (double4)(-column[q]);
        double* changed = d + q * 64;
        for (int r = q / 4 * 4; r < 64; r += 4) {
          vstore4(fma(vload4(0, column + r), factor, vload4(0, changed + r)), 0, changed + r);
        }
      }
    }
    p0[2 * block] = bad;
    p0[2 * block + 1] = bad_pivot;
    for (int q = 0; q < rows; ++q) {
      const long j = first_col + q;
      long i = 0;
      for (; i + 1 <= q; i += 1) {
        const double r0 = 0;
        const long e = i + j * rows;
        y0[e] = r0;
      }
      for (; i + 4 <= rows; i += 4) {
        const double4 r0 = vload4(0, d + i + q * 64);
        const long e = i + j * rows;
        vstore4(r0, 0, y0 + e);
      }
      for (; i + 1 <= rows; i += 1) {
        const double r0 = d[i + q * 64];
        const long e = i + j * rows;
        y0[e] = r0;
      }
    }
  }
}

// finds the first matrix that is not positive definite
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_batched_cholesky_40ffdcc1_finish(global const double* p0, global double* p1, const long count) {
  const uint lane = get_local_id(0);
  long found = count;
  for (long block = lane; block < count && found == count; block += 1) {
    if (p0[2 * block] != 0) found = block;
  }
  if (lane == 0) {
    const bool failed = found < count;
    ((global long*)p1)[0] = failed ? found * 256 + (long)p0[2 * found] : 0;
    p1[1] = failed ? p0[2 * found + 1] : 0;
  }
}
