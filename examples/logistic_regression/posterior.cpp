// The expressions. `const auto` names an expression without evaluating it; assigning to a matrix, or to
// results(...), compiles what was built up to then into as few kernels as possible and runs them.

#include "posterior.hpp"

namespace example {

using fusecl::matrix_cl;

namespace {

/// design * coefficients, one number a row.
auto linear_predictor(const matrix_cl<double>& design, const matrix_cl<double>& coefficients) {
  return shared(rowwise_sum(elt_multiply(design, colwise_broadcast(coefficients))));
}

/// First pass over the design: for each row the derivative of its log likelihood, and the log likelihood.
auto row_terms(const matrix_cl<double>& design, const matrix_cl<double>& classes,
               const matrix_cl<double>& coefficients) {
  const auto eta = linear_predictor(design, coefficients);
  return fusecl::expressions(classes - inv_logit(eta), elt_multiply(classes, eta) - log1p_exp(eta));
}

/// Second pass: transpose(design) * residuals, the sum of the log likelihoods in the last column, and the
/// prior.
auto column_totals(const matrix_cl<double>& design, const matrix_cl<double>& residuals,
                   const matrix_cl<double>& log_likelihoods, const matrix_cl<double>& coefficients,
                   double prior_precision) {
  const auto last = static_cast<int>(design.cols() - 1);
  const auto terms = select(fusecl::col_index() == last, rowwise_broadcast(log_likelihoods),
                            elt_multiply(design, rowwise_broadcast(residuals)));
  return colwise_sum(terms) - prior_precision * coefficients;
}

}  // namespace

matrix_cl<double> standardised_design(const Eigen::MatrixXd& features) {
  const auto rows = static_cast<double>(features.rows());
  const auto last = static_cast<int>(features.cols() + 1);
  Eigen::MatrixXd padded = Eigen::MatrixXd::Zero(features.rows(), features.cols() + 2);
  padded.middleCols(1, features.cols()) = features;
  const matrix_cl<double> raw(padded);

  const auto centred = shared(raw - colwise_broadcast(colwise_sum(raw) / rows));
  const auto variance = colwise_sum(square(centred)) / (rows - 1.0);
  const auto standardised = elt_divide(centred, colwise_broadcast(sqrt(variance)));
  const auto column = fusecl::col_index();
  return select(column == 0, 1.0, select(column == last, 0.0, standardised));
}

posterior::posterior(matrix_cl<double> design, const Eigen::VectorXd& classes, double prior_scale)
    : design_(std::move(design)), classes_(classes), prior_precision_(1 / (prior_scale * prior_scale)) {}

void posterior::upload(const Eigen::VectorXd& coefficients) {
  Eigen::RowVectorXd row(design_.cols());
  row << coefficients.transpose(), 0.5 * coefficients.squaredNorm();
  coefficients_ = matrix_cl<double>(row);
}

density posterior::evaluate(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  results(residuals_, log_likelihoods_) = row_terms(design_, classes_, coefficients_);
  evaluation_ = column_totals(design_, residuals_, log_likelihoods_, coefficients_, prior_precision_);

  const auto sums = fusecl::from_matrix_cl<Eigen::RowVectorXd>(evaluation_);  // the only wait
  return {sums[size()], sums.head(size()).transpose()};
}

Eigen::MatrixXd posterior::precision(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  const auto probability = shared(inv_logit(linear_predictor(design_, coefficients_)));
  const matrix_cl<double> weights = elt_multiply(probability, 1.0 - probability);

  // One column at a time: the design, weighted, times the design times a unit vector.
  Eigen::MatrixXd columns(design_.cols(), size());
  for (Eigen::Index j = 0; j < size(); ++j) {
    const matrix_cl<double> direction(Eigen::RowVectorXd::Unit(design_.cols(), j));
    const auto along = elt_multiply(weights, linear_predictor(design_, direction));
    const matrix_cl<double> column =
        colwise_sum(elt_multiply(design_, rowwise_broadcast(along))) + prior_precision_ * direction;
    columns.col(j) = fusecl::from_matrix_cl<Eigen::RowVectorXd>(column).transpose();
  }
  return columns.topRows(size());
}

double posterior::share_classified(const Eigen::VectorXd& coefficients) {
  upload(coefficients);
  const auto right = (linear_predictor(design_, coefficients_) > 0.0) == (classes_ > 0.5);
  return mean(right);
}

std::string posterior::kernels() {
  const std::string first =
      results(residuals_, log_likelihoods_)
          .get_kernel_source_for_evaluating(row_terms(design_, classes_, coefficients_));
  return first + column_totals(design_, residuals_, log_likelihoods_, coefficients_, prior_precision_)
                     .get_kernel_source_for_evaluating_into(evaluation_);
}

}  // namespace example
