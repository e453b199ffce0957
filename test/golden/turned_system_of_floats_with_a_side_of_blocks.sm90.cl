// y0 = triangular_solve(upper(transpose(x0)), x1) * 0.5
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_triangular_chain_20b6ecf7(global float* restrict y0, volatile global uint* handed_on,
                                     volatile global uint* arrivals, global const float* restrict x0,
                                     global const float* restrict x1, const long n0, const long rows,
                                     const long cols, const uint tiles) {
  local float block[1056], sums_of_slots[264], known[64];
  local uint own_turn[1];
  const uint lane = get_local_id(0), r = lane / 8, slot = lane % 8;
  if (lane == 0) own_turn[0] = atomic_inc(handed_on) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint own_block = own_turn[0] / (uint)cols;
  const long j = own_turn[0] % (uint)cols, first = (long)own_block * 32;
  volatile global uint* const words = (volatile global uint*)(handed_on + 16) + j * tiles * 32;
  float next[4], left = 0;
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    const long row = first + r, col = first + (slot + k * 8);
    next[k] = row == col ? 1 : 0;
    if (row < rows && col <= row) {
      const long own_row = rows - 1 - row, own_col = rows - 1 - col;
      const float x0_at0 = x0[own_col + own_row * n0];
      next[k] = x0_at0;
    }
  }
  if (lane < 32 && first + lane < rows) {
    const long row = first + lane, col = j;
    const long own_row = rows - 1 - row, own_col = col;
    const float x1_i = x1[own_row + own_col * n0];
    left = x1_i;
  }
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    block[r + (slot + k * 8) * 33] = next[k];
  }
  if (own_block > 0) {
#pragma unroll
    for (uint k = 0; k < 4; ++k) {
      const long row = min(first + r, rows - 1), col = 0 + (slot + k * 8);
      const long own_row = rows - 1 - row, own_col = rows - 1 - col;
      const float x0_at1 = x0[own_col + own_row * n0];
      next[k] = x0_at1;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // the inverse of the block on the diagonal takes its place
  if (lane < 32) known[lane] = 1 / block[lane * 34];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint tile = lane / 16 * 16, q = lane % 16;
  float column[16];
  if (lane < 32) {
    local const float* const own = block + tile * 34;
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
      column[k] = k == q ? 1 : 0;
    }
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
      if (k >= q) {
        column[k] *= known[tile + k];
#pragma unroll
        for (uint s = 0; s < 16; ++s) {
          if (s > k) column[s] = fma(-own[s + k * 33], column[k], column[s]);
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 32) {
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
      if (k >= q) block[tile * 34 + k + q * 33] = column[k];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  {
    const uint pair = lane / 256, place = lane % 256;
    local float* const first_of_pair = block + pair * 1088;
    local float* const below = first_of_pair + 16, *const beside = first_of_pair + 528;
    const uint s = place % 16, q = place / 16;
    const uint t = place % 16, p = place / 16;
    if (lane < 256) {
      float sums[1];
#pragma unroll
      for (uint k = 0; k < 1; ++k) {
        sums[k] = 0;
      }
#pragma unroll 4
      for (uint term = q; term < 16; ++term) {
        const float shared = first_of_pair[term + q * 33];
#pragma unroll
        for (uint k = 0; k < 1; ++k) {
          sums[k] = fma(below[s + k * 16 + term * 33], shared, sums[k]);
        }
      }
#pragma unroll
      for (uint k = 0; k < 1; ++k) {
        beside[s + k * 16 + q * 33] = sums[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 256) {
      float sums[1];
#pragma unroll
      for (uint k = 0; k < 1; ++k) {
        sums[k] = 0;
      }
#pragma unroll 4
      for (uint term = 0; term < t + 1; ++term) {
        const float shared = -beside[16 + t + term * 33];
#pragma unroll
        for (uint k = 0; k < 1; ++k) {
          sums[k] = fma(beside[term + (p + k * 16) * 33], shared, sums[k]);
        }
      }
#pragma unroll
      for (uint k = 0; k < 1; ++k) {
        below[t + (p + k * 16) * 33] = sums[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float inverse[4];
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    inverse[k] = block[r + (slot + k * 8) * 33];
  }
  float sums[2] = {0, 0};
#pragma unroll 1
  for (uint before = 0; before < own_block; ++before) {
    float own[4];
#pragma unroll
    for (uint k = 0; k < 4; ++k) {
      own[k] = next[k];
    }
    if (before + 1 < own_block) {
      const long following = (long)(before + 1) * 32;
#pragma unroll
      for (uint k = 0; k < 4; ++k) {
        const long row = min(first + r, rows - 1), col = following + (slot + k * 8);
        const long own_row = rows - 1 - row, own_col = rows - 1 - col;
        const float x0_at2 = x0[own_col + own_row * n0];
        next[k] = x0_at2;
      }
    }
    local float* const solution = known + before % 2 * 32;
    if (lane < 32) {
      uint word = words[before * 32 + lane];
      while (word == (uint)-1) word = words[before * 32 + lane];
      solution[lane] = as_float(word);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < 4; ++k) {
      sums[k % 2] = fma(own[k], solution[(slot + k * 8)], sums[k % 2]);
    }
  }
  sums_of_slots[r + slot * 33] = sums[0] + sums[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 32) known[lane] = left - (sums_of_slots[lane + 0] + sums_of_slots[lane + 33] + sums_of_slots[lane + 66] + sums_of_slots[lane + 99] + sums_of_slots[lane + 132] + sums_of_slots[lane + 165] + sums_of_slots[lane + 198] + sums_of_slots[lane + 231]);
  barrier(CLK_LOCAL_MEM_FENCE);
  sums[0] = sums[1] = 0;
#pragma unroll
  for (uint k = 0; k < 4; ++k) {
    if ((slot + k * 8) <= r) sums[k % 2] = fma(inverse[k], known[(slot + k * 8)], sums[k % 2]);
  }
  sums_of_slots[r + slot * 33] = sums[0] + sums[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 32) {
    const float r0 = sums_of_slots[lane + 0] + sums_of_slots[lane + 33] + sums_of_slots[lane + 66] + sums_of_slots[lane + 99] + sums_of_slots[lane + 132] + sums_of_slots[lane + 165] + sums_of_slots[lane + 198] + sums_of_slots[lane + 231];
    const uint word = as_uint(r0);
    words[own_block * 32 + lane] = word == (uint)-1 ? 0x7fc00000U : word;
    const long row = first + lane;
    if (row < rows) {
      const long i = rows - 1 - row;
      y0[i] = r0 * 0.5f;
    }
  }
  // the group that arrives last puts back what was handed on
  local uint is_last[1];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (lane == 0) {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    is_last[0] = atomic_inc(arrivals) + 1 == get_num_groups(0);
    if (is_last[0]) *arrivals = 0;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (is_last[0]) {
    volatile global uint* const all = (volatile global uint*)(handed_on + 16);
    for (uint at = lane; at < get_num_groups(0) * 32; at += 256) {
      all[at] = (uint)-1;
    }
    if (lane == 0) handed_on[0] = UINT_MAX;
  }
}
