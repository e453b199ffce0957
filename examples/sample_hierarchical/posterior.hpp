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

#include "../sampling/device_model.hpp"

namespace example {

/// A position holds mu, log(tau), beta and alpha; what is written is mu, tau, alpha and beta.
class hierarchical_posterior {
 public:
  /// `group`, from 0 to groups - 1, and `counts` have one element a row of `design`. Throws std::domain_error
  /// for negative counts and for groups out of range.
  hierarchical_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXi& group, int groups,
                         const Eigen::VectorXd& counts);

  std::vector<std::string> names() const;
  std::vector<double> written(const Eigen::VectorXd& position) const;

  /// Up to a constant; with log(tau), the logarithm of the Jacobian of tau = exp(log(tau)).
  template <class Positions>
  auto log_density(const Positions& at, int j) const {
    const auto features = static_cast<int>(x_.cols());
    const auto mu = block(at, 1, j, 1, 1);
    const auto log_tau = block(at, 2, j, 1, 1);
    const auto beta = block(at, 3, j, features, 1);
    const auto alpha = block(at, 3 + features, j, groups_, 1);
    const auto eta = shared(x_ * beta + alpha[group_]);
    const auto tau = exp(log_tau);
    const auto prior = -0.5 * (square(mu) + square(tau)) + (1.0 - groups_) * log_tau;
    const auto distance = elt_divide(alpha - colwise_broadcast(mu), colwise_broadcast(tau));
    return sum(elt_multiply(y_, eta) - exp(eta)) + sum(prior) - 0.5 * (dot_self(beta) + dot_self(distance));
  }

 private:
  fusecl::matrix_cl<double> x_, y_;
  fusecl::matrix_cl<int> group_;
  int groups_;
};

}  // namespace example

extern template class sampling::device_model<example::hierarchical_posterior>;
