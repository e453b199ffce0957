// The sampler on densities whose moments are known.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "models.hpp"
#include "sampling/adaptation.hpp"
#include "sampling/runner.hpp"

namespace {

using sampling::run;
using sampling::run_result;
using sampling::settings;
using sampling_test::gaussian;

settings quick(int draws = 1000) {
  settings chosen;
  chosen.warmup = 500;
  chosen.draws = draws;
  chosen.seed = 20'260'001;
  return chosen;
}

/// Means and variances of all chains' draws are within `errors` standard errors of the true ones, taking
/// `effective` draws for independent.
void expect_moments(const run_result& found, const Eigen::VectorXd& mean, const Eigen::VectorXd& variance,
                    double effective, double errors = 4.5) {
  Eigen::MatrixXd all(mean.size(), 0);
  for (const auto& chain : found.chains) {
    const Eigen::Index before = all.cols();
    all.conservativeResize(mean.size(), before + chain.values.cols());
    all.rightCols(chain.values.cols()) = chain.values;
  }
  for (Eigen::Index i = 0; i < mean.size(); ++i) {
    const double found_mean = all.row(i).mean();
    const double found_variance = (all.row(i).array() - found_mean).square().mean();
    EXPECT_NEAR(found_mean, mean[i], errors * std::sqrt(variance[i] / effective)) << "of " << i;
    EXPECT_NEAR(found_variance / variance[i], 1, errors * std::sqrt(2 / effective)) << "of " << i;
  }
}

TEST(Sampler, HasTheMomentsOfIndependentNormals) {
  const Eigen::VectorXd mean = Eigen::VectorXd::LinSpaced(5, -2, 2);
  gaussian model(mean, Eigen::MatrixXd::Identity(5, 5));
  expect_moments(run(model, quick()), mean, Eigen::VectorXd::Ones(5), 2000);
}

TEST(Sampler, HasTheMomentsOfCorrelatedNormals) {
  Eigen::MatrixXd covariance(2, 2);
  covariance << 1, 0.95, 0.95, 1;
  const Eigen::VectorXd mean = Eigen::Vector2d(1, -1);
  gaussian model(mean, covariance);
  const run_result found = run(model, quick(2000));
  expect_moments(found, mean, covariance.diagonal(), 1500);
  const Eigen::MatrixXd& x = found.chains[0].values;
  const Eigen::MatrixXd centred = x.colwise() - x.rowwise().mean();
  const Eigen::MatrixXd sample = centred * centred.transpose() / static_cast<double>(x.cols());
  EXPECT_NEAR(sample(0, 1) / std::sqrt(sample(0, 0) * sample(1, 1)), 0.95, 0.02);
}

TEST(Sampler, LearnsScalesThatDifferByTenThousand) {
  const Eigen::VectorXd variance = Eigen::Vector4d(1e-4, 1e-2, 1, 1e4);
  gaussian model(Eigen::VectorXd::Zero(4), variance.asDiagonal().toDenseMatrix());
  settings chosen = quick();
  chosen.warmup = 1000;
  const run_result found = run(model, chosen);
  expect_moments(found, Eigen::VectorXd::Zero(4), variance, 2000);
  for (const auto& chain : found.chains) {
    EXPECT_EQ(chain.divergent, 0);
    for (Eigen::Index i = 0; i < 4; ++i)
      EXPECT_NEAR(std::log(chain.inverse_metric[i] / variance[i]), 0, 0.8) << i;
    for (const auto& draw : chain.draws) EXPECT_LE(draw.depth, 5);  // the metric made it round
  }
}

TEST(Sampler, AcceptsMoreTheMoreItWasToldTo) {
  gaussian model(Eigen::VectorXd::Zero(20), Eigen::MatrixXd::Identity(20, 20));
  for (const double delta : {0.6, 0.8, 0.95}) {
    settings chosen = quick();
    chosen.delta = delta;
    double accept = 0, count = 0;
    for (const auto& chain : run(model, chosen).chains)
      for (const auto& draw : chain.draws) accept += draw.accept_stat, ++count;
    // above its target: acceptance is not linear in the logarithm of the step size, which is what is averaged
    EXPECT_GT(accept / count, delta - 0.02);
    EXPECT_LT(accept / count, delta + 0.4 * (1 - delta));
  }
}

TEST(DualAveraging, FindsTheStepSizeOfAnAcceptanceThatItKnows) {
  sampling::dual_averaging adapted(0.8);
  double step = 3;
  adapted.restart(step);
  for (int i = 0; i < 2000; ++i) step = adapted.learn(std::exp(-step));
  // its pull towards ten times the first step fades as 1 / sqrt(iterations)
  EXPECT_NEAR(step, -std::log(0.8), 0.01);
  EXPECT_NEAR(adapted.averaged(), -std::log(0.8), 0.01);
}

std::vector<int> ends_of_windows(int warmup) {
  sampling::variance_windows windows(1, warmup);
  std::vector<int> ends;
  for (int i = 0; i < warmup; ++i)
    if (windows.learn(Eigen::VectorXd::Zero(1))) ends.push_back(i + 1);
  return ends;
}

TEST(VarianceWindows, AreThoseOfStan) {
  // 1000 as in the Stan reference manual, section on adaptation: 75, then 25, 50, 100, 200, 500, then 50
  EXPECT_EQ(ends_of_windows(1000), (std::vector<int>{100, 150, 250, 450, 950}));
  EXPECT_EQ(ends_of_windows(500), (std::vector<int>{100, 150, 250, 450}));
  EXPECT_EQ(ends_of_windows(150), (std::vector<int>{100}));
  EXPECT_EQ(ends_of_windows(100), (std::vector<int>{90}));
  EXPECT_EQ(ends_of_windows(19), std::vector<int>{});
  EXPECT_EQ(ends_of_windows(0), std::vector<int>{});
}

TEST(VarianceWindows, OfOnePositionKeepWhatWasLearned) {
  sampling::variance_windows windows(2, 151);  // the last one is iteration 100 alone
  Eigen::VectorXd learned;
  for (int iteration = 0; iteration < 151; ++iteration) {
    const double sign = iteration % 2 == 0 ? 1 : -1;
    if (!windows.learn(Eigen::Vector2d(sign, 100 * sign))) continue;
    if (iteration == 100)
      EXPECT_TRUE(windows.variances().isApprox(
          (learned.array() / 6 + 1e-3 * 5 / 6).matrix()));  // one position of six
    else
      learned = windows.variances();
  }
  EXPECT_GT(windows.variances()[1], 1000 * windows.variances()[0]);
}

TEST(VarianceWindows, DrawVariancesTowardsAThousandth) {
  sampling::variance_windows windows(1, 20);  // one window: iterations 3 to 17
  double sum = 0;
  for (int i = 0; i < 18; ++i)
    if (windows.learn(Eigen::VectorXd::Constant(1, i < 3 ? 1e9 : i % 3))) sum = windows.variances()[0];
  // 15 positions 0, 1, 2, ...: sample variance 10 / 14
  EXPECT_NEAR(sum, 15.0 / 20 * (10.0 / 14) + 5.0 / 20 * 1e-3, 1e-14);
}

TEST(Sampler, NeverGoesDeeperThanAllowed) {
  const Eigen::VectorXd variance = Eigen::Vector2d(1e-8, 1);
  gaussian model(Eigen::VectorXd::Zero(2), variance.asDiagonal().toDenseMatrix());
  settings chosen = quick(50);
  chosen.warmup = 0;
  chosen.depth = 3;
  const run_result found = run(model, chosen);
  for (const auto& chain : found.chains) {
    EXPECT_GT(chain.too_deep, 10);
    for (const auto& draw : chain.draws) EXPECT_LE(draw.leapfrogs, 7);
  }
}

TEST(Sampler, KeepsEveryThirdDrawAndNothingElse) {
  gaussian model(Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Identity(1, 1));
  settings all = quick(10), thinned = all;
  thinned.thin = 3;
  const run_result every = run(model, all), third = run(model, thinned);
  for (std::size_t chain = 0; chain < every.chains.size(); ++chain) {
    ASSERT_EQ(third.chains[chain].values.cols(), 4);
    EXPECT_TRUE(third.complete());
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(third.chains[chain].values(0, i), every.chains[chain].values(0, 3 * i));
  }
}

TEST(Sampler, RefusesSettingsThatMakeNoSense) {
  gaussian model(Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Identity(1, 1));
  const auto refuses = [&](auto change, const std::string& message) {
    settings chosen;
    change(chosen);
    try {
      run(model, chosen);
      ADD_FAILURE() << message;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(e.what(), "sampling: " + message);
    }
  };
  refuses([](settings& s) { s.chains = 0; }, "chains must be at least 1, but is 0");
  refuses([](settings& s) { s.warmup = -1; }, "warmup must be at least 0, but is -1");
  refuses([](settings& s) { s.draws = 0; }, "draws must be at least 1, but is 0");
  refuses([](settings& s) { s.thin = 0; }, "thin must be at least 1, but is 0");
  refuses([](settings& s) { s.delta = 1; }, "delta must be between 0 and 1, but is 1.000000");
  refuses([](settings& s) { s.depth = 21; }, "depth must be from 1 to 20, but is 21");
  refuses([](settings& s) { s.radius = -1; }, "radius must be at least 0, but is -1.000000");
}

TEST(RandomSource, IsThatOfTheStandardAndUnrelatedBetweenChains) {
  // 10000 standard normals: moments within 4.5 standard errors
  sampling::random_source one(3, 0), same(3, 0), other(3, 1);
  double sum = 0, squares = 0, product = 0;
  for (int i = 0; i < 10000; ++i) {
    const double a = one.normal(), b = other.normal();
    ASSERT_EQ(a, same.normal());
    sum += a;
    squares += a * a;
    product += a * b;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.045);
  EXPECT_NEAR(squares / 10000, 1, 0.064);
  EXPECT_NEAR(product / 10000, 0, 0.045);
}

}  // namespace
