#pragma once
// Gathers what chains ask for at about the same time into one evaluation of the model.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "model.hpp"

namespace sampling {

/// A model that several chains, a thread each, evaluate together.
///
/// Whichever chain finds everybody waiting evaluates for all. A chain waits for others at most as long as an
/// evaluation takes, as two of them cost no more than having waited in vain for one; so a chain that is busy
/// or never returns delays the others but cannot stop them.
class shared_evaluator {
 public:
  /// `chains` chains will ask, each until it leaves.
  shared_evaluator(model& evaluated, int chains);

  /// Log density and gradient for chain number `chain`; minus infinity where the model throws
  /// std::domain_error. Other exceptions of the model reach every chain of that evaluation.
  double evaluate(int chain, const Eigen::VectorXd& position, Eigen::VectorXd& gradient);
  /// This chain asks no more.
  void leave();

  /// Evaluations of the model, and the positions that these held.
  struct counts {
    std::int64_t evaluations = 0, positions = 0;
  };
  counts counted() const;

 private:
  using clock = std::chrono::steady_clock;
  struct request {
    int chain;
    const Eigen::VectorXd* position;
    Eigen::VectorXd* gradient;
    double value = 0;
    std::exception_ptr failure;
    bool done = false;
  };

  void lead(std::unique_lock<std::mutex>& lock);
  void evaluate_together(const std::vector<request*>& requests);
  void evaluate_columns(const std::vector<request*>& requests);

  model* model_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int active_;
  bool busy_ = false;
  std::vector<request*> waiting_;
  clock::time_point idle_since_;
  clock::duration patience_{};  ///< mean duration of an evaluation of late
  counts counted_;

  // Used by the chain that leads.
  Eigen::MatrixXd positions_, gradients_;
  Eigen::VectorXd values_;
};

}  // namespace sampling
