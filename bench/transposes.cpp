// Elements that come from or go to other places: transposes, blocks, diagonals, and rows and columns of
// blocks that are repeated, against moving their bytes once at the speed of a copy, Eigen, and Eigen over all
// cores.

#include "ceilings.hpp"
#include "eigen_split.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;
using host_matrix = Eigen::MatrixXd;
using host_map = Eigen::Map<const host_matrix>;

// A work each: the statement, the same by Eigen for the columns [first, first + count), and the doubles that
// have to move for an element of the result. `a` is larger than the result by `rim` rows and columns, and
// `turned` has the shape of its transpose; blocks start at (first_row, first_col).

constexpr std::int64_t rim = 5, first_row = 3, first_col = 2;

struct operands {
  const matrix &a, &turned, &large;
  std::int64_t rows, cols;
};
struct host_operands {
  host_map a, turned, large;
};

struct transposes {
  static constexpr const char* name = "transpose";
  static constexpr double moved = 2;
  static void run(matrix& y, const operands& x) { y = transpose(x.turned); }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) = x.turned.middleRows(j, count).transpose();
  }
};

struct sums_with_a_transpose {
  static constexpr const char* name = "transpose_plus";
  static constexpr double moved = 3;
  static void run(matrix& y, const operands& x) { y = transpose(x.turned) + x.a; }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) = x.turned.middleRows(j, count).transpose() + x.a.middleCols(j, count);
  }
};

struct results_that_are_transposed {
  static constexpr const char* name = "to_transpose";
  static constexpr double moved = 2;
  static void run(matrix& y, const operands& x) { transpose(y) = x.turned; }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) = x.turned.middleRows(j, count).transpose();
  }
};

struct blocks {
  static constexpr const char* name = "block";
  static constexpr double moved = 2;
  static void run(matrix& y, const operands& x) {
    y = block_zero_based(x.large, first_row, first_col, x.rows, x.cols);
  }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) = x.large.block(first_row, first_col + j, y.rows(), count);
  }
};

struct results_that_are_blocks {
  static constexpr const char* name = "to_block";
  static constexpr double moved = 2;
  static void run(matrix& y, const operands& x) {
    block_zero_based(y, 1, 1, x.rows - 2, x.cols - 2) = block_zero_based(x.a, 0, 1, x.rows - 2, x.cols - 2);
  }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    const std::int64_t first = std::max<std::int64_t>(j, 1), end = std::min(j + count, y.cols() - 1);
    y.block(1, first, y.rows() - 2, end - first) = x.a.block(0, first, y.rows() - 2, end - first);
  }
};

struct repeated_rows {
  static constexpr const char* name = "row_of_block";
  static constexpr double moved = 2;
  static void run(matrix& y, const operands& x) {
    y = x.a - colwise_broadcast(row(block_zero_based(x.large, first_row, first_col, x.rows, x.cols), 2));
  }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) =
        x.a.middleCols(j, count).rowwise() - x.large.row(first_row + 1).middleCols(first_col + j, count);
  }
};

struct repeated_columns {
  static constexpr const char* name = "column_of_block";
  static constexpr double moved = 2;
  static void run(matrix& y, const operands& x) {
    y = x.a - rowwise_broadcast(col(block_zero_based(x.large, first_row, first_col, x.rows, x.cols), 2));
  }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) =
        x.a.middleCols(j, count).colwise() - x.large.col(first_col + 1).middleRows(first_row, y.rows());
  }
};

struct repeated_diagonals {
  static constexpr const char* name = "diagonal";
  static constexpr double moved = 2;
  static void run(matrix& y, const operands& x) { y = x.a + rowwise_broadcast(diagonal(x.a)); }
  static void with_eigen(host_matrix& y, const host_operands& x, std::int64_t j, std::int64_t count) {
    y.middleCols(j, count) = x.a.middleCols(j, count).colwise() + x.a.diagonal();
  }
};

template <class Work>
void run_case(benchmark::State& state, const shape& s) {
  const std::int64_t rows = s.rows + rim, cols = s.cols + rim;
  const matrix a = random_matrix(0, s.rows, s.cols), turned = random_matrix(0, s.cols, s.rows),
               large = random_matrix(0, rows, cols);
  matrix result = random_matrix(0, s.rows, s.cols);
  const operands on_device{a, turned, large, s.rows, s.cols};
  const double* values = random_values(0, rows * cols);
  const host_operands on_host{{values, s.rows, s.cols}, {values, s.cols, s.rows}, {values, rows, cols}};
  host_matrix host = host_map(values, s.rows, s.cols);
  const double bytes = 8 * Work::moved * static_cast<double>(s.size());
  comparison all;
  all.add("fused", runs_on::device, [&] { Work::run(result, on_device); });
  all.add("floor", runs_on::device, copy_ceiling(bytes));
  all.add("eigen", runs_on::host, [&] { Work::with_eigen(host, on_host, 0, s.cols); });
  all.add("eigen_openmp", runs_on::host_threads, [&] {
    split(s.cols, [&](std::int64_t begin, std::int64_t length, std::int64_t) {
      if (length > 0) Work::with_eigen(host, on_host, begin, length);
    });
  });
  all.measure();
  Work::with_eigen(host, on_host, 0, s.cols);
  if (from_matrix_cl(result) != host) state.SkipWithError("the result differs from Eigen's");
  all.report(state);
  state.counters["GB/s"] = bytes / all.seconds() * 1e-9;
}

template <class Work>
void add_work(const shape& s) {
  if (std::is_same_v<Work, repeated_diagonals> && s.rows > s.cols) return;  // few elements
  add_case(std::string("transposes/") + Work::name + "/" + s.name,
           [s](benchmark::State& state) { run_case<Work>(state, s); });
}

}  // namespace

void register_cases() {
  static constexpr shape gpu[] = {{"1e4x1e4", 10000, 10000},
                                  {"1e6x100", 1000000, 100},
                                  {"100x1e6", 100, 1000000},
                                  {"9999x10001", 9999, 10001}};
  static constexpr shape cpu[] = {
      {"2000x2000", 2000, 2000}, {"1e5x100", 100000, 100}, {"100x1e5", 100, 100000}};
  static constexpr shape small[] = {{"31x100", 31, 100}};
  const auto add = [](const auto& shapes) {
    for (const shape& s : shapes) {
      add_work<transposes>(s);
      add_work<sums_with_a_transpose>(s);
      add_work<results_that_are_transposed>(s);
      add_work<blocks>(s);
      add_work<results_that_are_blocks>(s);
      add_work<repeated_rows>(s);
      add_work<repeated_columns>(s);
      add_work<repeated_diagonals>(s);
    }
  };
  add_sizes(add, small, gpu, cpu);
}

}  // namespace fusecl::bench
