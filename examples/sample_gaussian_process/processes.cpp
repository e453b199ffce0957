// The statements: log likelihood with its gradient, and predictions.

#include "processes.hpp"

#include <stdexcept>

namespace example {

using fusecl::matrix_cl, fusecl::var;

template <class Process>
double process_on_device<Process>::likelihood(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient) {
  if (!(theta.array() > 0 && theta.array().isFinite()).all())
    throw std::domain_error("a hyper-parameter is not positive and finite");
  const fusecl::nested_rev_autodiff nested;
  const std::vector<var> variables(theta.begin(), theta.end());
  var density = fusecl::multi_normal_lpdf<true>(y_, 0.0, covariance(variables));
  density.grad();
  for (std::size_t k = 0; k < variables.size(); ++k)
    gradient[static_cast<Eigen::Index>(k)] = variables[k].adj();
  return density.val();
}

template <class Process>
prediction process_on_device<Process>::predict(const Eigen::VectorXd& theta,
                                               const Eigen::VectorXd& places) const {
  const matrix_cl<double> at(places);
  const matrix_cl<double> factor = fusecl::cholesky_decompose(covariance(theta));
  const matrix_cl<double> outcomes = mdivide_left_tri_low(factor, y_);
  const matrix_cl<double> across = mdivide_left_tri_low(factor, Process::covariance(theta, x_, at));
  matrix_cl<double> mean, known;
  results(mean, known) = expressions(colwise_sum(elt_multiply(across, rowwise_broadcast(outcomes))),
                                     colwise_sum(square(across)));
  const double total = Process::variance(theta) + Process::noise(theta);
  const Eigen::RowVectorXd explained = fusecl::from_matrix_cl<Eigen::RowVectorXd>(known);
  return {fusecl::from_matrix_cl<Eigen::RowVectorXd>(mean).transpose(),
          (total - explained.transpose().array()).max(0.0).sqrt()};
}

template <class Process>
std::string process_on_device<Process>::kernels() const {
  const std::vector<double> theta(static_cast<std::size_t>(this->dimension()), 1.5);
  matrix_cl<double> target;
  return covariance(theta).get_kernel_source_for_evaluating_into(target);
}

template class process_on_device<smooth_function>;
template class process_on_device<carbon_dioxide>;

}  // namespace example
