// Written out, so that it can be read off that they are right.

#include "models.hpp"

namespace sampling_test {

gaussian::gaussian(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance)
    : mean_(mean), precision_(covariance.inverse()) {}

int gaussian::dimension() const { return static_cast<int>(mean_.size()); }

std::vector<std::string> gaussian::names() const {
  std::vector<std::string> result;
  for (int i = 1; i <= dimension(); ++i) result.push_back("x." + std::to_string(i));
  return result;
}

std::vector<double> gaussian::written(const Eigen::VectorXd& position) const {
  return {position.begin(), position.end()};
}

void gaussian::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                        Eigen::MatrixXd& gradients) {
  for (Eigen::Index j = 0; j < positions.cols(); ++j) {
    const Eigen::VectorXd centred = positions.col(j) - mean_;
    gradients.col(j) = -(precision_ * centred);
    values[j] = 0.5 * centred.dot(gradients.col(j));
  }
}

}  // namespace sampling_test
