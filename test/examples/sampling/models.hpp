#pragma once
// Models with known posteriors, computed on the host.

#include <string>
#include <vector>

#include <Eigen/Dense>

#include "sampling/model.hpp"

namespace sampling_test {

/// A normal density with mean and covariance.
class gaussian : public sampling::model {
 public:
  gaussian(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance);

  int dimension() const override;
  std::vector<std::string> names() const override;
  std::vector<double> written(const Eigen::VectorXd& position) const override;
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override;

 private:
  Eigen::VectorXd mean_;
  Eigen::MatrixXd precision_;
};

}  // namespace sampling_test
