#include "gaussian_process.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace example {

prior prior::log_normal(double median, double scale) { return {family::log_normal, std::log(median), scale}; }

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
  const Eigen::VectorXd theta = position.array().exp();
  return {theta.begin(), theta.end()};
}

void gaussian_process::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                                Eigen::MatrixXd& gradients) {
  Eigen::VectorXd gradient(positions.rows());
  for (Eigen::Index chain = 0; chain < positions.cols(); ++chain) {
    const Eigen::VectorXd theta = positions.col(chain).array().exp();
    try {
      values[chain] = likelihood(theta, gradient);
    } catch (const std::domain_error&) {
      values[chain] = -std::numeric_limits<double>::infinity();
      gradients.col(chain).setZero();
      continue;
    }
    for (Eigen::Index k = 0; k < theta.size(); ++k) {
      const prior& density = parameters_[static_cast<std::size_t>(k)].density;
      const double u = positions(k, chain);
      values[chain] += density.value(u);
      gradients(k, chain) = theta[k] * gradient[k] + density.derivative(u);
    }
  }
}

}  // namespace example
