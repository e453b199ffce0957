// What is written, and the one statement for all chains.

#include "posterior.hpp"

#include <cmath>

namespace example {

hierarchical_posterior::hierarchical_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXi& group,
                                               int groups, const Eigen::VectorXd& counts)
    : x_(design), y_(counts), group_(group), groups_(groups) {
  check_cl("hierarchical_posterior", "group", group_, "a group") = group_ >= 0 && group_ < groups;
  check_cl("hierarchical_posterior", "counts", y_, "nonnegative") = y_ >= 0.0;
}

std::vector<std::string> hierarchical_posterior::names() const {
  std::vector<std::string> result{"mu", "tau"};
  sampling::append_numbered(result, "alpha", groups_);
  sampling::append_numbered(result, "beta", x_.cols());
  return result;
}

std::vector<double> hierarchical_posterior::written(const Eigen::VectorXd& position) const {
  std::vector<double> result{position[0], std::exp(position[1])};
  for (const double alpha : position.tail(groups_)) result.push_back(alpha);
  for (const double beta : position.segment(2, x_.cols())) result.push_back(beta);
  return result;
}

}  // namespace example

template class sampling::device_model<example::hierarchical_posterior>;
