#pragma once
// Several chains as threads on one model, and what they drew.

#include <exception>
#include <functional>
#include <vector>

#include "model.hpp"
#include "sampler.hpp"
#include "shared_evaluator.hpp"

namespace sampling {

/// How a draw that is kept came about.
struct statistics {
  double log_density, accept_stat, step_size;
  int depth, leapfrogs;
  bool divergent;
  double energy;
};

/// What one chain drew.
struct chain_result {
  Eigen::MatrixXd values;         ///< one column a draw that was kept, in the order of the model's names()
  std::vector<statistics> draws;  ///< of the same draws
  double step_size = 0;
  Eigen::VectorXd inverse_metric;
  int divergent = 0;  ///< draws after warm-up, kept or not, that diverged
  int too_deep = 0;   ///< and that used all doublings
  double warmup_seconds = 0, sampling_seconds = 0;
  std::exception_ptr failure;  ///< what ended it before its last draw
  bool complete = false;       ///< it made all its draws
};

/// Is told what happens; every function may be empty. `chain` counts from 0. All but `waiting` are called on
/// the chains' threads, and what they throw ends the run.
struct listeners {
  /// A draw was made, in warm-up too.
  std::function<void(int chain, const draw& made)> drawn;
  /// A draw was kept: its statistics and its values.
  std::function<void(int chain, const statistics& how, const std::vector<double>& values)> kept;
  std::function<void(int chain, double step_size, const Eigen::VectorXd& inverse_metric)> adapted;
  /// A chain ends, as its result says.
  std::function<void(int chain, const chain_result& result)> ended;
  /// The last chain's warm-up is over: from here on the model is only evaluated as it was before.
  std::function<void()> all_adapted;
  /// Called on the calling thread about ten times a second while chains run, and once when all have ended.
  std::function<void()> waiting;
  /// Asked before each iteration of each chain: whether to end here.
  std::function<bool()> stop;
};

/// What a run made.
struct run_result {
  std::vector<chain_result> chains;
  shared_evaluator::counts evaluations;

  /// Whether every chain made all its draws.
  bool complete() const;
  /// Throws what ended the first chain that failed, if one did.
  void rethrow_failure() const;
};

/// Runs all chains, a thread each, and returns when they have ended. A chain's draws depend on the seed and
/// its number only. If one fails the others end after their present draw; what was drawn is in the result.
/// Throws std::runtime_error where there are not threads enough, and std::invalid_argument where the model
/// writes another number of values than it names, or its names cannot be those of columns.
run_result run(model& sampled, const settings& chosen, const listeners& told = {});

}  // namespace sampling
