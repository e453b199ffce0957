// Posteriors of the Gaussian processes against those of an independent sampler, and host models against the
// device.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>
#include <support/operands.hpp>

#include <primitives/primitives.hpp>

#include "common/logistic_on_host.hpp"
#include "sample_gaussian_process/data.hpp"
#include "sample_gaussian_process/on_host.hpp"
#include "sample_gaussian_process/processes.hpp"
#include "sampling/runner.hpp"

namespace {

/// A mean or a standard deviation with its standard error.
struct estimate {
  double value, error;
};
struct posterior {
  estimate mean, sd;
};

/// Written by examples/data/gaussian_process_reference.py.
std::map<std::string, posterior> read_reference(const std::string& name) {
  std::ifstream in(FUSECL_EXAMPLE_DATA_DIR "/" + name);
  std::map<std::string, posterior> all;
  std::string line;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream fields(line);
    std::string quantity;
    std::getline(fields, quantity, ',');
    posterior p{};
    char comma = 0;
    fields >> p.mean.value >> comma >> p.mean.error >> comma >> p.sd.value >> comma >> p.sd.error;
    EXPECT_FALSE(fields.fail()) << line;
    all[quantity] = p;
  }
  return all;
}

/// The mean of a column a chain, its error from the means of batches.
estimate mean_of(const Eigen::MatrixXd& draws) {
  constexpr Eigen::Index batches = 10;
  const Eigen::Index length = draws.rows() / batches;
  Eigen::ArrayXd means(batches * draws.cols());
  for (Eigen::Index c = 0; c < draws.cols(); ++c)
    for (Eigen::Index b = 0; b < batches; ++b)
      means[c * batches + b] = draws.col(c).segment(b * length, length).mean();
  const auto count = static_cast<double>(means.size());
  return {draws.mean(), std::sqrt((means - means.mean()).square().sum() / (count - 1) / count)};
}

posterior posterior_of(const Eigen::MatrixXd& draws) {
  const estimate mean = mean_of(draws);
  const estimate variance = mean_of((draws.array() - mean.value).square());
  const double sd = std::sqrt(variance.value);
  return {mean, {sd, variance.error / (2 * sd)}};
}

/// Within five standard errors of both; batch means of short chains tell too small ones, which `slack`
/// covers.
void expect_near(const estimate& found, const estimate& wanted, double slack) {
  EXPECT_NEAR(found.value, wanted.value, 5 * slack * std::hypot(found.error, wanted.error));
}

/// The chains but those that are in a lesser mode, whose density is far below that of the others: a chain
/// that started near one may stay there for as long as a short run takes (one of fourteen here).
std::vector<sampling::chain_result> in_the_main_mode(const sampling::run_result& run) {
  const auto mean_log_density = [](const sampling::chain_result& chain) {
    double sum = 0;
    for (const sampling::statistics& draw : chain.draws) sum += draw.log_density;
    return sum / static_cast<double>(chain.draws.size());
  };
  double highest = mean_log_density(run.chains[0]);
  for (const sampling::chain_result& chain : run.chains) highest = std::max(highest, mean_log_density(chain));
  std::vector<sampling::chain_result> there;
  for (const sampling::chain_result& chain : run.chains)
    if (mean_log_density(chain) > highest - 5) there.push_back(chain);
  EXPECT_GE(there.size() + 1, run.chains.size());
  return there;
}

void expect_posterior(sampling::model& sampled, int warmup, int draws, const std::string& reference,
                      double slack) {
  sampling::settings chosen;
  chosen.warmup = warmup;
  chosen.draws = draws;
  chosen.seed = 3;
  const sampling::run_result found = sampling::run(sampled, chosen);
  found.rethrow_failure();
  const auto wanted = read_reference(reference);
  const std::vector<std::string> names = sampled.names();
  ASSERT_EQ(names.size(), wanted.size());
  const std::vector<sampling::chain_result> chains = in_the_main_mode(found);
  for (std::size_t k = 0; k < names.size(); ++k) {
    SCOPED_TRACE(names[k]);
    Eigen::MatrixXd columns(draws, static_cast<Eigen::Index>(chains.size()));
    for (std::size_t c = 0; c < chains.size(); ++c)
      columns.col(static_cast<Eigen::Index>(c)) = chains[c].values.row(static_cast<Eigen::Index>(k));
    const posterior own = posterior_of(columns);
    expect_near(own.mean, wanted.at(names[k]).mean, slack);
    expect_near(own.sd, wanted.at(names[k]).sd, slack);
  }
}

example::process_on_device<example::smooth_function> regression() {
  const example::series data = example::read_series(FUSECL_EXAMPLE_DATA_DIR "/gaussian_process.csv");
  return {data.x, data.y};
}

TEST(ShortRun, OfTheRegressionHasThePosteriorOfAnotherSampler) {
  auto process = regression();
  expect_posterior(process, 200, 250, "gaussian_process_reference.csv", 1.2);
}

TEST(LongRun, OfTheRegressionHasThePosteriorOfAnotherSampler) {
  auto process = regression();
  expect_posterior(process, 1000, 4000, "gaussian_process_reference.csv", 1);
}

TEST(LongRun, OfCarbonDioxideHasThePosteriorOfAnotherSampler) {
  const example::monthly_means air = example::read_carbon_dioxide(FUSECL_EXAMPLE_DATA_DIR "/co2.csv", 5);
  example::process_on_device<example::carbon_dioxide> process(air.data.x, air.data.y);
  expect_posterior(process, 1000, 2000, "co2_reference.csv", 1.1);
}

TEST(LogisticOnHost, EqualsTheRegressionOfTheLibrary) {
  for (const Eigen::Index n : {1, 7, 200}) {
    const Eigen::MatrixXd x = fusecl::test::random_host<double>(n, 3, -2, 2);
    const Eigen::VectorXd y = fusecl::test::random_host<int>(n, 1, 0, 1).cast<double>();
    const double scale_of_prior = n == 7 ? 0 : 2.5;
    example::logistic_on_host model(x, y, scale_of_prior);
    EXPECT_EQ(model.names(), (std::vector<std::string>{"alpha", "beta.1", "beta.2", "beta.3"}));
    const Eigen::MatrixXd positions = fusecl::test::random_host<double>(4, 5);
    Eigen::VectorXd values(5);
    Eigen::MatrixXd gradients(4, 5);
    model.evaluate(positions, values, gradients);
    const fusecl::matrix_cl<double> x_cl(x);
    const fusecl::matrix_cl<int> y_cl(y.cast<int>().eval());
    for (Eigen::Index c = 0; c < 5; ++c) {
      const fusecl::nested_rev_autodiff nested;
      const fusecl::var_value<fusecl::matrix_cl<double>> beta(positions.col(c).tail(3).eval());
      const fusecl::var alpha = positions(0, c);
      fusecl::var density = fusecl::bernoulli_logit_glm_lpmf(y_cl, x_cl, alpha, beta);
      if (scale_of_prior > 0)
        density += fusecl::normal_lpdf<true>(beta, 0.0, scale_of_prior) +
                   fusecl::normal_lpdf<true>(alpha, 0.0, scale_of_prior);
      density.grad();
      EXPECT_NEAR(values[c], density.val(), 1e-11 * std::fabs(values[c]));
      const double scale = 1 + gradients.col(c).norm();
      EXPECT_LE((fusecl::from_matrix_cl(beta.adj()) - gradients.col(c).tail(3)).norm(), 1e-11 * scale);
      EXPECT_NEAR(alpha.adj(), gradients(0, c), 1e-11 * scale);
    }
  }
}

}  // namespace
