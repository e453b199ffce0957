#pragma once
// The same log density and gradient as posterior::evaluate in two other ways, to compare times with.

#include <Eigen/Core>

#include <fusion/fusion.hpp>

#include "posterior.hpp"

namespace example {

/// On the device with every operation a statement of its own, as a library of separate kernels works.
class stepwise_posterior {
 public:
  stepwise_posterior(fusecl::matrix_cl<double> design, const Eigen::VectorXd& classes, double prior_scale);
  density evaluate(const Eigen::VectorXd& coefficients);

 private:
  fusecl::matrix_cl<double> design_, classes_;
  double prior_precision_;
};

/// On the host with Eigen: matrix-vector products and array expressions, one thread.
class eigen_posterior {
 public:
  eigen_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXd& classes, double prior_scale);
  density evaluate(const Eigen::VectorXd& coefficients);

 private:
  const Eigen::MatrixXd& design_;
  const Eigen::VectorXd& classes_;
  double prior_precision_;
  Eigen::VectorXd eta_, residuals_;
};

}  // namespace example
