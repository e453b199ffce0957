// Measures the three ways in turn, so that a disturbance of the machine meets all of them alike.

#include "comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "other_ways.hpp"

namespace example {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void check_agreement(const density& a, const density& b) {
  const double scale = std::max(1.0, std::abs(a.value));
  const double difference =
      std::max(std::abs(a.value - b.value), (a.gradient - b.gradient).cwiseAbs().maxCoeff());
  if (!(difference <= 1e-9 * scale))
    throw std::runtime_error("two ways to evaluate the log density disagree");
}

}  // namespace

comparison compare_ways(const Eigen::MatrixXd& design, const Eigen::VectorXd& classes, double prior_scale,
                        std::int64_t rows, const Eigen::VectorXd& coefficients, int rounds) {
  const Eigen::Index copies = std::max<Eigen::Index>(1, rows / design.rows());
  const Eigen::MatrixXd tall_design = design.replicate(copies, 1);
  const Eigen::VectorXd tall_classes = classes.replicate(copies, 1);
  const fusecl::matrix_cl<double> on_device(tall_design);

  posterior fused(on_device, tall_classes, prior_scale);
  stepwise_posterior stepwise(on_device, tall_classes, prior_scale);
  eigen_posterior eigen(tall_design, tall_classes, prior_scale);

  comparison result{tall_design.rows(),
                    {{"fused", 0, 0}, {"operation by operation", 0, 0}, {"Eigen, one thread", 0, 0}}};
  std::vector<double> times[3];
  const auto measure = [&](std::size_t way, int round, auto& model) {
    const std::uint64_t launches = fusecl::runtime_counters().launches;
    const double start = seconds_now();
    const density found = model.evaluate(coefficients);
    const double elapsed = seconds_now() - start;
    if (round == 0) {  // warms up
      result.ways[way].launches = fusecl::runtime_counters().launches - launches;
      check_agreement(eigen.evaluate(coefficients), found);
    } else {
      times[way].push_back(elapsed);
    }
  };
  for (int round = 0; round <= rounds; ++round) {
    measure(0, round, fused);
    measure(1, round, stepwise);
    measure(2, round, eigen);
  }
  for (std::size_t way = 0; way < result.ways.size(); ++way) result.ways[way].seconds = median(times[way]);
  return result;
}

void print_comparisons(const std::vector<comparison>& comparisons) {
  std::printf("\n%10s  %-24s %8s %12s %10s\n", "rows", "log density + gradient", "launches", "median",
              "fused is");
  for (const comparison& sized : comparisons) {
    for (const measurement& way : sized.ways) {
      const bool on_device = way.launches > 0;
      std::printf("%10lld  %-24s %8s %9.3f ms", static_cast<long long>(sized.rows), way.way,
                  on_device ? std::to_string(way.launches).c_str() : "-", way.seconds * 1e3);
      if (&way != &sized.ways.front())
        std::printf(" %6.2f x as fast", way.seconds / sized.ways.front().seconds);
      std::printf("\n");
    }
  }
}

}  // namespace example
