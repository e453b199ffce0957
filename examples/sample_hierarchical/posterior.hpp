#pragma once
// Bayesian Poisson regression with an intercept for each group.
//
//   y i ~ Poisson(exp(alpha[group i] + row i of x * beta)),  alpha ~ normal(mu, tau)
//   mu, beta ~ normal(0, 1), tau ~ normal(0, 1) above 0
//
// Intercepts are sampled themselves, not in units of tau, as most groups have enough observations.

#include <string>
#include <vector>

#include <Eigen/Core>

#include <fusion/fusion.hpp>

#include "../sampling/columns.hpp"
#include "../sampling/model.hpp"

namespace example {

/// The log posterior density in column j of `at`, which holds mu, log(tau), beta and alpha, up to a constant;
/// with log(tau), the logarithm of the Jacobian of tau = exp(log(tau)).
template <class Counts, class Design, class Group, class Positions>
auto hierarchical_log_density(const Counts& y, const Design& x, const Group& group, const Positions& at,
                              int j) {
  const auto features = static_cast<int>(x.cols()), groups = static_cast<int>(at.rows()) - 2 - features;
  const auto mu = block(at, 1, j, 1, 1);
  const auto log_tau = block(at, 2, j, 1, 1);
  const auto beta = block(at, 3, j, features, 1);
  const auto alpha = block(at, 3 + features, j, groups, 1);
  const auto eta = shared(x * beta + alpha[group]);
  const auto tau = exp(log_tau);
  const auto prior = -0.5 * (square(mu) + square(tau)) + (1.0 - groups) * log_tau;
  const auto distance = elt_divide(alpha - colwise_broadcast(mu), colwise_broadcast(tau));
  return sum(elt_multiply(y, eta) - exp(eta)) + sum(prior) - 0.5 * (dot_self(beta) + dot_self(distance));
}

/// The model as the sampler sees it; what is written is mu, tau, alpha and beta.
class hierarchical_posterior : public sampling::model {
 public:
  /// `group`, from 0 to groups - 1, and `counts` have one element a row of `design`. Every evaluation has
  /// `columns` columns. Throws std::domain_error for negative counts and for groups out of range.
  hierarchical_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXi& group, int groups,
                         const Eigen::VectorXd& counts, int columns);

  int dimension() const override { return 2 + static_cast<int>(design_.cols()) + groups_; }
  std::vector<std::string> names() const override;
  std::vector<double> written(const Eigen::VectorXd& position) const override;
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override;
  /// OpenCL C text of the kernels, for one column, once something was evaluated.
  std::string kernels() const;

 private:
  auto density() const;

  fusecl::matrix_cl<double> design_, counts_;
  fusecl::matrix_cl<int> group_;
  int groups_;
  sampling::device_columns columns_;
};

}  // namespace example
