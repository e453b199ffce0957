#pragma once
// A model whose log density is a FuseCL expression. This header needs FuseCL; the rest of the sampler does
// not.

#include <string>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "model.hpp"

namespace sampling {

/// Makes a model of a posterior, which says what there is to say of one:
///
///   std::vector<std::string> names() const;       // of what is written, one for each element of a position
///   auto log_density(const Positions& at, int j) const;  // a scalar expression of column j, from 1, of at
///   std::vector<double> written(const Eigen::VectorXd& position) const;
///
/// The last one may be missing where positions are written as they are; a run throws std::invalid_argument
/// where it gives another number of values than there are names. A source file that instantiates the
/// class explicitly, with `extern template` in the header, saves others the compilation of the statement.
template <class Posterior>
class device_model : public model {
 public:
  /// Every evaluation has `columns` columns. Throws std::invalid_argument as device_columns does.
  device_model(Posterior posterior, int columns)
      : posterior_(std::move(posterior)), names_(posterior_.names()), columns_(columns) {}

  int dimension() const override { return static_cast<int>(names_.size()); }
  std::vector<std::string> names() const override { return names_; }
  std::vector<double> written(const Eigen::VectorXd& position) const override {
    if constexpr (requires { posterior_.written(position); }) {
      return posterior_.written(position);
    } else {
      return model::written(position);
    }
  }
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                Eigen::MatrixXd& gradients) override;
  /// For one column, once something was evaluated.
  std::string kernels() const override;

 private:
  auto density() const {
    return [this](int j) { return posterior_.log_density(columns_.positions(), j); };
  }

  Posterior posterior_;
  std::vector<std::string> names_;
  device_columns columns_;
};

template <class Posterior>
void device_model<Posterior>::evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values,
                                       Eigen::MatrixXd& gradients) {
  columns_.evaluate(positions, values, gradients, density());
}

template <class Posterior>
std::string device_model<Posterior>::kernels() const {
  return columns_.kernels(density());
}

}  // namespace sampling
