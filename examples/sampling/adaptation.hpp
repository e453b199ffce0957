#pragma once
// What warm-up learns: step size and metric.

#include <Eigen/Core>

namespace sampling {

/// Nesterov's dual averaging of the logarithm of the step size, towards acceptance `delta` (Hoffman and
/// Gelman 2014, section 3.2; its constants gamma 0.05, t0 10, kappa 0.75).
class dual_averaging {
 public:
  explicit dual_averaging(double delta) : delta_(delta) {}

  /// Starts anew from `step_size`.
  void restart(double step_size);
  /// The next step size to use after a transition with this acceptance statistic.
  double learn(double accept_stat);
  /// The average, for use after warm-up.
  double averaged() const;

 private:
  double delta_;
  double centre_ = 0, error_ = 0, log_average_ = 0;
  int count_ = 0;
};

/// Variances of positions in windows of doubling length, with Stan's rule: a first interval without
/// estimates, windows, and a last interval in which only the step size is learned.
class variance_windows {
 public:
  /// 75 iterations, windows from 25 on, 50 iterations; 15 % and 10 % of short warm-ups.
  variance_windows(Eigen::Index dimension, int warmup);

  /// Takes the position after an iteration; whether a window ended here.
  bool learn(const Eigen::VectorXd& position);
  /// Variances of the window that ended, drawn towards 0.001 as if by five more positions.
  const Eigen::VectorXd& variances() const { return variances_; }

 private:
  void plan_next_window();

  int warmup_, first_ = 75, last_ = 50, length_ = 25;
  int iteration_ = 0;
  int end_;  ///< last iteration of the present window
  double count_ = 0;
  Eigen::VectorXd mean_, squares_, variances_;
};

}  // namespace sampling
