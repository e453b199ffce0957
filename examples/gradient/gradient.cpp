// A likelihood of one line, its value and its gradient: the second example of the README.

#include <iostream>

#include <Eigen/Dense>

#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

int main() {
  using namespace fusecl;
  const Eigen::VectorXd counts = Eigen::VectorXd::LinSpaced(1000, 0, 4).array().round();
  const matrix_cl<double> y(counts), X(Eigen::MatrixXd::Random(1000, 3)), beta(Eigen::VectorXd::Ones(3));

  // a Poisson regression, up to a constant; one kernel reads X once for the value and the gradient
  const auto log_likelihood = sum(elt_multiply(y, X * beta) - exp(X * beta));
  const auto [value, gradient] = value_and_gradient(log_likelihood, wrt(beta));

  std::cout << "value " << value << "\ngradient\n" << std::get<0>(gradient) << '\n';
}
