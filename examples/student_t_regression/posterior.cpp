// What the optimiser calls; gradient and Hessian are generated from the expression in posterior.hpp.

#include "posterior.hpp"

#include <cmath>

#include <fusion/autodiff/hessian.hpp>

namespace example {

using fusecl::matrix_cl;

namespace {

/// Derivatives by coefficients, log(sigma) and log(nu) as one vector on the host.
template <class Derivatives>
Eigen::VectorXd in_one_vector(const Derivatives& parts) {
  const auto row = fusecl::from_matrix_cl<Eigen::RowVectorXd>(std::get<0>(parts));
  Eigen::VectorXd result(row.size() + 2);
  result << row.transpose(), fusecl::from_matrix_cl<double>(std::get<1>(parts)),
      fusecl::from_matrix_cl<double>(std::get<2>(parts));
  return result;
}

}  // namespace

posterior::posterior(matrix_cl<double> design, const Eigen::VectorXd& outcome)
    : design_(std::move(design)), outcome_(outcome) {}

void posterior::upload(const Eigen::VectorXd& at) {
  coefficients_ = matrix_cl<double>(Eigen::RowVectorXd(at.head(design_.cols()).transpose()));
  log_sigma_ = at[design_.cols()];
  log_nu_ = at[design_.cols() + 1];
}

auto posterior::log_density() const {
  return regression_log_density(design_, outcome_, coefficients_, log_sigma_, log_nu_);
}

Eigen::VectorXd posterior::start() const {
  Eigen::VectorXd at = Eigen::VectorXd::Zero(size());
  at[0] = mean(outcome_);
  at.tail(2) << std::log(static_cast<double>(sd(outcome_))), std::log(10.0);
  return at;
}

double posterior::value(const Eigen::VectorXd& at) {
  upload(at);
  return log_density();
}

density posterior::evaluate(const Eigen::VectorXd& at) {
  upload(at);
  Eigen::RowVectorXd by_coefficients;
  double by_log_sigma = 0, by_log_nu = 0;
  const double value =
      value_and_gradient_into(log_density(), variables(), by_coefficients, by_log_sigma, by_log_nu);
  Eigen::VectorXd gradient(size());
  gradient << by_coefficients.transpose(), by_log_sigma, by_log_nu;
  return {value, gradient};
}

Eigen::MatrixXd posterior::precision(const Eigen::VectorXd& at) {
  upload(at);
  Eigen::MatrixXd columns(size(), size());
  for (Eigen::Index j = 0; j < size(); ++j) {
    const Eigen::RowVectorXd unit = Eigen::RowVectorXd::Unit(size(), j);
    const auto found = hessian_times_vector(log_density(), variables(), unit.head(design_.cols()),
                                            unit[design_.cols()], unit[design_.cols() + 1]);
    columns.col(j) = -in_one_vector(found.product);
  }
  return columns;
}

fusecl::gradient_check posterior::check(const Eigen::VectorXd& at) {
  upload(at);
  const auto density = [&](const auto& coefficients, const auto& log_sigma, const auto& log_nu) {
    return regression_log_density(design_, outcome_, coefficients, log_sigma, log_nu);
  };
  return check_gradient(density, coefficients_, log_sigma_, log_nu_);
}

std::string posterior::kernels() { return gradient_kernel_source(log_density(), variables()); }

}  // namespace example
