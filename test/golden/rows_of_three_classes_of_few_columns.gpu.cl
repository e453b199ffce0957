#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sum(x0 * log(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i])))))
// y4 = sum(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i ...
// y1 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 *  ...
// y2 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * ...
// y3 = colwise_sum(x1 * broadcast(exp(rowwise_sum(x1 * broadcast(x2[j, n15 + i]))) / (exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))) + exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))) + exp(rowwise_sum(x1 * ...
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_row_tile_ca250a56(global char* all_parts, const long apart0, const long apart1,
                             global const double* restrict x0, global const double* restrict x1,
                             global const double* restrict x2, const long n7, const long n3, const long n11,
                             const long n15, const long rows, const long tiles, const long cols0) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  global double* const p2 = (global double*)(all_parts + 2 * apart0);
  global double* const p3 = (global double*)((all_parts + 2 * apart0) + 1 * apart1);
  global double* const p4 = (global double*)((all_parts + 2 * apart0) + 2 * apart1);
  local double d0[128];
  local double d1[128];
  local double d2[128];
  const uint lane = get_local_id(0), row_lane = lane % 32, slot = lane / 32;
  const uint own_row = lane;
  local double b3[128] __attribute__((aligned(16)));
  for (uint j = lane; j < cols0; j += 128) {
    const double x2_at0 = x2[(long)j + n7 * n3];
    b3[j * 4 + 0] = x2_at0;
    const double x2_at1 = x2[(long)j + n11 * n3];
    b3[j * 4 + 1] = x2_at1;
    const double x2_at2 = x2[(long)j + n15 * n3];
    b3[j * 4 + 2] = x2_at2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  double a0 = 0.0;
  double a1 = 0.0;
  double a2[8];
#pragma unroll
  for (int c = 0; c < 8; ++c) a2[c] = 0.0;
  double a3[8];
#pragma unroll
  for (int c = 0; c < 8; ++c) a3[c] = 0.0;
  double a4[8];
#pragma unroll
  for (int c = 0; c < 8; ++c) a4[c] = 0.0;
  double h0 = 0.0;
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const long start = tile * 128;
    {
      const long i = min(start + own_row, rows - 1);
      double w6 = 0.0;
      double w11 = 0.0;
      double w17 = 0.0;
#pragma unroll 8
      for (uint j = 0; j < cols0; j += 1) {
        const double x1_i = x1[i + j * rows];
        w6 = w6 + (x1_i * b3[j * 4 + 0]);
        w11 = w11 + (x1_i * b3[j * 4 + 1]);
        w17 = w17 + (x1_i * b3[j * 4 + 2]);
      }
      if (start + own_row < rows) {
        const double v0 = exp(w6);
        const double v1 = exp(w11);
        const double v2 = exp(w17);
        const double v3 = v0 + v1 + v2;
        const double v4 = v0 / v3;
        d0[own_row] = v4;
        const double v5 = v1 / v3;
        d1[own_row] = v5;
        const double v6 = v2 / v3;
        d2[own_row] = v6;
        const double x0_i = x0[i];
        a0 = a0 + (x0_i * log(v3));
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint count = min((long)128, rows - start);
#pragma unroll 2
    for (uint row = row_lane; row < count; row += 32) {
      const long i = start + row;
      if (slot + 0 < 1) {
        h0 = h0 + (d0[(slot + 0) * 128 + row]);
      }
#pragma unroll
      for (int c = 0; c < 8; ++c) {
        const uint j = slot + c * 4;
        if (c + 1 < 8 || j < cols0) {
          const double x1_i = x1[i + j * rows];
          a2[c] = a2[c] + (x1_i * d0[row]);
          a3[c] = a3[c] + (x1_i * d1[row]);
          a4[c] = a4[c] + (x1_i * d2[row]);
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a1 = slot == 0 ? h0 : 0.0;
  // sums over the rows of all tiles of this group
  local long together[1024];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 0; c < 8; ++c)
    ((local double*)together)[((c - 0) * 4 + slot) * 32 + row_lane / 1] = a2[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 32; t += 128) {
    const uint j = t % 4 + (0 + t / 4) * 4;
    double v = ((local double*)together)[t * 32];
    for (uint w = 1; w < 32; ++w) v = v + (((local double*)together)[t * 32 + w]);
    if (j < cols0) p2[j + get_group_id(0) * cols0] = v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 0; c < 8; ++c)
    ((local double*)together)[((c - 0) * 4 + slot) * 32 + row_lane / 1] = a3[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 32; t += 128) {
    const uint j = t % 4 + (0 + t / 4) * 4;
    double v = ((local double*)together)[t * 32];
    for (uint w = 1; w < 32; ++w) v = v + (((local double*)together)[t * 32 + w]);
    if (j < cols0) p3[j + get_group_id(0) * cols0] = v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 0; c < 8; ++c)
    ((local double*)together)[((c - 0) * 4 + slot) * 32 + row_lane / 1] = a4[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 32; t += 128) {
    const uint j = t % 4 + (0 + t / 4) * 4;
    double v = ((local double*)together)[t * 32];
    for (uint w = 1; w < 32; ++w) v = v + (((local double*)together)[t * 32 + w]);
    if (j < cols0) p4[j + get_group_id(0) * cols0] = v;
  }
  {
    local double* const tree0 = (local double*)(together + 0);
    local double* const tree1 = (local double*)(together + 128);
    barrier(CLK_LOCAL_MEM_FENCE);
    tree0[lane] = a0;
    tree1[lane] = a1;
    for (uint stride = 64; stride >= 1; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane < stride) {
        tree0[lane] = tree0[lane] + (tree0[lane + stride]);
        tree1[lane] = tree1[lane] + (tree1[lane + stride]);
      }
    }
    if (lane == 0) {
      p0[get_group_id(0)] = tree0[0];
      p1[get_group_id(0)] = tree1[0];
    }
  }
}

// adds the partial results of the groups
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_row_tile_ca250a56_finish(global double* restrict y0, global double* restrict y4,
                                    global double* restrict y1, global double* restrict y2,
                                    global double* restrict y3, global const char* all_parts,
                                    const long apart0, const long apart1, const long parts,
                                    const long results0, const long groups0, const long results1,
                                    const long groups1) {
  global const double* const p0 = (global const double*)all_parts;
  global const double* const p1 = (global const double*)(all_parts + 1 * apart0);
  global const double* const p2 = (global const double*)(all_parts + 2 * apart0);
  global const double* const p3 = (global const double*)((all_parts + 2 * apart0) + 1 * apart1);
  global const double* const p4 = (global const double*)((all_parts + 2 * apart0) + 2 * apart1);
  const long group = get_group_id(0);
  const uint lane = get_local_id(0);
  local long together[1024];
  {
    const uint down = lane / 1;
    const long i = (group - 0) * 1 + lane % 1;
    const bool taken = group >= 0 && group < groups0 && i < results0;
    double r0 = 0.0;
    double r1 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts; part += 128) {
        r0 = r0 + (p0[i + part * results0]);
        r1 = r1 + (p1[i + part * results0]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      local double* const tree1 = (local double*)(together + 128);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r0;
      tree1[lane] = r1;
      for (uint stride = 64; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride]);
          tree1[lane] = tree1[lane] + (tree1[lane + stride]);
        }
      }
      r0 = tree0[lane];
      r1 = tree1[lane];
    }
    if (taken && down == 0) {
      y0[0] = r0;
      y4[0] = r1;
    }
  }
  {
    const uint down = lane / 2;
    const long i = (group - groups0) * 2 + lane % 2;
    const bool taken = group >= groups0 && group < groups1 && i < results1;
    double r2 = 0.0;
    double r3 = 0.0;
    double r4 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts; part += 64) {
        r2 = r2 + (p2[i + part * results1]);
        r3 = r3 + (p3[i + part * results1]);
        r4 = r4 + (p4[i + part * results1]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      local double* const tree1 = (local double*)(together + 128);
      local double* const tree2 = (local double*)(together + 256);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r2;
      tree1[lane] = r3;
      tree2[lane] = r4;
      for (uint stride = 32; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride * 2]);
          tree1[lane] = tree1[lane] + (tree1[lane + stride * 2]);
          tree2[lane] = tree2[lane] + (tree2[lane + stride * 2]);
        }
      }
      r2 = tree0[lane];
      r3 = tree1[lane];
      r4 = tree2[lane];
    }
    if (taken && down == 0) {
      y1[i] = r2;
      y2[i] = r3;
      y3[i] = r4;
    }
  }
}
