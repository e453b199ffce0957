// The models on the device: columns against the host, chains together against alone, what sampling costs.

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fusion/fusion.hpp>
#include <primitives/primitives.hpp>

#include "sample_hierarchical/posterior.hpp"
#include "sample_logistic/posterior.hpp"
#include "sampling/random.hpp"
#include "sampling/runner.hpp"
#include "support/both_forms.hpp"

namespace {

using example::hierarchical_posterior;
using example::logistic_posterior;
using sampling::device_model;

constexpr int rows = 71, features = 3, groups = 5;

struct data_set {
  Eigen::MatrixXd design{rows, features};
  Eigen::VectorXd outcomes{rows}, counts{rows};
  Eigen::VectorXi group{rows};
  data_set() {
    sampling::random_source random(17, 0);
    for (double& element : design.reshaped()) element = random.normal();
    for (Eigen::Index i = 0; i < rows; ++i) {
      outcomes[i] = random.uniform() < 1 / (1 + std::exp(-design(i, 0))) ? 1 : 0;
      counts[i] = std::floor(4 * random.uniform());
      group[i] = static_cast<int>(groups * random.uniform());
    }
  }
};

Eigen::MatrixXd some_positions(int dimension, int columns) {
  sampling::random_source random(23, 0);
  Eigen::MatrixXd result(dimension, columns);
  for (double& element : result.reshaped()) element = 0.5 * random.normal();
  return result;
}

struct evaluated {
  Eigen::VectorXd values;
  Eigen::MatrixXd gradients;
};

evaluated evaluate(sampling::model& model, const Eigen::MatrixXd& positions) {
  evaluated result{Eigen::VectorXd(positions.cols()), Eigen::MatrixXd(positions.rows(), positions.cols())};
  model.evaluate(positions, result.values, result.gradients);
  return result;
}

double logistic_on_host(const data_set& data, const Eigen::VectorXd& at, double prior_precision) {
  double sum = -0.5 * prior_precision * at.squaredNorm();
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double eta = at[0] + data.design.row(i).dot(at.tail(features));
    sum += data.outcomes[i] * eta - std::log1p(std::exp(eta));
  }
  return sum;
}

double hierarchical_on_host(const data_set& data, const Eigen::VectorXd& at) {
  const double mu = at[0], tau = std::exp(at[1]);
  const Eigen::VectorXd beta = at.segment(2, features), alpha = at.tail(groups);
  double sum = -0.5 * (mu * mu + tau * tau + beta.squaredNorm()) + at[1];
  for (const double of_group : alpha) sum += -0.5 * (of_group - mu) * (of_group - mu) / (tau * tau) - at[1];
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double eta = alpha[data.group[i]] + data.design.row(i).dot(beta);
    sum += data.counts[i] * eta - std::exp(eta);
  }
  return sum;
}

/// Values equal those on the host, and gradients their central differences, at 1, 2, 3, 5 and 9 columns: one,
/// some, some padded, and more than one statement has.
template <class Density>
void expect_right(sampling::model& model, const Density& on_host) {
  for (const int columns : {1, 2, 3, 5, 9}) {
    const Eigen::MatrixXd at = some_positions(model.dimension(), columns);
    const evaluated found = evaluate(model, at);
    for (Eigen::Index j = 0; j < columns; ++j) {
      EXPECT_NEAR(found.values[j] / on_host(at.col(j)), 1, 1e-12);
      for (Eigen::Index i = 0; i < at.rows(); ++i) {
        constexpr double step = 1e-4;
        const Eigen::VectorXd change = step * Eigen::VectorXd::Unit(at.rows(), i);
        const double difference = (on_host(at.col(j) + change) - on_host(at.col(j) - change)) / (2 * step);
        EXPECT_NEAR(found.gradients(i, j), difference, 1e-5 * (1 + std::fabs(difference)));
      }
    }
  }
}

TEST(LogisticPosterior, IsTheDensityAndItsGradientInEveryColumn) {
  const data_set data;
  for (const double scale : {0.0, 2.5}) {
    device_model model(logistic_posterior(data.design, data.outcomes, scale), 4);
    expect_right(model, [&](const Eigen::VectorXd& at) {
      return logistic_on_host(data, at, scale > 0 ? 1 / (scale * scale) : 0);
    });
  }
}

TEST(LogisticPosterior, WritesPositionsAsTheyAre) {
  const data_set data;
  const device_model model(logistic_posterior(data.design, data.outcomes, 1), 1);
  const Eigen::VectorXd at = some_positions(1 + features, 1);
  EXPECT_EQ(model.names(), (std::vector<std::string>{"alpha", "beta.1", "beta.2", "beta.3"}));
  EXPECT_EQ(model.dimension(), 4);
  EXPECT_EQ(model.written(at), std::vector<double>(at.begin(), at.end()));
}

TEST(HierarchicalPosterior, IsTheDensityAndItsGradientInEveryColumn) {
  const data_set data;
  device_model model(hierarchical_posterior(data.design, data.group, groups, data.counts), 4);
  expect_right(model, [&](const Eigen::VectorXd& at) { return hierarchical_on_host(data, at); });
}

TEST(HierarchicalPosterior, WritesConstrainedQuantities) {
  const data_set data;
  const device_model model(hierarchical_posterior(data.design, data.group, groups, data.counts), 1);
  Eigen::VectorXd at(2 + features + groups);
  at << 1, std::log(2.0), 10, 20, 30, 0, 1, 2, 3, 4;
  const std::vector<double> found = model.written(at);
  const std::vector<double> expected{1, 2, 0, 1, 2, 3, 4, 10, 20, 30};
  ASSERT_EQ(found.size(), model.names().size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-14) << model.names()[k];
}

TEST(Posteriors, RefuseDataThatMakeNoSense) {
  data_set data;
  data.outcomes[7] = 2;
  EXPECT_THROW(logistic_posterior(data.design, data.outcomes, 1), std::domain_error);
  EXPECT_THROW(hierarchical_posterior(data.design, data.group, groups - 1, data.counts), std::domain_error);
  data.counts[3] = -1;
  EXPECT_THROW(hierarchical_posterior(data.design, data.group, groups, data.counts), std::domain_error);
  EXPECT_THROW(sampling::device_columns(0), std::invalid_argument);
}

/// Results of a column do not depend on its place or on what is asked for beside it, be it far out or no
/// number.
void expect_columns_alone(sampling::model& model) {
  const Eigen::MatrixXd at = some_positions(model.dimension(), 4);
  const evaluated together = evaluate(model, at);
  const evaluated reversed = evaluate(model, at.rowwise().reverse());
  EXPECT_EQ(reversed.values, together.values.reverse());
  EXPECT_EQ(reversed.gradients, together.gradients.rowwise().reverse());
  for (Eigen::Index j = 0; j < 4; ++j) {
    const evaluated alone = evaluate(model, at.col(j));
    EXPECT_EQ(alone.values[0], together.values[j]);
    EXPECT_EQ(alone.gradients.col(0), together.gradients.col(j));
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {1e200, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    Eigen::MatrixXd changed = at;
    changed.col(1).setConstant(bad);
    const evaluated beside = evaluate(model, changed);
    EXPECT_FALSE(std::isfinite(beside.values[1]) && beside.values[1] > -1e150);
    for (const Eigen::Index j : {0, 2, 3}) {
      EXPECT_EQ(beside.values[j], together.values[j]);
      EXPECT_EQ(beside.gradients.col(j), together.gradients.col(j));
    }
  }
}

TEST(Posteriors, GiveAColumnTheSameNumbersAlone) {
  const data_set data;
  fusecl::test::in_both_forms([&] {
    device_model logistic(logistic_posterior(data.design, data.outcomes, 1), 4);
    expect_columns_alone(logistic);
    device_model hierarchical(hierarchical_posterior(data.design, data.group, groups, data.counts), 4);
    expect_columns_alone(hierarchical);
  });
}

TEST(Posteriors, DrawTheSameInOneChainAndInFour) {
  const data_set data;
  sampling::settings chosen;
  chosen.warmup = 60;
  chosen.draws = 40;
  device_model model(logistic_posterior(data.design, data.outcomes, 1), 4);
  const sampling::run_result four = sampling::run(model, chosen);
  chosen.chains = 1;
  const sampling::run_result one = sampling::run(model, chosen);
  EXPECT_EQ(one.chains[0].values, four.chains[0].values);
  EXPECT_GT(four.evaluations.positions, 2 * four.evaluations.evaluations);
}

/// Its likelihood is a number by the time derivatives are taken, as none of its arguments is a variable.
class evaluated_at_once {
 public:
  explicit evaluated_at_once(const Eigen::VectorXd& y) : y_(y) {}
  std::vector<std::string> names() const { return {"mu", "nu"}; }
  template <class Positions>
  auto log_density(const Positions& at, int j) const {
    const auto mu = colwise_broadcast(block(at, 1, j, 1, 1));
    return normal_lpdf(y_, mu + 0.0 * y_, 1.0) - 0.5 * dot_self(col(at, j));
  }

 private:
  fusecl::matrix_cl<double> y_;
};

TEST(Posteriors, AreRefusedWhereAPartOfTheLogDensityHasNoDerivatives) {
  device_model model(evaluated_at_once(Eigen::VectorXd::LinSpaced(9, 1, 8)), 2);
  sampling::settings chosen;
  chosen.chains = 2;
  chosen.warmup = chosen.draws = 10;
  EXPECT_THROW(sampling::run(model, chosen).rethrow_failure(), std::invalid_argument);
}

TEST(Posteriors, AreOneLaunchForAllColumnsButForThePrior) {
  const data_set data;
  std::int64_t launches[2];
  for (const int columns : {1, 4}) {
    device_model model(logistic_posterior(data.design, data.outcomes, 1), columns);
    const Eigen::MatrixXd at = some_positions(model.dimension(), columns);
    evaluate(model, at);
    const fusecl::counters before = fusecl::runtime_counters();
    evaluate(model, at);
    const fusecl::counters cost = fusecl::runtime_counters() - before;
    launches[columns == 4] = cost.launches;
    EXPECT_EQ(cost.host_waits, 1);
  }
  EXPECT_EQ(launches[0], launches[1]);
  EXPECT_LE(launches[1], 2);
}

/// Of this process, on the host.
std::size_t resident_pages() {
  std::size_t mapped = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> mapped >> resident;
  return resident;
}

TEST(Posteriors, BuildNothingAndTakeNoMemoryOnceChainsHaveWarmedUp) {
  const data_set data;
  device_model model(logistic_posterior(data.design, data.outcomes, 1), 4);
  sampling::settings chosen;
  chosen.warmup = 100;
  chosen.draws = 5000;  // 20000 of all chains
  fusecl::pool_counts early{}, late{};
  std::size_t pages_early = 0, pages_late = 0;
  sampling::listeners told;
  told.all_adapted = [&] { fusecl::freeze(); };
  told.drawn = [&](int chain, const sampling::draw& made) {
    // nobody else's statement may be under way, so only one chain looks, and others wait for it at most as
    // long as an evaluation takes
    if (chain == 0 && made.iteration == chosen.warmup + 500) {
      early = fusecl::pool_statistics();
      pages_early = resident_pages();
    }
    if (chain == 0 && made.iteration == chosen.warmup + 4900) {
      late = fusecl::pool_statistics();
      pages_late = resident_pages();
    }
  };
  const sampling::run_result found = sampling::run(model, chosen, told);
  fusecl::unfreeze();
  EXPECT_TRUE(found.complete());
  EXPECT_NO_THROW(found.rethrow_failure());
  EXPECT_EQ(late.buffers_created, early.buffers_created);
  EXPECT_EQ(late.peak_bytes_in_use, early.peak_bytes_in_use);
  EXPECT_LE(late.bytes_in_use + late.bytes_free, early.bytes_in_use + early.bytes_free);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // 100 bytes that each of some 30000 evaluations left would be more
  EXPECT_LE(pages_late, pages_early + 512) << "pages on the host";
#endif
}

}  // namespace
