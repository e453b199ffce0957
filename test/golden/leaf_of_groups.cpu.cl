#define ITEMS 16

static inline __attribute__((always_inline))
float leaf_a(global float* restrict y0, global const float* restrict x0, const long n0, const long rows,
             const long cols, const long tasks, const long share, const long n1,
             const long row, const long col) {
  const float x0_i = x0[row + col * n0];
  return x0_i * 0.5f;
}
#define a(row, col) leaf_a(y0, x0, n0, rows, cols, tasks, share, n1, (row), (col))

static inline __attribute__((always_inline))
void leaf_result(global float* restrict y0, global const float* restrict x0, const long n0, const long rows,
                 const long cols, const long tasks, const long share, const long n1,
                 const long i, const long j, const float r0) {
  const long e = i + j * rows;
  y0[e] = r0;
}
#define result(row, col, value) leaf_result(y0, x0, n0, rows, cols, tasks, share, n1, (row), (col), (value))

// y0 = unit_columns(x0 * 0.5)
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void fused_leaf_c5049ac5(global float* restrict y0, global const float* restrict x0, const long n0,
                         const long rows, const long cols, const long tasks, const long share,
                         const long n1) {
  const long a_rows = n0;
  typedef float real;
  const long task = get_group_id(0);
  const int lane = get_local_id(0);
    local real parts[ITEMS];
    real sum = 0.0f;
    for (long i = lane; i < a_rows; i += ITEMS) sum += a(i, task) * a(i, task);
    parts[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    for (int k = 0; k < ITEMS; ++k) sum += parts[k];
    for (long i = lane; i < rows; i += ITEMS) result(i, task, a(i, task) / sqrt(sum));
}
