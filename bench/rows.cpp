// What is done with every row or column as a whole: softmax, log-sum-exp and layer norm of rows, standardised
// columns and log-sum-exp of short columns, each written as a text book does, against moving its bytes once
// at the speed of a copy, Eigen, and Eigen over all cores.

#include "ceilings.hpp"
#include "eigen_split.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;
constexpr double epsilon = 1e-5;  // of layer norm

// A work each: the statement, the same by Eigen for some rows or columns, and the bytes that have to move.

struct row_softmax {
  static constexpr const char* name = "softmax";
  static constexpr bool by_rows = true, to_one = false;
  static auto expression(const matrix& x) { return rowwise_softmax(x); }
  template <class X, class Y>
  static void with_eigen(const X& x, Y y) {
    const Eigen::VectorXd largest = x.rowwise().maxCoeff();
    y = (x.colwise() - largest).array().exp().matrix();
    const Eigen::ArrayXd total = y.rowwise().sum();
    y.array().colwise() /= total;
  }
  static double bytes(const shape& s) { return 16.0 * static_cast<double>(s.size()); }
};

struct row_log_sum_exp {
  static constexpr const char* name = "log_sum_exp";
  static constexpr bool by_rows = true, to_one = true;
  static auto expression(const matrix& x) { return rowwise_log_sum_exp(x); }
  template <class X, class Y>
  static void with_eigen(const X& x, Y y) {
    const Eigen::VectorXd largest = x.rowwise().maxCoeff();
    y = largest + (x.colwise() - largest).array().exp().rowwise().sum().log().matrix();
  }
  static double bytes(const shape& s) { return 8.0 * static_cast<double>(s.size() + s.rows); }
};

struct row_layer_norm {
  static constexpr const char* name = "layer_norm";
  static constexpr bool by_rows = true, to_one = false;
  static auto expression(const matrix& x) {
    const auto centred = x - rowwise_broadcast(rowwise_mean(x));
    const auto variance = rowwise_mean(square(centred));
    return elt_divide(centred, rowwise_broadcast(sqrt(variance + epsilon)));
  }
  template <class X, class Y>
  static void with_eigen(const X& x, Y y) {
    const Eigen::VectorXd mean = x.rowwise().mean();
    y = x.colwise() - mean;
    const Eigen::ArrayXd deviation = (y.array().square().rowwise().mean() + epsilon).sqrt();
    y.array().colwise() /= deviation;
  }
  static double bytes(const shape& s) { return 16.0 * static_cast<double>(s.size()); }
};

struct standardised_columns {
  static constexpr const char* name = "standardised_columns";
  static constexpr bool by_rows = false, to_one = false;
  static auto expression(const matrix& x) {
    return elt_divide(x - colwise_broadcast(colwise_mean(x)), colwise_broadcast(colwise_sd(x)));
  }
  template <class X, class Y>
  static void with_eigen(const X& x, Y y) {
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      y.col(j) = (x.col(j).array() - x.col(j).mean()).matrix();
      y.col(j) /= std::sqrt(y.col(j).squaredNorm() / static_cast<double>(x.rows() - 1));
    }
  }
  /// A column that fits on chip is read once, another twice.
  static double bytes(const shape& s) {
    return (s.rows <= 4096 ? 16.0 : 24.0) * static_cast<double>(s.size());
  }
};

/// Of columns that are short.
struct column_log_sum_exp {
  static constexpr const char* name = "column_log_sum_exp";
  static constexpr bool by_rows = false, to_one = true;
  static auto expression(const matrix& x) { return colwise_log_sum_exp(x); }
  template <class X, class Y>
  static void with_eigen(const X& x, Y y) {
    const Eigen::RowVectorXd largest = x.colwise().maxCoeff();
    y = largest + (x.rowwise() - largest).array().exp().colwise().sum().log().matrix();
  }
  static double bytes(const shape& s) { return 8.0 * static_cast<double>(s.size() + s.cols); }
};

template <class Work>
void run_case(benchmark::State& state, const shape& s) {
  const matrix m = random_matrix(0, s.rows, s.cols);
  const std::int64_t rows = Work::to_one && !Work::by_rows ? 1 : s.rows,
                     cols = Work::to_one && Work::by_rows ? 1 : s.cols;
  matrix result(rows, cols);
  const const_matrix_map x(random_values(0, s.size()), s.rows, s.cols);
  Eigen::MatrixXd host(rows, cols);
  const double bytes = Work::bytes(s);
  comparison all;
  all.add("fused", runs_on::device, [&] { result = Work::expression(m); });
  all.add("floor", runs_on::device, copy_ceiling(bytes));
  all.add("eigen", runs_on::host, [&] { Work::with_eigen(x, Eigen::Ref<Eigen::MatrixXd>(host)); });
  all.add("eigen_openmp", runs_on::host_threads, [&] {
    split(Work::by_rows ? s.rows : s.cols, [&](std::int64_t begin, std::int64_t length, std::int64_t) {
      if (length == 0) return;
      if constexpr (Work::by_rows)
        Work::with_eigen(x.middleRows(begin, length), Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
                                                          host.middleRows(begin, length)));
      else
        Work::with_eigen(x.middleCols(begin, length),
                         Eigen::Ref<Eigen::MatrixXd>(host.middleCols(begin, length)));
    });
  });
  all.measure();
  const counters before = runtime_counters();
  result = Work::expression(m);
  const counters used = runtime_counters() - before;
  Work::with_eigen(x, Eigen::Ref<Eigen::MatrixXd>(host));
  if (!from_matrix_cl(result).isApprox(host, 1e-11)) state.SkipWithError("the result differs from Eigen's");
  all.report(state);
  state.counters["GB/s"] = bytes / all.seconds() * 1e-9;
  state.counters["launches"] = static_cast<double>(used.launches);
}

template <class Work>
void add_work(const shape& s) {
  add_case(std::string("rows/") + Work::name + "/" + s.name,
           [s](benchmark::State& state) { run_case<Work>(state, s); });
}

}  // namespace

void register_cases() {
  static constexpr shape gpu[] = {{"1e6x100", 1000000, 100},
                                  {"1e5x256", 100000, 256},
                                  {"1e5x1000", 100000, 1000},
                                  {"1e3x1e5", 1000, 100000}};
  static constexpr shape cpu[] = {
      {"1e5x100", 100000, 100}, {"1e4x256", 10000, 256}, {"1e3x1000", 1000, 1000}};
  static constexpr shape small[] = {{"1000x30", 1000, 30}};
  const auto add = [](const auto& shapes) {
    for (const shape& s : shapes) {
      add_work<row_softmax>(s);
      add_work<row_log_sum_exp>(s);
      add_work<row_layer_norm>(s);
      add_work<standardised_columns>(s);
    }
  };
  add_sizes(add, small, gpu, cpu);
  static constexpr shape short_gpu[] = {{"4x1e7", 4, 10000000}, {"10x5e6", 10, 5000000}};
  static constexpr shape short_cpu[] = {{"4x2e5", 4, 200000}, {"10x1e5", 10, 100000}};
  static constexpr shape short_small[] = {{"4x1000", 4, 1000}};
  add_sizes(
      [](const auto& shapes) {
        for (const shape& s : shapes) add_work<column_log_sum_exp>(s);
      },
      short_small, short_gpu, short_cpu);
}

}  // namespace fusecl::bench
