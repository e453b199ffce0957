// One statement for all chains; its kernel goes through tiles of rows, so that x is read once.

#include "posterior.hpp"

namespace example {

logistic_posterior::logistic_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXd& outcomes,
                                       double prior_scale, int columns)
    : design_(design),
      outcomes_(outcomes),
      prior_precision_(prior_scale > 0 ? 1 / (prior_scale * prior_scale) : 0),
      columns_(columns) {
  check_cl("logistic_posterior", "outcomes", outcomes_, "0 or 1") = outcomes_ == 0.0 || outcomes_ == 1.0;
}

auto logistic_posterior::density() const {
  return [this](int j) {
    return logistic_log_density(outcomes_, design_, columns_.positions(), j, prior_precision_);
  };
}

std::vector<std::string> logistic_posterior::names() const {
  std::vector<std::string> result{"alpha"};
  for (int j = 1; j < dimension(); ++j) result.push_back("beta." + std::to_string(j));
  return result;
}

std::vector<double> logistic_posterior::written(const Eigen::VectorXd& position) const {
  return {position.begin(), position.end()};
}

void logistic_posterior::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                                  Eigen::MatrixXd& gradients) {
  columns_.evaluate(positions, values, gradients, density());
}

std::string logistic_posterior::kernels() const { return columns_.kernels(density()); }

}  // namespace example
