// Newton's method with step halving. Where the log density is not concave, multiples of the identity are
// added to minus its Hessian until that is positive definite, so that every step goes uphill.

#include "newton.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <Eigen/Cholesky>

namespace example {
namespace {

struct factored {
  Eigen::LLT<Eigen::MatrixXd> precision;
  bool concave;  ///< whether nothing had to be added
};

factored factor(const Eigen::MatrixXd& precision) {
  factored result{Eigen::LLT<Eigen::MatrixXd>(precision), true};
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(precision.rows(), precision.cols());
  const double scale = precision.diagonal().cwiseAbs().maxCoeff();
  for (double shift = 1e-3 * scale; result.precision.info() != Eigen::Success; shift *= 4) {
    if (!(shift <= 1e6 * scale)) throw std::runtime_error("the Hessian of the log density is not finite");
    result = {Eigen::LLT<Eigen::MatrixXd>(precision + shift * identity), false};
  }
  return result;
}

}  // namespace

fit find_mode(const target& model, const Eigen::VectorXd& start,
              const std::function<void(const progress&)>& report) {
  constexpr int most_iterations = 100;
  // Convergence is quadratic: from here one more step reaches the last digits.
  constexpr double close = 1e-6;

  Eigen::VectorXd at = start;
  density here = model.evaluate(at);
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    const factored local = factor(model.precision(at));
    const Eigen::VectorXd step = local.precision.solve(here.gradient);
    const double distance = std::sqrt(here.gradient.dot(step));
    report({iteration, here.value, distance});
    if (distance < close && local.concave) {
      at += step;
      const Eigen::MatrixXd covariance =
          factor(model.precision(at)).precision.solve(Eigen::MatrixXd::Identity(at.size(), at.size()));
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

void print_progress(const progress& p) {
  std::printf("fitting   iteration %2d: log density %14.8f, %8.1e standard deviations from the mode\n",
              p.iteration, p.log_density, p.distance);
  std::fflush(stdout);
}

}  // namespace example
