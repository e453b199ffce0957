#pragma once
// The model: a regression whose errors have a Student-t distribution, so that outliers count less.
//
//   outcome i ~ student_t(nu, intercept + standardised features of row i * slopes, sigma)
//   nu ~ gamma(2, 0.1); coefficients and log(sigma) have flat priors

#include <numbers>
#include <string>

#include <Eigen/Core>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/fusion.hpp>

#include "../common/newton.hpp"

namespace example {

/// Sum over the elements of `z` of the log density of a Student-t distribution with scale exp(log_sigma),
/// where `z` are deviations from its centre in this scale.
template <class Deviations, class LogSigma, class Nu>
auto student_t_log_density(const Deviations& z, const LogSigma& log_sigma, const Nu& nu) {
  const auto n = static_cast<double>(z.rows());
  return n * (lgamma((nu + 1) / 2) - lgamma(nu / 2) - 0.5 * log(nu * std::numbers::pi) - log_sigma) -
         (nu + 1) / 2 * sum(log1p(square(z) / nu));
}

/// The log posterior density, up to a constant, of a row of coefficients, log(sigma) and log(nu).
template <class Design, class Outcome, class Coefficients, class Scalar>
auto regression_log_density(const Design& design, const Outcome& outcome, const Coefficients& coefficients,
                            const Scalar& log_sigma, const Scalar& log_nu) {
  const auto nu = exp(log_nu);
  const auto centre = rowwise_sum(elt_multiply(design, colwise_broadcast(coefficients)));
  const auto prior = 2.0 * log_nu - 0.1 * nu;
  return student_t_log_density((outcome - centre) / exp(log_sigma), log_sigma, nu) + prior;
}

/// The posterior density of intercept, slopes, log(sigma) and log(nu), which form one vector in this order.
class posterior {
 public:
  /// The design has a column of ones.
  posterior(fusecl::matrix_cl<double> design, const Eigen::VectorXd& outcome);

  /// Number of unknowns.
  Eigen::Index size() const { return design_.cols() + 2; }
  /// Mean and standard deviation of the outcome, slopes of 0, 10 degrees of freedom.
  Eigen::VectorXd start() const;
  /// Log density.
  double value(const Eigen::VectorXd& at);
  /// Log density and gradient.
  density evaluate(const Eigen::VectorXd& at);
  /// Minus the Hessian of the log density.
  Eigen::MatrixXd precision(const Eigen::VectorXd& at);
  /// The gradient against differences.
  fusecl::gradient_check check(const Eigen::VectorXd& at);
  /// OpenCL C text of the kernels behind `evaluate`.
  std::string kernels();

 private:
  void upload(const Eigen::VectorXd& at);
  auto log_density() const;
  auto variables() const { return fusecl::wrt(coefficients_, log_sigma_, log_nu_); }

  fusecl::matrix_cl<double> design_;
  fusecl::matrix_cl<double> outcome_;
  fusecl::matrix_cl<double> coefficients_;
  fusecl::parameter<double> log_sigma_{0}, log_nu_{0};
};

}  // namespace example
