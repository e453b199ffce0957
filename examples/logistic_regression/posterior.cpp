// What the optimiser calls. Only the Hessian is written by hand: all its columns share the weights, which
// products of hessian_times_vector, each on its own, would compute again.

#include "posterior.hpp"

namespace example {

using fusecl::matrix_cl;

posterior::posterior(matrix_cl<double> design, const Eigen::VectorXd& classes, double prior_scale)
    : design_(std::move(design)), classes_(classes), prior_precision_(1 / (prior_scale * prior_scale)) {
  check_cl("posterior", "classes", classes_, "0 or 1") = classes_ == 0.0 || classes_ == 1.0;
}

auto posterior::log_density() const {
  return logistic_log_density(design_, classes_, coefficients_, prior_precision_);
}

void posterior::upload(const Eigen::VectorXd& coefficients) {
  coefficients_ = matrix_cl<double>(Eigen::RowVectorXd(coefficients.transpose()));
}

double posterior::value(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  return log_density();
}

density posterior::evaluate(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  Eigen::RowVectorXd gradient;
  const double value = value_and_gradient_into(log_density(), fusecl::wrt(coefficients_), gradient);
  return {value, gradient.transpose()};
}

Eigen::MatrixXd posterior::precision(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  const auto probability = shared(inv_logit(linear_predictor(design_, coefficients_)));
  const matrix_cl<double> weights = elt_multiply(probability, 1.0 - probability);

  // One column at a time: the design, weighted, times the design times a unit vector.
  Eigen::MatrixXd columns(size(), size());
  for (Eigen::Index j = 0; j < size(); ++j) {
    const matrix_cl<double> direction(Eigen::RowVectorXd::Unit(size(), j));
    const auto along = elt_multiply(weights, linear_predictor(design_, direction));
    const matrix_cl<double> column =
        colwise_sum(elt_multiply(design_, rowwise_broadcast(along))) + prior_precision_ * direction;
    columns.col(j) = fusecl::from_matrix_cl<Eigen::RowVectorXd>(column).transpose();
  }
  return columns;
}

fusecl::gradient_check posterior::check(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  const auto density = [&](const auto& beta) {
    return logistic_log_density(design_, classes_, beta, prior_precision_);
  };
  return check_gradient(density, coefficients_);
}

double posterior::share_classified(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  return mean((linear_predictor(design_, coefficients_) > 0.0) == (classes_ > 0.5));
}

std::string posterior::kernels() { return gradient_kernel_source(log_density(), fusecl::wrt(coefficients_)); }

}  // namespace example
