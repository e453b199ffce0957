#pragma once
// One chain's No-U-Turn transitions: multinomial sampling from the trajectory (Betancourt, A Conceptual
// Introduction to Hamiltonian Monte Carlo, 2017, appendix A), which doubles until it turns back (Hoffman and
// Gelman, The No-U-Turn Sampler, 2014), with a diagonal metric.

#include <functional>

#include <Eigen/Core>

#include "random.hpp"

namespace sampling {

/// Log density and gradient at a position. Not finite: the position is rejected.
using density_function = std::function<double(const Eigen::VectorXd& position, Eigen::VectorXd& gradient)>;

/// Where a chain is.
struct state {
  Eigen::VectorXd position, gradient;
  double log_density = 0;
};

/// How one transition went.
struct transition {
  double accept_stat = 0;  ///< mean acceptance probability along the trajectory
  int depth = 0;           ///< doublings of the trajectory that were kept
  int leapfrogs = 0;
  bool divergent = false;  ///< the energy rose by more than 1000 somewhere
  double energy = 0;       ///< Hamiltonian of the state chosen
};

/// The sampler of one chain.
class nuts {
 public:
  /// `start` is a position whose log density is finite. `random` outlives the sampler.
  nuts(density_function density, state start, int max_depth, random_source& random);

  const state& current() const { return current_; }
  double step_size() const { return step_size_; }
  void set_step_size(double step_size) { step_size_ = step_size; }
  const Eigen::VectorXd& inverse_metric() const { return inverse_metric_; }
  /// The metric's inverse diagonal: estimates of the variances of the positions.
  void set_inverse_metric(const Eigen::VectorXd& inverse_metric) { inverse_metric_ = inverse_metric; }

  /// One transition; moves the current state.
  transition move();

  /// Doubles or halves the step size until the acceptance probability of a single step crosses 0.8. Throws
  /// std::runtime_error if it never does.
  void find_step_size();

 private:
  struct phase_point {
    state at;
    Eigen::VectorXd momentum;
  };
  struct edge {
    Eigen::VectorXd momentum, velocity;
  };
  struct candidate {
    state at;
    double energy = 0;
  };
  /// Part of a trajectory; its edges are in the order in which it was integrated.
  struct segment {
    edge first, last;
    Eigen::VectorXd momentum_sum;
    double log_weight = 0;  ///< logarithm of the sum of the states' weights exp(start energy - energy)
    candidate chosen;
    bool usable = true;  ///< neither diverged nor turned back
  };

  Eigen::VectorXd velocity(const Eigen::VectorXd& momentum) const;
  double energy(const phase_point& point) const;
  phase_point with_new_momentum();
  void leapfrog(phase_point& point, double step) const;
  /// 2^depth steps from `end` on, which moves to the new end.
  segment integrate(phase_point& end, int depth, double step, double start_energy, transition& report);
  static bool turns(const segment& before, const segment& after);

  density_function density_;
  state current_;
  int max_depth_;
  random_source* random_;
  double step_size_ = 1;
  Eigen::VectorXd inverse_metric_;
};

}  // namespace sampling
