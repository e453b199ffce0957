// Means and variances are reductions inside the statement that uses them.

#include "design.hpp"

namespace example {

using fusecl::matrix_cl;

matrix_cl<double> standardised_design(const Eigen::MatrixXd& features) {
  const auto rows = static_cast<double>(features.rows());
  Eigen::MatrixXd padded = Eigen::MatrixXd::Ones(features.rows(), features.cols() + 1);
  padded.rightCols(features.cols()) = features;
  const matrix_cl<double> raw(padded);

  const auto centred = shared(raw - colwise_broadcast(colwise_sum(raw) / rows));
  const auto variance = colwise_sum(square(centred)) / (rows - 1.0);
  const auto standardised = elt_divide(centred, colwise_broadcast(sqrt(variance)));
  return select(fusecl::col_index() == 0, 1.0, standardised);
}

Eigen::MatrixXd standardised(const Eigen::MatrixXd& features) {
  const Eigen::MatrixXd centred = features.rowwise() - features.colwise().mean();
  const Eigen::RowVectorXd variance =
      centred.colwise().squaredNorm() / static_cast<double>(features.rows() - 1);
  return centred.array().rowwise() / variance.array().sqrt();
}

}  // namespace example
