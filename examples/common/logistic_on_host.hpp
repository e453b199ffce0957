#pragma once
// The paper's logistic regression on the host with Eigen, derivatives by hand: what the device's is tested
// and timed against.

#include "../sampling/model.hpp"

namespace example {

/// y(i) ~ Bernoulli(inv_logit(alpha + row i of X beta)), alpha, beta ~ normal(0, prior scale). Positions are
/// alpha, then beta. All chains of an evaluation share two products of matrices.
class logistic_on_host : public sampling::model {
 public:
  /// `y` holds 0 and 1, one for each row of `x`; a prior scale of 0 stands for flat priors, as in the paper.
  logistic_on_host(Eigen::MatrixXd x, Eigen::VectorXd y, double prior_scale)
      : x_(std::move(x)),
        y_(std::move(y)),
        prior_precision_(prior_scale > 0 ? 1 / (prior_scale * prior_scale) : 0) {}

  int dimension() const override { return static_cast<int>(x_.cols()) + 1; }
  std::vector<std::string> names() const override;
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override;

 private:
  Eigen::MatrixXd x_;
  Eigen::VectorXd y_;
  double prior_precision_;
  Eigen::MatrixXd eta_;
};

}  // namespace example
