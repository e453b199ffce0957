#pragma once
// Newton's method for the mode of a log density. The small linear systems are solved on the host.

#include <functional>

#include <Eigen/Core>

namespace example {

/// Log density, up to a constant, with its gradient.
struct density {
  double value;
  Eigen::VectorXd gradient;
};

/// A log density as the optimiser sees it.
struct target {
  std::function<density(const Eigen::VectorXd&)> evaluate;
  std::function<Eigen::MatrixXd(const Eigen::VectorXd&)> precision;  ///< minus the Hessian
};

/// What one iteration reports.
struct progress {
  int iteration;
  double log_density;  ///< where the iteration started
  double distance;     ///< to the mode by the local quadratic model, in posterior standard deviations
};

/// Estimates and what is known about them.
struct fit {
  Eigen::VectorXd mode;
  Eigen::VectorXd standard_errors;  ///< square roots of the diagonal of the inverse of minus the Hessian
  double log_density;
};

/// Climbs from `start` to a mode and calls `report` once an iteration. Throws std::runtime_error if it does
/// not get there.
fit find_mode(const target& model, const Eigen::VectorXd& start,
              const std::function<void(const progress&)>& report);

/// Prints one line an iteration, at once.
void print_progress(const progress& p);

}  // namespace example
