#pragma once
// What the Gaussian processes here share, on the device and on the host: positive hyper-parameters with
// priors, sampled by their logarithms.

#include <string>
#include <vector>

#include "../sampling/model.hpp"

namespace example {

/// The prior of a positive number, as a density of its logarithm: the Jacobian of the transformation is in
/// it, constants are not.
class prior {
 public:
  static prior inverse_gamma(double shape, double scale) { return {family::inverse_gamma, shape, scale}; }
  static prior half_normal(double scale) { return {family::half_normal, scale, 0}; }
  static prior log_normal(double median, double scale);

  /// As in Stan: `inv_gamma(2, 3)`.
  std::string text() const;
  /// Log density at the logarithm `u` of the number.
  double value(double u) const;
  /// Its derivative by `u`.
  double derivative(double u) const;
  /// Where most of a log-normal prior is, as mean and standard deviation of `u`; 0 and 1 of others, whose
  /// numbers are of order one.
  double centre() const { return family_ == family::log_normal ? a_ : 0; }
  double spread() const { return family_ == family::log_normal ? b_ : 1; }

 private:
  enum class family { inverse_gamma, half_normal, log_normal };
  prior(family f, double a, double b) : family_(f), a_(a), b_(b) {}

  family family_;
  double a_, b_;
};

struct hyper_parameter {
  std::string name;
  prior density;
  std::string meaning;
};

/// y ~ multi_normal(0, covariance of the hyper-parameters). Positions are the logarithms of the
/// hyper-parameters, less the centre and over the spread of their priors, so that starts about 0 are
/// sensible.
class gaussian_process : public sampling::model {
 public:
  explicit gaussian_process(std::vector<hyper_parameter> parameters) : parameters_(std::move(parameters)) {}

  int dimension() const override { return static_cast<int>(parameters_.size()); }
  std::vector<std::string> names() const override;
  std::vector<double> written(const Eigen::VectorXd& position) const override;
  /// The position of hyper-parameters.
  Eigen::VectorXd position(const Eigen::VectorXd& theta) const;
  /// One position after the other: factors of several covariances share no work. A position at which the
  /// covariance is not positive definite has log density minus infinity.
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override;

 protected:
  /// Log likelihood, up to a constant, at hyper-parameters `theta`, and its gradient by them. Throws
  /// std::domain_error where the covariance is not positive definite or theta is not positive and finite.
  virtual double likelihood(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient) = 0;

 private:
  /// The hyper-parameters at a position.
  Eigen::VectorXd constrained(const Eigen::VectorXd& position) const;

  std::vector<hyper_parameter> parameters_;
};

}  // namespace example
