// One statement for all chains.

#include "posterior.hpp"

#include <cmath>

namespace example {

hierarchical_posterior::hierarchical_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXi& group,
                                               int groups, const Eigen::VectorXd& counts, int columns)
    : design_(design), counts_(counts), group_(group), groups_(groups), columns_(columns) {
  check_cl("hierarchical_posterior", "group", group_, "a group") = group_ >= 0 && group_ < groups;
  check_cl("hierarchical_posterior", "counts", counts_, "nonnegative") = counts_ >= 0.0;
}

auto hierarchical_posterior::density() const {
  return
      [this](int j) { return hierarchical_log_density(counts_, design_, group_, columns_.positions(), j); };
}

std::vector<std::string> hierarchical_posterior::names() const {
  std::vector<std::string> result{"mu", "tau"};
  for (int j = 1; j <= groups_; ++j) result.push_back("alpha." + std::to_string(j));
  for (Eigen::Index j = 1; j <= design_.cols(); ++j) result.push_back("beta." + std::to_string(j));
  return result;
}

std::vector<double> hierarchical_posterior::written(const Eigen::VectorXd& position) const {
  std::vector<double> result{position[0], std::exp(position[1])};
  for (const double alpha : position.tail(groups_)) result.push_back(alpha);
  for (const double beta : position.segment(2, design_.cols())) result.push_back(beta);
  return result;
}

void hierarchical_posterior::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                                      Eigen::MatrixXd& gradients) {
  columns_.evaluate(positions, values, gradients, density());
}

std::string hierarchical_posterior::kernels() const { return columns_.kernels(density()); }

}  // namespace example
