#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sum(x0 * log(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i])))))
// y4 = sum(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i ...
// y1 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 *  ...
// y2 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * ...
// y3 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * ...
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_row_tile_8501e9d1(global double* restrict y0, global double* restrict y4,
                             global double* restrict y1, global double* restrict y2,
                             global double* restrict y3, global char* all_parts, const long apart0,
                             const long apart1, volatile global uint* arrivals,
                             global const double* restrict x0, global const double* restrict x1,
                             global const double* restrict x2, const long n7, const long n3, const long n11,
                             const long n15, const long rows, const long tiles, const long each,
                             const long cols0) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  global double* const p2 = (global double*)(all_parts + 2 * apart0);
  global double* const p3 = (global double*)((all_parts + 2 * apart0) + 1 * apart1);
  global double* const p4 = (global double*)((all_parts + 2 * apart0) + 2 * apart1);
  const long begin_tile = (long)get_group_id(0) * each, end_tile = min(begin_tile + each, tiles);
  double a0 = 0.0;
  double a1 = 0.0;
  for (long tile = begin_tile; tile < end_tile; ++tile) {
    const long begin = tile * 1024, end = min(begin + 1024, rows);
    const int whole = (int)((end - begin) / 4);
    double4 w6_v[256];
    for (int v = 0; v < whole; ++v) w6_v[v] = (double4)(0.0);
    double4 w11_v[256];
    for (int v = 0; v < whole; ++v) w11_v[v] = (double4)(0.0);
    double4 w17_v[256];
    for (int v = 0; v < whole; ++v) w17_v[v] = (double4)(0.0);
    {
      for (long first = 0; first < cols0; first += 4) {
        for (int v = 0; v < whole; ++v) {
          const long i = begin + v * 4;
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            const long j = first + c;
            const long e = i + j * rows;
            const double4 x1_i = vload4(0, x1 + e);
            const double x2_at0 = x2[j + n7 * n3];
            const double x2_at1 = x2[j + n11 * n3];
            const double x2_at2 = x2[j + n15 * n3];
            w6_v[v] = w6_v[v] + (x1_i * x2_at0);
            w11_v[v] = w11_v[v] + (x1_i * x2_at1);
            w17_v[v] = w17_v[v] + (x1_i * x2_at2);
          }
        }
      }
    }
    double4 w23_v[256];
    double4 w27_v[256];
    double4 w31_v[256];
    {
      double4 f0_v = (double4)(0.0);
      double4 f1_v = (double4)(0.0);
      for (int v = 0; v < whole; ++v) {
        const long i = begin + v * 4;
        const double4 v0 = exp(w6_v[v]);
        const double4 v1 = exp(w11_v[v]);
        const double4 v2 = exp(w17_v[v]);
        const double4 v3 = v0 + v1 + v2;
        const double4 v4 = v0 / v3;
        const double4 x0_i = vload4(0, x0 + i);
        w23_v[v] = v4;
        w27_v[v] = v1 / v3;
        w31_v[v] = v2 / v3;
        f0_v = f0_v + (x0_i * log(v3));
        f1_v = f1_v + v4;
      }
      const double2 f0_2 = f0_v.lo + f0_v.hi;
      const double f0_1 = f0_2.lo + f0_2.hi;
      a0 = a0 + f0_1;
      const double2 f1_2 = f1_v.lo + f1_v.hi;
      const double f1_1 = f1_2.lo + f1_2.hi;
      a1 = a1 + f1_1;
    }
    {
      for (long first = 0; first < cols0; first += 4) {
        double4 f2_v[4];
        for (int c = 0; c < 4; ++c) f2_v[c] = (double4)(0.0);
        double4 f3_v[4];
        for (int c = 0; c < 4; ++c) f3_v[c] = (double4)(0.0);
        double4 f4_v[4];
        for (int c = 0; c < 4; ++c) f4_v[c] = (double4)(0.0);
        for (int v = 0; v < whole; ++v) {
          const long i = begin + v * 4;
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            const long j = first + c;
            const long e = i + j * rows;
            const double4 x1_i = vload4(0, x1 + e);
            f2_v[c] = f2_v[c] + (x1_i * w23_v[v]);
            f3_v[c] = f3_v[c] + (x1_i * w27_v[v]);
            f4_v[c] = f4_v[c] + (x1_i * w31_v[v]);
          }
        }
        for (int c = 0; c < 4; ++c) {
          const long j = first + c;
          const double2 f2_2 = f2_v[c].lo + f2_v[c].hi;
          const double f2_1 = f2_2.lo + f2_2.hi;
          p2[j + get_group_id(0) * cols0] = tile == begin_tile ? f2_1 : (p2[j + get_group_id(0) * cols0]) + (f2_1);
        }
        for (int c = 0; c < 4; ++c) {
          const long j = first + c;
          const double2 f3_2 = f3_v[c].lo + f3_v[c].hi;
          const double f3_1 = f3_2.lo + f3_2.hi;
          p3[j + get_group_id(0) * cols0] = tile == begin_tile ? f3_1 : (p3[j + get_group_id(0) * cols0]) + (f3_1);
        }
        for (int c = 0; c < 4; ++c) {
          const long j = first + c;
          const double2 f4_2 = f4_v[c].lo + f4_v[c].hi;
          const double f4_1 = f4_2.lo + f4_2.hi;
          p4[j + get_group_id(0) * cols0] = tile == begin_tile ? f4_1 : (p4[j + get_group_id(0) * cols0]) + (f4_1);
        }
      }
    }
  }
  p0[get_group_id(0)] = a0;
  p1[get_group_id(0)] = a1;
  // the group that arrives last adds what all have left
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (atomic_inc(arrivals) + 1 == get_num_groups(0)) {
    *arrivals = 0;
    for (long i = 0; i < 1; ++i) {
      double r0 = 0.0;
      double r1 = 0.0;
      for (long part = 0; part < get_num_groups(0); ++part) {
        r0 = r0 + (p0[i + part * 1]);
        r1 = r1 + (p1[i + part * 1]);
      }
      y0[0] = r0;
      y4[0] = r1;
    }
    for (long i = 0; i < cols0; ++i) {
      double r2 = 0.0;
      double r3 = 0.0;
      double r4 = 0.0;
      for (long part = 0; part < get_num_groups(0); ++part) {
        r2 = r2 + (p2[i + part * cols0]);
        r3 = r3 + (p3[i + part * cols0]);
        r4 = r4 + (p4[i + part * cols0]);
      }
      y1[i] = r2;
      y2[i] = r3;
      y3[i] = r4;
    }
  }
}
