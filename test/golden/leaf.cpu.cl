#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline __attribute__((always_inline))
double element_of_a(global double* y0, global const double* x0, global const double* x1, const long n0,
                    const long rows, const long cols, const long tasks, const long share, const long n1,
                    const long row, const long col) {
  const double x0_i = x0[row + col * n0];
  const double x1_i = x1[row + col * n0];
  return x0_i + 2.0 * x1_i;
}

static inline __attribute__((always_inline))
void element_of_result(global double* y0, global const double* x0, global const double* x1, const long n0,
                       const long rows, const long cols, const long tasks, const long share, const long n1,
                       const long i, const long j, const double r0) {
  const long e = i + j * rows;
  const double x1_i = x1[e];
  y0[e] = exp(r0) - x1_i;
}

// y0 = exp(turned_pairs(x0 + 2 * x1)) - x1
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fused_leaf_4dc469f2(global double* restrict leaf_y0, global const double* restrict leaf_x0,
                         global const double* restrict leaf_x1, const long leaf_n0, const long leaf_rows,
                         const long leaf_cols, const long leaf_tasks, const long leaf_share,
                         const long leaf_n1) {
  const long rows = leaf_rows;
  const long leaf_first = get_group_id(0) * leaf_share;
  const long leaf_end = min(leaf_first + leaf_share, leaf_tasks);
  for (long task = leaf_first; task < leaf_end; ++task) {
#define a(row, col) element_of_a(leaf_y0, leaf_x0, leaf_x1, leaf_n0, leaf_rows, leaf_cols, leaf_tasks, leaf_share, leaf_n1, (row), (col))
#define result(row, col, value) element_of_result(leaf_y0, leaf_x0, leaf_x1, leaf_n0, leaf_rows, leaf_cols, leaf_tasks, leaf_share, leaf_n1, (row), (col), (value))
    for (long i = 0; i < rows; ++i) {
      result(i, 2 * task, a(i, 2 * task + 1));
      result(i, 2 * task + 1, a(i, 2 * task));
    }
#undef a
#undef result
  }
}
