// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman, 2018): where parameters come
// from the prior and data from the parameters, ranks of the parameters among posterior draws are uniform.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "sampling/random.hpp"
#include "sampling/runner.hpp"

namespace {

using sampling::random_source;

/// mu ~ normal(0, 1), log_sigma ~ normal(0, 0.5), y_i ~ normal(mu, exp(log_sigma)): correlated scales,
/// curved.
class normal_model : public sampling::model {
 public:
  explicit normal_model(std::vector<double> data) : data_(std::move(data)) {}

  int dimension() const override { return 2; }
  std::vector<std::string> names() const override { return {"mu", "log_sigma"}; }
  std::vector<double> written(const Eigen::VectorXd& at) const override { return {at[0], at[1]}; }
  void evaluate(const Eigen::MatrixXd& at, Eigen::VectorXd& values, Eigen::MatrixXd& gradients) override {
    for (Eigen::Index j = 0; j < at.cols(); ++j) {
      const double mu = at(0, j), log_sigma = at(1, j), precision = std::exp(-2 * log_sigma);
      double sum = 0, squares = 0;
      for (const double y : data_) {
        sum += y - mu;
        squares += (y - mu) * (y - mu);
      }
      const auto count = static_cast<double>(data_.size());
      values[j] = -0.5 * mu * mu - 2 * log_sigma * log_sigma - count * log_sigma - 0.5 * precision * squares;
      gradients(0, j) = -mu + precision * sum;
      gradients(1, j) = -4 * log_sigma - count + precision * squares;
    }
  }

 private:
  std::vector<double> data_;
};

TEST(Sampler, GivesUniformRanksOfWhatMadeTheData) {
  constexpr int simulations = 1600, draws = 63, bins = 16;
  Eigen::MatrixXd counts = Eigen::MatrixXd::Zero(bins, 2);
  random_source random(314, 1);
  for (int simulation = 0; simulation < simulations; ++simulation) {
    // given
    const double truth[] = {random.normal(), 0.5 * random.normal()};
    std::vector<double> data(5);
    for (double& y : data) y = truth[0] + std::exp(truth[1]) * random.normal();
    // when: thinned until draws are nearly independent
    normal_model model(data);
    sampling::settings chosen;
    chosen.chains = 1;
    chosen.warmup = 150;
    chosen.thin = 4;
    chosen.draws = draws * chosen.thin;
    chosen.delta = 0.6;
    chosen.seed = 1000 + static_cast<std::uint64_t>(simulation);
    const auto found = sampling::run(model, chosen).chains[0];
    // then
    for (int i = 0; i < 2; ++i) {
      const auto rank = (found.values.row(i).array() < truth[i]).count();
      ++counts(rank * bins / (draws + 1), i);
    }
  }
  // 99.9 % point of a chi-square with 15 degrees of freedom; draws that ignore the states' weights have 358
  // and 674
  constexpr double expected = static_cast<double>(simulations) / bins, critical = 37.7;
  for (int i = 0; i < 2; ++i)
    EXPECT_LT((counts.col(i).array() - expected).square().sum() / expected, critical)
        << counts.col(i).transpose();
}

}  // namespace
