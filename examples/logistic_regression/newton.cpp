// Newton's method with step halving; the log density is strictly concave, so there is one mode.

#include "newton.hpp"

#include <cmath>
#include <stdexcept>

#include <Eigen/Cholesky>

namespace example {

fit find_mode(posterior& model, const std::function<void(const progress&)>& report) {
  constexpr int most_iterations = 100;
  // Convergence is quadratic: from here one more step reaches the last digits.
  constexpr double close = 1e-6;

  Eigen::VectorXd at = Eigen::VectorXd::Zero(model.size());
  density here = model.evaluate(at);
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    const Eigen::LLT<Eigen::MatrixXd> precision(model.precision(at));
    const Eigen::VectorXd step = precision.solve(here.gradient);
    const double distance = std::sqrt(here.gradient.dot(step));
    report({iteration, here.value, distance});
    if (distance < close) {
      at += step;
      const Eigen::LLT<Eigen::MatrixXd> final_precision(model.precision(at));
      const Eigen::MatrixXd covariance =
          final_precision.solve(Eigen::MatrixXd::Identity(at.size(), at.size()));
      return {at, covariance.diagonal().cwiseSqrt(), model.evaluate(at).value};
    }
    double length = 1;
    density there = model.evaluate(at + step);
    while (!(there.value > here.value) && length > 1e-6) {
      length /= 2;
      there = model.evaluate(at + length * step);
    }
    if (!(there.value > here.value)) break;
    at += length * step;
    here = there;
  }
  throw std::runtime_error("Newton's method does not reach the posterior mode");
}

}  // namespace example
