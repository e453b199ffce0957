// The noise is the last hyper-parameter of every process.

#include "on_host.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <Eigen/Cholesky>

#include "processes.hpp"

namespace example {
namespace {

/// exp(-d^2 / (2 l^2)).
Eigen::ArrayXd correlation(const Eigen::ArrayXd& d, double length) {
  return (d.square() * (-0.5 / (length * length))).exp();
}

Eigen::ArrayXd squared_sines(const Eigen::ArrayXd& d) { return (std::numbers::pi * d).sin().square(); }

}  // namespace

double process_on_host::likelihood(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient) {
  const Eigen::Index n = x_.size(), noise = theta.size() - 1;
  if (!(theta.array() > 0 && theta.array().isFinite()).all())
    throw std::domain_error("a hyper-parameter is not positive and finite");
  const auto distances = [&](Eigen::Index j) { return (x_.tail(n - j).array() - x_[j]).eval(); };

  Eigen::MatrixXd s(n, n);
  for (Eigen::Index j = 0; j < n; ++j) s.col(j).tail(n - j) = covariance(theta, distances(j));
  s.diagonal().array() += theta[noise] * theta[noise];
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(s);
  if (factor.info() != Eigen::Success) throw std::domain_error("the covariance is not positive definite");
  const Eigen::VectorXd a = factor.solve(y_);
  const double value = -0.5 * y_.dot(a) - s.diagonal().array().log().sum();

  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
  gradient.setZero(theta.size());
  for (Eigen::Index j = 0; j < n; ++j) {
    // off the diagonal an element counts for its mirror image, too
    Eigen::ArrayXd weights = a[j] * a.tail(n - j) - inverse.col(j).tail(n - j);
    weights[0] /= 2;
    gradient[noise] += 2 * theta[noise] * weights[0];
    add_derivatives(theta, distances(j), weights, gradient);
  }
  return value;
}

smooth_function_on_host::smooth_function_on_host(Eigen::VectorXd x, Eigen::VectorXd y)
    : process_on_host(smooth_function::parameters(), std::move(x), std::move(y)) {}

Eigen::ArrayXd smooth_function_on_host::covariance(const Eigen::VectorXd& theta,
                                                   const Eigen::ArrayXd& d) const {
  return theta[1] * theta[1] * correlation(d, theta[0]);
}

void smooth_function_on_host::add_derivatives(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d,
                                              const Eigen::ArrayXd& weights,
                                              Eigen::VectorXd& gradient) const {
  const Eigen::ArrayXd weighted = weights * covariance(theta, d);
  gradient[0] += (weighted * d.square()).sum() / std::pow(theta[0], 3);
  gradient[1] += 2 / theta[1] * weighted.sum();
}

carbon_dioxide_on_host::carbon_dioxide_on_host(Eigen::VectorXd x, Eigen::VectorXd y)
    : process_on_host(carbon_dioxide::parameters(), std::move(x), std::move(y)) {}

Eigen::ArrayXd carbon_dioxide_on_host::covariance(const Eigen::VectorXd& theta,
                                                  const Eigen::ArrayXd& d) const {
  return theta[0] * theta[0] * correlation(d, theta[1]) +
         theta[2] * theta[2] * (squared_sines(d) * (-2 / (theta[3] * theta[3]))).exp() *
             correlation(d, theta[4]) +
         theta[5] * theta[5] * correlation(d, theta[6]);
}

void carbon_dioxide_on_host::add_derivatives(const Eigen::VectorXd& theta, const Eigen::ArrayXd& d,
                                             const Eigen::ArrayXd& weights, Eigen::VectorXd& gradient) const {
  // s^2 exp(-d^2 / (2 l^2)) by s and l
  const auto add_smooth = [&](Eigen::Index s, Eigen::Index l, const Eigen::ArrayXd& correlations) {
    const Eigen::ArrayXd weighted = weights * (theta[s] * theta[s]) * correlations;
    gradient[s] += 2 / theta[s] * weighted.sum();
    gradient[l] += (weighted * d.square()).sum() / std::pow(theta[l], 3);
    return weighted;
  };
  const Eigen::ArrayXd sines = squared_sines(d);
  add_smooth(0, 1, correlation(d, theta[1]));
  const Eigen::ArrayXd season =
      add_smooth(2, 4, (sines * (-2 / (theta[3] * theta[3]))).exp() * correlation(d, theta[4]));
  gradient[3] += 4 / std::pow(theta[3], 3) * (season * sines).sum();
  add_smooth(5, 6, correlation(d, theta[6]));
}

}  // namespace example
