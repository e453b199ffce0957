#pragma once
// Bayesian logistic regression.
//
//   y i ~ Bernoulli(inv_logit(alpha + row i of x * beta))
//   alpha, beta ~ normal(0, prior scale), or flat as in the paper on Stan's OpenCL backend

#include <string>
#include <vector>

#include <Eigen/Core>

#include <fusion/fusion.hpp>

#include "../sampling/columns.hpp"
#include "../sampling/model.hpp"

namespace example {

/// The log posterior density in column j of `at`, which holds alpha and beta; up to a constant.
template <class Outcomes, class Design, class Positions>
auto logistic_log_density(const Outcomes& y, const Design& x, const Positions& at, int j,
                          double prior_precision) {
  const auto alpha = colwise_broadcast(block(at, 1, j, 1, 1));
  const auto beta = block(at, 2, j, static_cast<int>(x.cols()), 1);
  const auto eta = shared(x * beta + alpha);
  return sum(elt_multiply(y, eta) - log1p_exp(eta)) - 0.5 * prior_precision * dot_self(col(at, j));
}

/// The model as the sampler sees it; what is written is alpha and beta.
class logistic_posterior : public sampling::model {
 public:
  /// `outcomes` are 0 or 1, one a row of `design`; a prior scale of 0 stands for a flat prior. Every
  /// evaluation has `columns` columns. Throws std::domain_error for other outcomes.
  logistic_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXd& outcomes, double prior_scale,
                     int columns);

  int dimension() const override { return static_cast<int>(design_.cols()) + 1; }
  std::vector<std::string> names() const override;
  std::vector<double> written(const Eigen::VectorXd& position) const override;
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override;
  /// OpenCL C text of the kernels, for one column, once something was evaluated.
  std::string kernels() const;

 private:
  auto density() const;

  fusecl::matrix_cl<double> design_, outcomes_;
  double prior_precision_;
  sampling::device_columns columns_;
};

}  // namespace example
