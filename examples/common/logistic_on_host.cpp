#include "logistic_on_host.hpp"

namespace example {

std::vector<std::string> logistic_on_host::names() const {
  std::vector<std::string> all;
  for (Eigen::Index j = 0; j < x_.cols(); ++j) all.push_back("beta." + std::to_string(j + 1));
  all.emplace_back("alpha");
  return all;
}

void logistic_on_host::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                                Eigen::MatrixXd& gradients) {
  const Eigen::Index k = x_.cols();
  eta_.noalias() = x_ * positions.topRows(k);
  eta_.rowwise() += positions.row(k);
  for (Eigen::Index chain = 0; chain < positions.cols(); ++chain) {
    auto eta = eta_.col(chain).array();
    values[chain] = (y_.array() * eta - eta.max(0.0) - (-eta.abs()).exp().log1p()).sum();
    eta = y_.array() - (1 + (-eta).exp()).inverse();  // what remains of the outcomes
    gradients(k, chain) = eta.sum();
  }
  gradients.topRows(k).noalias() = x_.transpose() * eta_;
}

}  // namespace example
