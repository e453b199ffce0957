#pragma once
// Newton's method for the posterior mode. The small linear systems are solved on the host.

#include <functional>

#include <Eigen/Core>

#include "posterior.hpp"

namespace example {

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

/// Climbs from zero to the mode and calls `report` once an iteration. Throws std::runtime_error if it does
/// not get there.
fit find_mode(posterior& model, const std::function<void(const progress&)>& report);

}  // namespace example
