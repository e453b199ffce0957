// Complete reductions of tall, wide and square matrices against reading the operand once, Eigen, and Eigen
// over all cores. Results stay on the device.

#include <memory>

#include "ceilings.hpp"
#include "eigen_split.hpp"

namespace fusecl::bench {
namespace {

using matrix = matrix_cl<double>;

/// Splits columns where there are enough of them, else rows, and adds what the threads found.
template <class Part>
void split_rowwise(const_matrix_map m, Eigen::VectorXd& result, Part part) {
  if (m.rows() >= 16 * split_threads()) {
    split(m.rows(), [&](std::int64_t begin, std::int64_t length, std::int64_t) {
      result.segment(begin, length) = part(m.middleRows(begin, length));
    });
    return;
  }
  Eigen::MatrixXd parts(m.rows(), split_threads());
  split(m.cols(), [&](std::int64_t begin, std::int64_t length, std::int64_t thread) {
    parts.col(thread) = part(m.middleCols(begin, length));
  });
  result = parts.rowwise().sum();
}

void finish_case(benchmark::State& state, comparison& all, double bytes, const Eigen::MatrixXd& found,
                 const Eigen::MatrixXd& expected) {
  if (!found.isApprox(expected, 1e-11)) state.SkipWithError("the result differs from Eigen's");
  all.report(state);
  state.counters["GB/s"] = bytes / all.seconds() * 1e-9;
}

void add_sum(const shape& s) {
  add_case(std::string("reduction/sum/") + s.name, [=](benchmark::State& state) {
    const matrix m = random_matrix(0, s.rows, s.cols);
    matrix result(1, 1);
    const double bytes = 8.0 * static_cast<double>(s.size());
    const const_array_map x(random_values(0, s.size()), s.size());
    volatile double host = 0;
    comparison all;
    all.add("fused", runs_on::device, [&] { result = sum(m); });
    all.add("read", runs_on::device, read_ceiling(bytes));
    all.add("eigen", runs_on::host, [&] { host = x.sum(); });
    std::vector<double> parts(static_cast<std::size_t>(split_threads()) * 16);
    all.add("eigen_openmp", runs_on::host_threads, [&] {
      split(s.size(), [&](std::int64_t begin, std::int64_t length, std::int64_t thread) {
        parts[static_cast<std::size_t>(thread) * 16] = x.segment(begin, length).sum();
      });
      host = const_array_map(parts.data(), static_cast<Eigen::Index>(parts.size())).sum();
    });
    all.measure();
    finish_case(state, all, bytes, from_matrix_cl(result), Eigen::MatrixXd::Constant(1, 1, x.sum()));
  });
}

void add_sum_of_expression(const shape& s) {
  add_case(std::string("reduction/sum(a*b)/") + s.name, [=](benchmark::State& state) {
    const matrix a = random_matrix(0, s.rows, s.cols), b = random_matrix(1, s.rows, s.cols);
    matrix result(1, 1);
    const double bytes = 16.0 * static_cast<double>(s.size());
    const const_array_map x(random_values(0, s.size()), s.size()), y(random_values(1, s.size()), s.size());
    volatile double host = 0;
    comparison all;
    all.add("fused", runs_on::device, [&] { result = sum(elt_multiply(a, b)); });
    all.add("read", runs_on::device, read_ceiling(bytes));
    all.add("eigen", runs_on::host, [&] { host = (x * y).sum(); });
    std::vector<double> parts(static_cast<std::size_t>(split_threads()) * 16);
    all.add("eigen_openmp", runs_on::host_threads, [&] {
      split(s.size(), [&](std::int64_t begin, std::int64_t length, std::int64_t thread) {
        parts[static_cast<std::size_t>(thread) * 16] =
            (x.segment(begin, length) * y.segment(begin, length)).sum();
      });
      host = const_array_map(parts.data(), static_cast<Eigen::Index>(parts.size())).sum();
    });
    all.measure();
    finish_case(state, all, bytes, from_matrix_cl(result), Eigen::MatrixXd::Constant(1, 1, (x * y).sum()));
  });
}

void add_rowwise(const shape& s) {
  add_case(std::string("reduction/rowwise_sum/") + s.name, [=](benchmark::State& state) {
    const matrix m = random_matrix(0, s.rows, s.cols);
    matrix result(s.rows, 1);
    const double bytes = 8.0 * static_cast<double>(s.size() + s.rows);
    const const_matrix_map x(random_values(0, s.size()), s.rows, s.cols);
    Eigen::VectorXd host(s.rows);
    comparison all;
    all.add("fused", runs_on::device, [&] { result = rowwise_sum(m); });
    all.add("read", runs_on::device, read_ceiling(bytes));
    all.add("eigen", runs_on::host, [&] { host = x.rowwise().sum(); });
    all.add("eigen_openmp", runs_on::host_threads,
            [&] { split_rowwise(x, host, [](const auto& part) { return part.rowwise().sum(); }); });
    all.measure();
    finish_case(state, all, bytes, from_matrix_cl(result), host);
  });
}

void add_colwise(const shape& s) {
  add_case(std::string("reduction/colwise_sum/") + s.name, [=](benchmark::State& state) {
    const matrix m = random_matrix(0, s.rows, s.cols);
    matrix result(1, s.cols);
    const double bytes = 8.0 * static_cast<double>(s.size() + s.cols);
    const const_matrix_map x(random_values(0, s.size()), s.rows, s.cols);
    Eigen::RowVectorXd host(s.cols);
    comparison all;
    all.add("fused", runs_on::device, [&] { result = colwise_sum(m); });
    all.add("read", runs_on::device, read_ceiling(bytes));
    all.add("eigen", runs_on::host, [&] { host = x.colwise().sum(); });
    all.add("eigen_openmp", runs_on::host_threads, [&] {
      split(s.cols, [&](std::int64_t begin, std::int64_t length, std::int64_t) {
        host.segment(begin, length) = x.middleCols(begin, length).colwise().sum();
      });
    });
    all.measure();
    finish_case(state, all, bytes, from_matrix_cl(result), host);
  });
}

}  // namespace

void register_cases() {
  static constexpr shape large[] = {
      {"square_1e8", 10000, 10000}, {"tall_1e8", 1000000, 100}, {"wide_1e8", 100, 1000000}};
  static constexpr shape middle[] = {
      {"square_1e7", 3125, 3200}, {"tall_1e7", 100000, 100}, {"wide_1e7", 100, 100000}};
  static constexpr shape small[] = {
      {"square_1e6", 1000, 1000}, {"tall_1e6", 10000, 100}, {"wide_1e6", 100, 10000}};
  const std::vector<std::int64_t> fitting = sizes(8 * 4);
  const auto add = [&](const auto& shapes) {
    for (const shape& s : shapes) {
      if (s.size() > fitting.back()) continue;
      add_sum(s);
      add_sum_of_expression(s);
      add_rowwise(s);
      add_colwise(s);
    }
  };
  add(small);
  add(middle);
  add(large);
}

}  // namespace fusecl::bench
