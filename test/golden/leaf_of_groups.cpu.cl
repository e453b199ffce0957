static inline __attribute__((always_inline))
float element_of_a(global float* y0, global const float* x0, const long n0, const long rows,
                   const long cols, const long tasks, const long share, const long n1,
                   const long row, const long col) {
  const float x0_i = x0[row + col * n0];
  return x0_i * 0.5f;
}

static inline __attribute__((always_inline))
void element_of_result(global float* y0, global const float* x0, const long n0, const long rows,
                       const long cols, const long tasks, const long share, const long n1,
                       const long i, const long j, const float r0) {
  const long e = i + j * rows;
  y0[e] = r0;
}

// y0 = unit_columns(x0 * 0.5)
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void fused_leaf_03ed57f6(global float* restrict leaf_y0, global const float* restrict leaf_x0,
                         const long leaf_n0, const long leaf_rows, const long leaf_cols,
                         const long leaf_tasks, const long leaf_share, const long leaf_n1) {
  const long rows = leaf_rows;
  const long a_rows = leaf_n0;
  typedef float real;
  const long task = get_group_id(0);
  const int lane = get_local_id(0);
#define ITEMS 16
#define a(row, col) element_of_a(leaf_y0, leaf_x0, leaf_n0, leaf_rows, leaf_cols, leaf_tasks, leaf_share, leaf_n1, (row), (col))
#define result(row, col, value) element_of_result(leaf_y0, leaf_x0, leaf_n0, leaf_rows, leaf_cols, leaf_tasks, leaf_share, leaf_n1, (row), (col), (value))
    local real parts[ITEMS];
    real sum = 0.0f;
    for (long i = lane; i < a_rows; i += ITEMS) sum += a(i, task) * a(i, task);
    parts[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < ITEMS; ++k) sum += parts[k];
    for (long i = lane; i < rows; i += ITEMS) result(i, task, a(i, task) / sqrt(sum));
#undef ITEMS
#undef a
#undef result
}
