// Cumulative sums along vectors, columns and rows, against moving their bytes once at the speed of a copy and
// loops on the host. Lines that are cut into chunks are read twice: at best 0.67 of a copy.

#include "ceilings.hpp"
#include "eigen_split.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;

template <class X, class Y>
void scan_columns(const X& x, Y y) {
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    double total = 0;
    for (Eigen::Index i = 0; i < x.rows(); ++i) y(i, j) = total += x(i, j);
  }
}

// A work each: the statement and the same by a loop on the host.

struct of_columns {
  static constexpr const char* name = "columns";
  static auto expression(const matrix& x) { return colwise_cumulative_sum(x); }
  template <class X, class Y>
  static void on_host(const X& x, Y y) {
    scan_columns(x, y);
  }
};

struct of_rows {
  static constexpr const char* name = "rows";
  static auto expression(const matrix& x) { return rowwise_cumulative_sum(x); }
  template <class X, class Y>
  static void on_host(const X& x, Y y) {
    y.col(0) = x.col(0);
    for (Eigen::Index j = 1; j < x.cols(); ++j) y.col(j) = y.col(j - 1) + x.col(j);
  }
};

template <class Work>
void run_case(benchmark::State& state, const shape& s) {
  const matrix m = random_matrix(0, s.rows, s.cols);
  matrix result(s.rows, s.cols);
  const const_matrix_map x(random_values(0, s.size()), s.rows, s.cols);
  Eigen::MatrixXd host(s.rows, s.cols);
  const double bytes = 16.0 * static_cast<double>(s.size());
  comparison all;
  all.add("fused", runs_on::device, [&] { result = Work::expression(m); });
  all.add("floor", runs_on::device, copy_ceiling(bytes));
  all.add("eigen", runs_on::host, [&] { Work::on_host(x, Eigen::Ref<Eigen::MatrixXd>(host)); });
  all.measure();
  const counters before = runtime_counters();
  result = Work::expression(m);
  const counters used = runtime_counters() - before;
  Work::on_host(x, Eigen::Ref<Eigen::MatrixXd>(host));
  if (!from_matrix_cl(result).isApprox(host, 1e-11))
    state.SkipWithError("the result differs from the host's");
  all.report(state);
  state.counters["GB/s"] = bytes / all.seconds() * 1e-9;
  state.counters["launches"] = static_cast<double>(used.launches);
}

template <class Work>
void add_work(const shape& s) {
  add_case(std::string("scans/") + Work::name + "/" + s.name,
           [s](benchmark::State& state) { run_case<Work>(state, s); });
}

}  // namespace

void register_cases() {
  static constexpr shape gpu_vector = {"1e8", 100000000, 1};
  static constexpr shape gpu[] = {
      {"1e6x100", 1000000, 100}, {"100x1e6", 100, 1000000}, {"1e4x1e4", 10000, 10000}};
  static constexpr shape cpu[] = {{"1e7", 10000000, 1}, {"1e5x100", 100000, 100}, {"100x1e5", 100, 100000}};
  static constexpr shape small[] = {{"1000x30", 1000, 30}};
  const auto add = [](const auto& shapes) {
    for (const shape& s : shapes) {
      add_work<of_columns>(s);
      add_work<of_rows>(s);
    }
  };
  if (!quick && opencl_context.capabilities().gpu) add_work<of_columns>(gpu_vector);
  add_sizes(add, small, gpu, cpu);
}

}  // namespace fusecl::bench
