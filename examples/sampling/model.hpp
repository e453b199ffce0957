#pragma once
// What the sampler asks of a model.

#include <string>
#include <vector>

#include <Eigen/Core>

namespace sampling {

/// A log density over R^dimension, of several chains at once.
class model {
 public:
  virtual ~model() = default;

  virtual int dimension() const = 0;
  /// Names of the constrained quantities that a draw is written as, in CmdStan's spelling (`beta.1`): all
  /// different, without commas.
  virtual std::vector<std::string> names() const = 0;
  /// What is written of the unconstrained `position`, in the order of names(): its elements, unless the model
  /// says otherwise. Several chains may call it at the same time, and a run calls it once before, with zeros.
  virtual std::vector<double> written(const Eigen::VectorXd& position) const {
    return {position.begin(), position.end()};
  }
  /// The log density and its gradient at each column of `positions`: `values` gets one number, `gradients`
  /// one column for each. The Jacobian of the transformation is part of it, constants may be left out. Both
  /// results have the sizes of `positions` when it is called, and no two calls overlap. A column's results
  /// must not depend on which other columns there are. A position is rejected by a value that is not finite
  /// or by std::domain_error; any other exception ends the run.
  virtual void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                        Eigen::MatrixXd& gradients) = 0;
  /// Text of the kernels behind what was evaluated last; empty where nothing runs on a device.
  virtual std::string kernels() const { return {}; }
};

/// Appends the names of `count` numbered quantities, from 1: `beta.1`, `beta.2` and so on.
inline void append_numbered(std::vector<std::string>& names, const std::string& name, Eigen::Index count) {
  for (Eigen::Index k = 1; k <= count; ++k) names.push_back(name + "." + std::to_string(k));
}

}  // namespace sampling
