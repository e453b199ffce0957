// Products for all chains, the rest chain by chain.

#include "logistic_on_host.hpp"

namespace example {

std::vector<std::string> logistic_on_host::names() const {
  std::vector<std::string> all{"alpha"};
  sampling::append_numbered(all, "beta", x_.cols());
  return all;
}

void logistic_on_host::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                                Eigen::MatrixXd& gradients) {
  const Eigen::Index k = x_.cols();
  eta_.noalias() = x_ * positions.bottomRows(k);
  eta_.rowwise() += positions.row(0);
  for (Eigen::Index chain = 0; chain < positions.cols(); ++chain) {
    auto eta = eta_.col(chain).array();
    values[chain] = (y_.array() * eta - eta.max(0.0) - (-eta.abs()).exp().log1p()).sum() -
                    0.5 * prior_precision_ * positions.col(chain).squaredNorm();
    eta = y_.array() - (1 + (-eta).exp()).inverse();  // what remains of the outcomes
    gradients(0, chain) = eta.sum();
  }
  gradients.bottomRows(k).noalias() = x_.transpose() * eta_;
  gradients -= prior_precision_ * positions;
}

}  // namespace example
