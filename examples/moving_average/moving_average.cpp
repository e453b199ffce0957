// A likelihood of time series with a leaf of two operands: moving averages of order one,
//   z_t = e_t + theta e_(t-1),   e_t ~ normal(0, 1),
// of which the innovations e_t = z_t - theta e_(t-1) are a recurrence. Newton's method finds theta.

#include <cmath>
#include <iostream>
#include <random>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/autodiff/hessian.hpp>
#include <fusion/fusion.hpp>

#include "recurrence.hpp"

/// Series of `length` numbers, one in each column.
Eigen::MatrixXd simulated(int length, int count, double theta) {
  std::mt19937 random(20240607);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd z(length, count);
  for (int j = 0; j < count; ++j) {
    double before = 0;
    for (int t = 0; t < length; ++t) {
      const double e = normal(random);
      z(t, j) = e + theta * before;
      before = e;
    }
  }
  return z;
}

int main() {
  using namespace fusecl;
  const matrix_cl<double> z(simulated(400, 50, 0.6));
  const auto density = [](const auto& series, const auto& theta) {
    return -0.5 * sum(square(user_leaf<recurrence<false>>(series, -theta)));
  };

  parameter<double> theta(0.0);
  for (int step = 0; step < 8; ++step) {
    const auto at = hessian_times_vector(density(z, theta), wrt(theta), 1.0);
    const double gradient = std::get<0>(at.gradient)(0), curvature = std::get<0>(at.product)(0);
    std::cout << "theta " << theta.value() << ": log density " << at.value << ", derivative " << gradient
              << '\n';
    theta = theta.value() - gradient / curvature;
  }
  std::cout << "estimate " << theta.value() << '\n';

  const auto check = check_gradient(density, matrix_cl<double>(simulated(20, 2, 0.6)), theta);
  std::cout << (check.passed() ? "the gradient agrees with differences\n" : "the gradient is WRONG\n");
  return check.passed() && std::fabs(theta.value() - 0.6) < 0.02 ? 0 : 1;
}
