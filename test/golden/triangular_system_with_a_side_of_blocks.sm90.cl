#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// y0 = triangular_solve(x0, x1)
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fused_triangular_chain_7aa27144(global double* restrict y0, volatile global uint* handed_on,
                                     volatile global uint* arrivals, global const double* restrict x0,
                                     global const double* restrict x1, const long n0, const long rows,
                                     const long cols, const uint tiles) {
  local double block[4160], sums_of_slots[260], known[128];
  local uint own_turn[1];
  const uint lane = get_local_id(0), r = lane % 64, slot = lane / 64;
  if (lane == 0) own_turn[0] = atomic_inc(handed_on) + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint own_block = own_turn[0] / (uint)cols;
  const long j = own_turn[0] % (uint)cols, first = (long)own_block * 64;
  volatile global ulong* const words = (volatile global ulong*)(handed_on + 16) + j * tiles * 64;
  double next[16], left = 0;
#pragma unroll
  for (uint k = 0; k < 16; ++k) {
    const long row = first + r, col = first + (slot + k * 4);
    next[k] = row == col ? 1 : 0;
    if (row < rows && col <= row) {
      const double x0_i = x0[row + col * n0];
      next[k] = x0_i;
    }
  }
  if (lane < 64 && first + lane < rows) {
    const long row = first + lane, col = j;
    const double x1_i = x1[row + col * n0];
    left = x1_i;
  }
#pragma unroll
  for (uint k = 0; k < 16; ++k) {
    block[r + (slot + k * 4) * 65] = next[k];
  }
  if (own_block > 0) {
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
      const long row = min(first + r, rows - 1), col = 0 + (slot + k * 4);
      const double x0_i = x0[row + col * n0];
      next[k] = x0_i;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // the inverse of the block on the diagonal takes its place
  if (lane < 64) known[lane] = 1 / block[lane * 66];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint tile = lane / 16 * 16, q = lane % 16;
  double column[16];
  if (lane < 64) {
    local const double* const own = block + tile * 66;
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
          if (s > k) column[s] = fma(-own[s + k * 65], column[k], column[s]);
        }
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 64) {
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
      if (k >= q) block[tile * 66 + k + q * 65] = column[k];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  {
    const uint pair = lane / 128, place = lane % 128;
    local double* const first_of_pair = block + pair * 2112;
    local double* const below = first_of_pair + 16, *const beside = first_of_pair + 1040;
    const uint s = place % 8, q = place / 8;
    const uint t = place % 16, p = place / 16;
    if (lane < 256) {
      double sums[2];
#pragma unroll
      for (uint k = 0; k < 2; ++k) {
        sums[k] = 0;
      }
#pragma unroll 4
      for (uint term = q; term < 16; ++term) {
        const double shared = first_of_pair[term + q * 65];
#pragma unroll
        for (uint k = 0; k < 2; ++k) {
          sums[k] = fma(below[s + k * 8 + term * 65], shared, sums[k]);
        }
      }
#pragma unroll
      for (uint k = 0; k < 2; ++k) {
        beside[s + k * 8 + q * 65] = sums[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 256) {
      double sums[2];
#pragma unroll
      for (uint k = 0; k < 2; ++k) {
        sums[k] = 0;
      }
#pragma unroll 4
      for (uint term = 0; term < t + 1; ++term) {
        const double shared = -beside[16 + t + term * 65];
#pragma unroll
        for (uint k = 0; k < 2; ++k) {
          sums[k] = fma(beside[term + (p + k * 8) * 65], shared, sums[k]);
        }
      }
#pragma unroll
      for (uint k = 0; k < 2; ++k) {
        below[t + (p + k * 8) * 65] = sums[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  {
    const uint pair = lane / 256, place = lane % 256;
    local double* const first_of_pair = block + pair * 4224;
    local double* const below = first_of_pair + 32, *const beside = first_of_pair + 2080;
    const uint s = place % 8, q = place / 8;
    const uint t = place % 32, p = place / 32;
    if (lane < 256) {
      double sums[4];
#pragma unroll
      for (uint k = 0; k < 4; ++k) {
        sums[k] = 0;
      }
#pragma unroll 4
      for (uint term = q; term < 32; ++term) {
        const double shared = first_of_pair[term + q * 65];
#pragma unroll
        for (uint k = 0; k < 4; ++k) {
          sums[k] = fma(below[s + k * 8 + term * 65], shared, sums[k]);
        }
      }
#pragma unroll
      for (uint k = 0; k < 4; ++k) {
        beside[s + k * 8 + q * 65] = sums[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 256) {
      double sums[4];
#pragma unroll
      for (uint k = 0; k < 4; ++k) {
        sums[k] = 0;
      }
#pragma unroll 4
      for (uint term = 0; term < t + 1; ++term) {
        const double shared = -beside[32 + t + term * 65];
#pragma unroll
        for (uint k = 0; k < 4; ++k) {
          sums[k] = fma(beside[term + (p + k * 8) * 65], shared, sums[k]);
        }
      }
#pragma unroll
      for (uint k = 0; k < 4; ++k) {
        below[t + (p + k * 8) * 65] = sums[k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  double inverse[16];
#pragma unroll
  for (uint k = 0; k < 16; ++k) {
    inverse[k] = block[r + (slot + k * 4) * 65];
  }
  double sums[2] = {0, 0};
#pragma unroll 1
  for (uint before = 0; before < own_block; ++before) {
    double own[16];
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
      own[k] = next[k];
    }
    if (before + 1 < own_block) {
      const long following = (long)(before + 1) * 64;
#pragma unroll
      for (uint k = 0; k < 16; ++k) {
        const long row = min(first + r, rows - 1), col = following + (slot + k * 4);
        const double x0_i = x0[row + col * n0];
        next[k] = x0_i;
      }
    }
    local double* const solution = known + before % 2 * 64;
    if (lane < 64) {
      ulong word = words[before * 64 + lane];
      while (word == (ulong)-1) word = words[before * 64 + lane];
      solution[lane] = as_double(word);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
      sums[k % 2] = fma(own[k], solution[(slot + k * 4)], sums[k % 2]);
    }
  }
  sums_of_slots[r + slot * 65] = sums[0] + sums[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 64) known[lane] = left - (sums_of_slots[lane + 0] + sums_of_slots[lane + 65] + sums_of_slots[lane + 130] + sums_of_slots[lane + 195]);
  barrier(CLK_LOCAL_MEM_FENCE);
  sums[0] = sums[1] = 0;
#pragma unroll
  for (uint k = 0; k < 16; ++k) {
    if ((slot + k * 4) <= r) sums[k % 2] = fma(inverse[k], known[(slot + k * 4)], sums[k % 2]);
  }
  sums_of_slots[r + slot * 65] = sums[0] + sums[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < 64) {
    const double r0 = sums_of_slots[lane + 0] + sums_of_slots[lane + 65] + sums_of_slots[lane + 130] + sums_of_slots[lane + 195];
    const ulong word = as_ulong(r0);
    words[own_block * 64 + lane] = word == (ulong)-1 ? 0x7ff8000000000000UL : word;
    const long row = first + lane;
    if (row < rows) {
      const long i = row;
      y0[i] = r0;
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
    volatile global ulong* const all = (volatile global ulong*)(handed_on + 16);
    for (uint at = lane; at < get_num_groups(0) * 64; at += 256) {
      all[at] = (ulong)-1;
    }
    if (lane == 0) handed_on[0] = UINT_MAX;
  }
}
