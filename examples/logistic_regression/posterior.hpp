#pragma once
// The model: a Bayesian logistic regression whose log density and derivatives are fused expressions on the
// device. The heart of the example is in posterior.cpp.
//
//   class i ~ Bernoulli(inv_logit(intercept + standardised features of row i * slopes))
//   intercept, slopes ~ normal(0, prior scale)

#include <string>

#include <Eigen/Core>

#include <fusion/fusion.hpp>

namespace example {

/// Standardises every column on the device: mean 0, sample standard deviation 1. The result has a column of
/// ones in front, for the intercept, and a column of zeros behind (see posterior).
fusecl::matrix_cl<double> standardised_design(const Eigen::MatrixXd& features);

/// Log density, up to a constant, with its gradient.
struct density {
  double value;
  Eigen::VectorXd gradient;
};

/// The posterior density of intercept and slopes. Three things have one more column than there are
/// coefficients, so that one kernel can sum gradient and log density together and one copy brings both back:
///
///   design         1            standardised features    0
///   coefficients   intercept    slopes                   half of their squared norm
///   evaluation     gradient     gradient                 log density
class posterior {
 public:
  posterior(fusecl::matrix_cl<double> design, const Eigen::VectorXd& classes, double prior_scale);

  /// Number of coefficients.
  Eigen::Index size() const { return design_.cols() - 1; }
  /// Log density and gradient.
  density evaluate(const Eigen::VectorXd& coefficients);
  /// Minus the Hessian of the log density.
  Eigen::MatrixXd precision(const Eigen::VectorXd& coefficients);
  /// Share of the rows whose more probable class is theirs.
  double share_classified(const Eigen::VectorXd& coefficients);
  /// OpenCL C text of the kernels behind `evaluate`.
  std::string kernels();

 private:
  void upload(const Eigen::VectorXd& coefficients);

  fusecl::matrix_cl<double> design_;
  fusecl::matrix_cl<double> classes_;
  double prior_precision_;
  fusecl::matrix_cl<double> coefficients_;
  fusecl::matrix_cl<double> residuals_;
  fusecl::matrix_cl<double> log_likelihoods_;
  fusecl::matrix_cl<double> evaluation_;
};

}  // namespace example
