// A transition leaves the density as it is: of independent draws from it, each moved once, the distribution
// is the same. The moved draws are independent, too, so that a chi-square test of it holds exactly.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <ostream>

#include <gtest/gtest.h>

#include "sampling/nuts.hpp"

namespace {

using sampling::state;

/// Independent normals of which the second has this standard deviation.
constexpr double second = 0.3;

double log_density(const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
  gradient = Eigen::Vector2d(-at[0], -at[1] / (second * second));
  return 0.5 * at.dot(gradient);
}

/// In which of equally probable bins the elements and the distance from the centre are.
constexpr int bins = 20;
std::array<int, 3> bins_of(const Eigen::VectorXd& at) {
  const double x = at[0], y = at[1] / second;
  const auto bin = [](double probability) {
    return std::min(bins - 1, static_cast<int>(probability * bins));
  };
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  return {bin(below(x)), bin(below(y)), bin(1 - std::exp(-0.5 * (x * x + y * y)))};
}

struct steps {
  double size;
  int most_doublings;
};

void PrintTo(const steps& chosen, std::ostream* out) {
  *out << "steps of " << chosen.size << ", at most " << chosen.most_doublings << " doublings";
}

class Transition : public testing::TestWithParam<steps> {};

TEST_P(Transition, LeavesTheDensityAsItIs) {
  constexpr int moves = 100'000;
  const steps chosen = GetParam();
  sampling::random_source random(271828, 1);
  Eigen::MatrixXd counts = Eigen::MatrixXd::Zero(bins, 3);
  for (int k = 0; k < moves; ++k) {
    state start{Eigen::Vector2d(random.normal(), second * random.normal()), Eigen::VectorXd(2), 0};
    start.log_density = log_density(start.position, start.gradient);
    sampling::nuts sampler(log_density, std::move(start), chosen.most_doublings, random);
    sampler.set_step_size(chosen.size);
    sampler.set_inverse_metric(Eigen::Vector2d(1.3, 0.4));
    sampler.move();
    const std::array<int, 3> found = bins_of(sampler.current().position);
    for (int i = 0; i < 3; ++i) ++counts(found[static_cast<std::size_t>(i)], i);
  }
  // 99.9 % point of a chi-square with 19 degrees of freedom; states of a trajectory that are chosen without
  // regard to their weights have thousands
  constexpr double expected = static_cast<double>(moves) / bins, critical = 43.8;
  for (int i = 0; i < 3; ++i)
    EXPECT_LT((counts.col(i).array() - expected).square().sum() / expected, critical)
        << counts.col(i).transpose();
}

// The largest steps are nearly unstable: weights of the states along a trajectory differ most.
INSTANTIATE_TEST_SUITE_P(Steps, Transition,
                         testing::Values(steps{0.15, 10}, steps{0.4, 10}, steps{0.85, 10}, steps{0.4, 2}));

}  // namespace
