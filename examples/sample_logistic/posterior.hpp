#pragma once
// Bayesian logistic regression.
//
//   y i ~ Bernoulli(inv_logit(alpha + row i of x * beta))
//   alpha, beta ~ normal(0, prior scale), or flat as in the paper on Stan's OpenCL backend

#include <string>
#include <vector>

#include <Eigen/Core>

#include <fusion/fusion.hpp>

#include "../sampling/device_model.hpp"

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

/// A position holds alpha and beta, and is written as it is.
class logistic_posterior {
 public:
  /// `outcomes` are 0 or 1, one a row of `design`; a prior scale of 0 stands for a flat prior. Throws
  /// std::domain_error for other outcomes.
  logistic_posterior(const Eigen::MatrixXd& design, const Eigen::VectorXd& outcomes, double prior_scale);

  std::vector<std::string> names() const;

  template <class Positions>
  auto log_density(const Positions& at, int j) const {
    return logistic_log_density(y_, x_, at, j, prior_precision_);
  }

 private:
  fusecl::matrix_cl<double> x_, y_;
  double prior_precision_;
};

}  // namespace example

extern template class sampling::device_model<example::logistic_posterior>;
