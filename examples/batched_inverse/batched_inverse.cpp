// A kernel written by hand as an operation of the language: the example of docs/user_leaves.md.

#include <iostream>

#include <fusion/autodiff/check_gradient.hpp>
#include <fusion/fusion.hpp>

#include "inverse_3x3.hpp"

int main() {
  using namespace fusecl;
  constexpr int count = 1000;
  Eigen::MatrixXd host = 0.3 * Eigen::MatrixXd::Random(3, 3 * count);
  for (int k = 0; k < 3 * count; ++k) host(k % 3, k) += 2;
  const matrix_cl<double> a(host), b(Eigen::MatrixXd::Random(3, 3 * count).eval());

  // what is before the kernel and after it becomes part of it
  const auto e = exp(user_leaf<inverse_3x3>(a + 0.1 * b)) - b;
  const matrix_cl<double> d = e;
  std::cout << block_zero_based(d, 0, 0, 3, 3) << "\n\n" << explain(e);

  // the gradient takes the class's pullback
  const auto [value, gradient] = value_and_gradient(sum(square(user_leaf<inverse_3x3>(a))), wrt(a));
  std::cout << "\nsum of squares " << value << "; by the first matrix\n"
            << block_zero_based(std::get<0>(gradient), 0, 0, 3, 3) << '\n';

  const auto check = check_gradient([](const auto& x) { return sum(square(user_leaf<inverse_3x3>(x))); }, a);
  std::cout << (check.passed() ? "the gradient agrees with differences\n" : "the gradient is WRONG\n");
  return check.passed() ? 0 : 1;
}
