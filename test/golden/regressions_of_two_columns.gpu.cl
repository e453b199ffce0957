#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = sum(x0 * rowwise_sum(x1 * broadcast(x2[j, n7 + i])) - exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i]))))
// y2 = sum(x0 * rowwise_sum(x1 * broadcast(x2[j, n11 + i])) - exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i]))))
// y1 = colwise_sum(x1 * broadcast(x0 - exp(rowwise_sum(x1 * broadcast(x2[j, n7 + i])))))
// y3 = colwise_sum(x1 * broadcast(x0 - exp(rowwise_sum(x1 * broadcast(x2[j, n11 + i])))))
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fused_row_tile_696f84cd(global char* all_parts, const long apart0, const long apart1,
                             global const double2* restrict x0, global const double2* restrict x1,
                             global const double* restrict x2, const long n7, const long n3, const long n11,
                             const long rows, const long tiles, const long cols0) {
  global double* const p0 = (global double*)all_parts;
  global double* const p1 = (global double*)(all_parts + 1 * apart0);
  global double* const p2 = (global double*)(all_parts + 2 * apart0);
  global double* const p3 = (global double*)((all_parts + 2 * apart0) + 1 * apart1);
  local double2 e6[2][8][16];
  local double2 d11[2][16];
  const uint lane = get_local_id(0), row_lane = lane % 16, slot = lane / 16;
  local double b3[104];
  local double b15[104];
  for (uint j = lane; j < cols0; j += 128) {
    const double x2_at0 = x2[(long)j + n7 * n3];
    b3[j] = x2_at0;
    const double x2_at1 = x2[(long)j + n11 * n3];
    b15[j] = x2_at1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  double a0 = 0.0;
  double a1 = 0.0;
  double a2[13];
#pragma unroll
  for (int c = 0; c < 13; ++c) a2[c] = 0.0;
  double a3[13];
#pragma unroll
  for (int c = 0; c < 13; ++c) a3[c] = 0.0;
  const uint chain = slot / 4;
  const bool follows = slot % 4 == 0 && chain < 2;
  double h0 = 0.0;
  double2 x0_next_row;
  double2 x1_next_r[13];
  const long first = min((long)get_group_id(0) * 16 + row_lane, rows - 1);
  x0_next_row = x0[first];
#pragma unroll
  for (int c = 0; c < 13; ++c) {
    const uint j = slot + c * 8;
    if (c + 1 < 13 || j < cols0) {
      x1_next_r[c] = x1[first + j * rows];
    }
  }
  for (long tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const bool inside = tile * 16 + row_lane < rows;
    const long following = min(tile + (long)get_num_groups(0), tiles - 1);
    const long next = min(following * 16 + row_lane, rows - 1);
    double2 x0_row;
    double2 x1_r[13];
    x0_row = x0_next_row;
#pragma unroll
    for (int c = 0; c < 13; ++c) x1_r[c] = x1_next_r[c];
    double2 w6 = (double2)(0.0);
    double2 w18 = (double2)(0.0);
    if (inside) {
#pragma unroll
      for (int c = 0; c < 13; ++c) {
        const uint j = slot + c * 8;
        if (c + 1 < 13 || j < cols0) {
          const double2 x1_i = x1_r[c];
          w6 = w6 + (x1_i * b3[j]);
          w18 = w18 + (x1_i * b15[j]);
        }
      }
    }
    x0_next_row = x0[next];
#pragma unroll
    for (int c = 0; c < 13; ++c) {
      const uint j = slot + c * 8;
      if (c + 1 < 13 || j < cols0) {
        x1_next_r[c] = x1[next + j * rows];
      }
    }
    e6[0][slot][row_lane] = w6;
    e6[1][slot][row_lane] = w18;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (follows) {
      double2 r6 = e6[chain][0][row_lane];
#pragma unroll
      for (int w = 1; w < 8; ++w) r6 = r6 + e6[chain][w][row_lane];
      const double2 x0_i = x0_row;
      const double2 v0 = exp(r6);
      const double2 v1 = x0_i - v0;
      d11[chain][row_lane] = v1;
      if (inside) {
        const double2 f0 = x0_i * r6 - v0;
        h0 = h0 + (f0.s0 + f0.s1);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside) {
#pragma unroll
      for (int c = 0; c < 13; ++c) {
        const uint j = slot + c * 8;
        if (c + 1 < 13 || j < cols0) {
          const double2 x1_i = x1_r[c];
          const double2 f2 = x1_i * d11[0][row_lane];
          a2[c] = a2[c] + (f2.s0 + f2.s1);
          const double2 f3 = x1_i * d11[1][row_lane];
          a3[c] = a3[c] + (f3.s0 + f3.s1);
        }
      }
    }
  }
  if (follows && chain == 0) a0 = a0 + h0;
  if (follows && chain == 1) a1 = a1 + h0;
  // sums over the rows of all tiles of this group
  local long together[1024];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 0; c < 8; ++c)
    ((local double*)together)[((c - 0) * 8 + slot) * 16 + row_lane / 1] = a2[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 64; t += 128) {
    const uint j = t % 8 + (0 + t / 8) * 8;
    double v = ((local double*)together)[t * 16];
    for (uint w = 1; w < 16; ++w) v = v + (((local double*)together)[t * 16 + w]);
    if (j < cols0) p2[j + get_group_id(0) * cols0] = v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 8; c < 13; ++c)
    ((local double*)together)[((c - 8) * 8 + slot) * 16 + row_lane / 1] = a2[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 40; t += 128) {
    const uint j = t % 8 + (8 + t / 8) * 8;
    double v = ((local double*)together)[t * 16];
    for (uint w = 1; w < 16; ++w) v = v + (((local double*)together)[t * 16 + w]);
    if (j < cols0) p2[j + get_group_id(0) * cols0] = v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 0; c < 8; ++c)
    ((local double*)together)[((c - 0) * 8 + slot) * 16 + row_lane / 1] = a3[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 64; t += 128) {
    const uint j = t % 8 + (0 + t / 8) * 8;
    double v = ((local double*)together)[t * 16];
    for (uint w = 1; w < 16; ++w) v = v + (((local double*)together)[t * 16 + w]);
    if (j < cols0) p3[j + get_group_id(0) * cols0] = v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int c = 8; c < 13; ++c)
    ((local double*)together)[((c - 8) * 8 + slot) * 16 + row_lane / 1] = a3[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint t = lane; t < 40; t += 128) {
    const uint j = t % 8 + (8 + t / 8) * 8;
    double v = ((local double*)together)[t * 16];
    for (uint w = 1; w < 16; ++w) v = v + (((local double*)together)[t * 16 + w]);
    if (j < cols0) p3[j + get_group_id(0) * cols0] = v;
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
void fused_row_tile_696f84cd_finish(global double* restrict y0, global double* restrict y2,
                                    global double* restrict y1, global double* restrict y3,
                                    global const char* all_parts, const long apart0, const long apart1,
                                    const long parts, const long results0, const long groups0,
                                    const long results1, const long groups1) {
  global const double* const p0 = (global const double*)all_parts;
  global const double* const p1 = (global const double*)(all_parts + 1 * apart0);
  global const double* const p2 = (global const double*)(all_parts + 2 * apart0);
  global const double* const p3 = (global const double*)((all_parts + 2 * apart0) + 1 * apart1);
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
      y2[0] = r1;
    }
  }
  {
    const uint down = lane / 2;
    const long i = (group - groups0) * 2 + lane % 2;
    const bool taken = group >= groups0 && group < groups1 && i < results1;
    double r2 = 0.0;
    double r3 = 0.0;
    if (taken) {
#pragma unroll 4
      for (long part = down; part < parts; part += 64) {
        r2 = r2 + (p2[i + part * results1]);
        r3 = r3 + (p3[i + part * results1]);
      }
    }
    {
      local double* const tree0 = (local double*)(together + 0);
      local double* const tree1 = (local double*)(together + 128);
      barrier(CLK_LOCAL_MEM_FENCE);
      tree0[lane] = r2;
      tree1[lane] = r3;
      for (uint stride = 32; stride >= 1; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (down < stride) {
          tree0[lane] = tree0[lane] + (tree0[lane + stride * 2]);
          tree1[lane] = tree1[lane] + (tree1[lane + stride * 2]);
        }
      }
      r2 = tree0[lane];
      r3 = tree1[lane];
    }
    if (taken && down == 0) {
      y1[i] = r2;
      y3[i] = r3;
    }
  }
}
