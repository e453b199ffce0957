// Operation by operation, and Eigen, with the gradient derived by hand.

#include "other_ways.hpp"

namespace example {

using fusecl::matrix_cl;

stepwise_posterior::stepwise_posterior(matrix_cl<double> design, const Eigen::VectorXd& classes,
                                       double prior_scale)
    : design_(std::move(design)), classes_(classes), prior_precision_(1 / (prior_scale * prior_scale)) {}

density stepwise_posterior::evaluate(const Eigen::VectorXd& coefficients) {
  const matrix_cl<double> beta(Eigen::RowVectorXd(coefficients.transpose()));

  const matrix_cl<double> products = elt_multiply(design_, colwise_broadcast(beta));
  const matrix_cl<double> eta = rowwise_sum(products);
  const matrix_cl<double> probabilities = inv_logit(eta);
  const matrix_cl<double> residuals = classes_ - probabilities;
  const matrix_cl<double> weighted = elt_multiply(design_, rowwise_broadcast(residuals));
  const matrix_cl<double> likelihood_gradient = colwise_sum(weighted);
  const matrix_cl<double> prior_gradient = prior_precision_ * beta;
  const matrix_cl<double> gradient = likelihood_gradient - prior_gradient;
  const matrix_cl<double> chosen = elt_multiply(classes_, eta);
  const matrix_cl<double> normalisers = log1p_exp(eta);
  const matrix_cl<double> log_likelihoods = chosen - normalisers;
  const double log_likelihood = sum(log_likelihoods);

  return {log_likelihood - 0.5 * prior_precision_ * coefficients.squaredNorm(),
          fusecl::from_matrix_cl<Eigen::RowVectorXd>(gradient).transpose()};
}

eigen_posterior::eigen_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXd& classes,
                                 double prior_scale)
    : design_(design), classes_(classes), prior_precision_(1 / (prior_scale * prior_scale)) {}

density eigen_posterior::evaluate(const Eigen::VectorXd& coefficients) {
  eta_.noalias() = design_ * coefficients;
  residuals_ = classes_.array() - (1 + (-eta_.array()).exp()).inverse();
  const double log_likelihood =
      (classes_.array() * eta_.array() - eta_.array().max(0.0) - (-eta_.array().abs()).exp().log1p()).sum();
  density result{log_likelihood - 0.5 * prior_precision_ * coefficients.squaredNorm(), {}};
  result.gradient.noalias() = design_.transpose() * residuals_;
  result.gradient -= prior_precision_ * coefficients;
  return result;
}

}  // namespace example
