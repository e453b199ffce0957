// Densities of the priors, and positions that are rejected.

#include "gaussian_process.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace example {

prior prior::log_normal(double median, double scale) { return {family::log_normal, std::log(median), scale}; }

std::string prior::text() const {
  char written[80] = "";
  switch (family_) {
    case family::inverse_gamma:
      std::snprintf(written, sizeof written, "inv_gamma(%g, %g)", a_, b_);
      break;
    case family::half_normal:
      std::snprintf(written, sizeof written, "normal(0, %g) above 0", a_);
      break;
    case family::log_normal:
      std::snprintf(written, sizeof written, "lognormal(log(%g), %g)", std::exp(a_), b_);
  }
  return written;
}

double prior::value(double u) const {
  switch (family_) {
    case family::inverse_gamma:
      return -a_ * u - b_ * std::exp(-u);
    case family::half_normal:
      return u - 0.5 * std::exp(2 * u) / (a_ * a_);
    case family::log_normal:
      break;
  }
  const double z = (u - a_) / b_;
  return -0.5 * z * z;
}

double prior::derivative(double u) const {
  switch (family_) {
    case family::inverse_gamma:
      return -a_ + b_ * std::exp(-u);
    case family::half_normal:
      return 1 - std::exp(2 * u) / (a_ * a_);
    case family::log_normal:
      break;
  }
  return (a_ - u) / (b_ * b_);
}

std::vector<std::string> gaussian_process::names() const {
  std::vector<std::string> all;
  for (const hyper_parameter& p : parameters_) all.push_back(p.name);
  return all;
}

std::vector<double> gaussian_process::written(const Eigen::VectorXd& position) const {
  const Eigen::VectorXd theta = constrained(position);
  return {theta.begin(), theta.end()};
}

Eigen::VectorXd gaussian_process::constrained(const Eigen::VectorXd& position) const {
  Eigen::VectorXd theta(position.size());
  for (Eigen::Index k = 0; k < theta.size(); ++k) {
    const prior& p = parameters_[static_cast<std::size_t>(k)].density;
    theta[k] = std::exp(p.centre() + p.spread() * position[k]);
  }
  return theta;
}

Eigen::VectorXd gaussian_process::position(const Eigen::VectorXd& theta) const {
  Eigen::VectorXd u(theta.size());
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    const prior& p = parameters_[static_cast<std::size_t>(k)].density;
    u[k] = (std::log(theta[k]) - p.centre()) / p.spread();
  }
  return u;
}

void gaussian_process::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                                Eigen::MatrixXd& gradients) {
  Eigen::VectorXd gradient(positions.rows());
  for (Eigen::Index chain = 0; chain < positions.cols(); ++chain) {
    const Eigen::VectorXd theta = constrained(positions.col(chain));
    try {
      values[chain] = likelihood(theta, gradient);
    } catch (const std::domain_error&) {
      values[chain] = -std::numeric_limits<double>::infinity();
      gradients.col(chain).setZero();
      continue;
    }
    for (Eigen::Index k = 0; k < theta.size(); ++k) {
      const prior& p = parameters_[static_cast<std::size_t>(k)].density;
      const double u = p.centre() + p.spread() * positions(k, chain);
      values[chain] += p.value(u);
      gradients(k, chain) = p.spread() * (theta[k] * gradient[k] + p.derivative(u));
    }
  }
}

}  // namespace example
