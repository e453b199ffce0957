#pragma once
// The same processes on the host with Eigen and derivatives by hand: what the device's are tested and timed
// against.

#include "gaussian_process.hpp"

namespace example {

/// The log likelihood by a Cholesky factor, its gradient by the inverse of the covariance S: with
/// G = (a a' - inverse(S)) / 2, a = inverse(S) y, the derivative by a hyper-parameter is the sum of the
/// elements of G times those of the derivative of S (Rasmussen and Williams 2006, equation 5.9).
class process_on_host : public gaussian_process {
 public:
  process_on_host(std::vector<hyper_parameter> parameters, Eigen::VectorXd x, Eigen::VectorXd y)
      : gaussian_process(std::move(parameters)), x_(std::move(x)), y_(std::move(y)) {}

 protected:
  double likelihood(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient) override;

  /// Covariances at distances `d`.
  virtual Eigen::ArrayXd covariance(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d) const = 0;
  /// Adds the sums of `weights` times the derivatives of these covariances by each hyper-parameter.
  virtual void add_derivatives(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d,
                               const Eigen::ArrayXd& weights, Eigen::VectorXd& gradient) const = 0;

 private:
  Eigen::VectorXd x_, y_;
};

/// See smooth_function and carbon_dioxide in processes.hpp.
class smooth_function_on_host : public process_on_host {
 public:
  smooth_function_on_host(Eigen::VectorXd x, Eigen::VectorXd y);

 protected:
  Eigen::ArrayXd covariance(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d) const override;
  void add_derivatives(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d, const Eigen::ArrayXd& weights,
                       Eigen::VectorXd& gradient) const override;
};

class carbon_dioxide_on_host : public process_on_host {
 public:
  carbon_dioxide_on_host(Eigen::VectorXd x, Eigen::VectorXd y);

 protected:
  Eigen::ArrayXd covariance(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d) const override;
  void add_derivatives(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d, const Eigen::ArrayXd& weights,
                       Eigen::VectorXd& gradient) const override;
};

}  // namespace example
