#pragma once
// The paper's logistic regression on the host with Eigen, derivatives by hand: what the device's is tested
// and timed against.

#include "../sampling/model.hpp"

namespace example {

/// y(i) ~ Bernoulli(inv_logit(row i of X beta + alpha)), flat priors. Positions are beta, then alpha. All
/// chains of an evaluation share two products of matrices.
class logistic_on_host : public sampling::model {
 public:
  /// `y` holds 0 and 1, one for each row of `x`.
  logistic_on_host(Eigen::MatrixXd x, Eigen::VectorXd y) : x_(std::move(x)), y_(std::move(y)) {}

  int dimension() const override { return static_cast<int>(x_.cols()) + 1; }
  std::vector<std::string> names() const override;
  std::vector<double> written(const Eigen::VectorXd& position) const override {
    return {position.begin(), position.end()};
  }
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override;

 private:
  Eigen::MatrixXd x_;
  Eigen::VectorXd y_;
  Eigen::MatrixXd eta_;
};

}  // namespace example
