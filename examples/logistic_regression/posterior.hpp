#pragma once
// The model: a Bayesian logistic regression whose log density is one expression, from which its gradient is
// generated.
//
//   class i ~ Bernoulli(inv_logit(intercept + standardised features of row i * slopes))
//   intercept, slopes ~ normal(0, prior scale)

#include <string>

#include <Eigen/Core>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/fusion.hpp>

#include "../common/newton.hpp"

namespace example {

/// design * coefficients, one number a row; coefficients are a row.
template <class Design, class Coefficients>
auto linear_predictor(const Design& design, const Coefficients& coefficients) {
  return shared(rowwise_sum(elt_multiply(design, colwise_broadcast(coefficients))));
}

/// The log posterior density, up to a constant, for classes 0 and 1.
template <class Design, class Classes, class Coefficients>
auto logistic_log_density(const Design& design, const Classes& classes, const Coefficients& coefficients,
                          double prior_precision) {
  const auto eta = linear_predictor(design, coefficients);
  return sum(elt_multiply(classes, eta) - log1p_exp(eta)) - 0.5 * prior_precision * dot_self(coefficients);
}

/// The posterior density of intercept and slopes, given a design with a column of ones.
class posterior {
 public:
  posterior(fusecl::matrix_cl<double> design, const Eigen::VectorXd& classes, double prior_scale);

  /// Number of coefficients.
  Eigen::Index size() const { return design_.cols(); }
  /// Log density.
  double value(const Eigen::VectorXd& coefficients);
  /// Log density and gradient.
  density evaluate(const Eigen::VectorXd& coefficients);
  /// Minus the Hessian of the log density, transpose(design) * weights * design and the prior's.
  Eigen::MatrixXd precision(const Eigen::VectorXd& coefficients);
  /// The gradient against differences.
  fusecl::gradient_check check(const Eigen::VectorXd& coefficients);
  /// Share of the rows whose more probable class is theirs.
  double share_classified(const Eigen::VectorXd& coefficients);
  /// OpenCL C text of the kernels behind `evaluate`.
  std::string kernels();

 private:
  auto log_density() const;
  void upload(const Eigen::VectorXd& coefficients);

  fusecl::matrix_cl<double> design_;
  fusecl::matrix_cl<double> classes_;
  double prior_precision_;
  fusecl::matrix_cl<double> coefficients_;
};

}  // namespace example
