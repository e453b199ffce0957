#pragma once
// The design matrix that a regression on features starts from.

#include <Eigen/Core>

#include <fusion/fusion.hpp>

namespace example {

/// Standardises every column on the device: mean 0, sample standard deviation 1. The result has a column of
/// ones in front, for the intercept.
fusecl::matrix_cl<double> standardised_design(const Eigen::MatrixXd& features);

/// The same on the host, without the column of ones.
Eigen::MatrixXd standardised(const Eigen::MatrixXd& features);

}  // namespace example
