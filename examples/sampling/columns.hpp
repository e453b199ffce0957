#pragma once
// A log density that is one FuseCL expression, evaluated at several columns in one statement, which reads
// data once for all of them. This header needs FuseCL; the rest of the sampler does not.

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include <Eigen/Core>

#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

namespace sampling {

/// Positions of chains on the device, a column each, and what is evaluated there.
///
/// Every evaluation has the same number of columns, whoever asks: results of a column then depend on nothing
/// but its numbers, and no kernel is built late. Columns that nobody asked for repeat the last one.
class device_columns {
 public:
  static constexpr int most =
      8;  ///< columns of one statement, as many as its rows keep in registers; more are several statements

  /// Statements of `wanted` columns, rounded up to 1, 2, 4 or 8. Throws std::invalid_argument below 1.
  explicit device_columns(int wanted) {
    if (wanted < 1)
      throw std::invalid_argument("device_columns: columns must be at least 1, but is " +
                                  std::to_string(wanted));
    while (columns_ < std::min(wanted, most)) columns_ *= 2;
  }

  int columns() const { return columns_; }
  /// The positions, rows x columns(): what densities refer to.
  const fusecl::matrix_cl<double>& positions() const { return at_; }

  /// Values and gradients at each column of `positions`. `density(j)` is a scalar expression of column j
  /// (from 1) of positions() and of data.
  template <class Density>
  void evaluate(const Eigen::MatrixXd& positions, Eigen::VectorXd& values, Eigen::MatrixXd& gradients,
                const Density& density) {
    for (Eigen::Index first = 0; first < positions.cols(); first += columns_) {
      const Eigen::Index count = std::min<Eigen::Index>(columns_, positions.cols() - first);
      padded_.resize(positions.rows(), columns_);
      padded_.leftCols(count) = positions.middleCols(first, count);
      padded_.rightCols(columns_ - count).colwise() = positions.col(first + count - 1);
      at_ = fusecl::matrix_cl<double>(padded_);
      switch (columns_) {
        case 1:
          together(density, std::make_index_sequence<1>());
          break;
        case 2:
          together(density, std::make_index_sequence<2>());
          break;
        case 4:
          together(density, std::make_index_sequence<4>());
          break;
        default:
          together(density, std::make_index_sequence<most>());
      }
      for (Eigen::Index j = 0; j < count; ++j) values[first + j] = values_[static_cast<std::size_t>(j)];
      gradients.middleCols(first, count) = gradients_.leftCols(count);
    }
  }

  /// The kernels behind one evaluation at the positions of the last one.
  template <class Density>
  std::string kernels(const Density& density) const {
    std::array<fusecl::parameter<double>, 1> weight{1.0};
    return gradient_kernel_source(weight[0] * density(1), fusecl::wrt(at_, weight[0]));
  }

 private:
  // The derivatives by the weights, which are all 1, of the weighted sum are the values of the columns.
  template <class Density, std::size_t... J>
  void together(const Density& density, std::index_sequence<J...>) {
    std::array<fusecl::parameter<double>, sizeof...(J)> weights{((void)J, fusecl::parameter<double>(1.0))...};
    const auto total = (... + (weights[J] * density(static_cast<int>(J) + 1)));
    value_and_gradient_into(total, fusecl::wrt(at_, weights[J]...), gradients_, values_[J]...);
  }

  int columns_ = 1;
  fusecl::matrix_cl<double> at_;
  Eigen::MatrixXd padded_, gradients_;
  std::array<double, most> values_{};
};

}  // namespace sampling
