#pragma once
// One chain from its start to its last draw: warm-up, then draws.

#include <cstdint>
#include <functional>

#include <Eigen/Core>

#include "nuts.hpp"

namespace sampling {

/// What the user chooses; CmdStan's defaults.
struct settings {
  int chains = 4;
  int warmup = 1000;
  int draws = 1000;
  int thin = 1;  ///< every so many draws one is kept
  std::uint64_t seed = 1;
  double delta = 0.8;  ///< acceptance probability that the step size is adapted to
  int depth = 10;      ///< most doublings of a trajectory
  double radius = 2;   ///< starts are uniform within it

  /// Draws that are kept.
  int kept() const { return (draws + thin - 1) / thin; }
};

/// One iteration of a chain.
struct draw {
  int iteration;  ///< from 0, warm-up included
  bool warmup;
  double step_size;  ///< with which it was made
  const transition& how;
  const state& at;
};

/// Is told what a chain does, on that chain's thread. What it throws ends the run.
class observer {
 public:
  virtual ~observer() = default;
  /// The start is found: the model was evaluated.
  virtual void started() {}
  virtual void drawn(const draw&) {}
  /// Warm-up is over, after which the step size and the metric stay. Without warm-up, before the first draw.
  virtual void adapted(double /*step_size*/, const Eigen::VectorXd& /*inverse_metric*/) {}
};

/// Runs chain number `chain` (from 0) until its last draw or until `stop()`, asked before each iteration, is
/// true. Throws std::runtime_error if no start or no step size is found, and std::invalid_argument for
/// settings that make no sense, or where the gradient is not that of the log density.
void run_chain(const density_function& density, Eigen::Index dimension, const settings& chosen, int chain,
               observer& told, const std::function<bool()>& stop);

/// Throws std::invalid_argument, which names the setting, unless they make sense.
void check(const settings& chosen);

}  // namespace sampling
