// A value, its gradient and the kernel that computes both: the first example of docs/gradients.md.

#include <iostream>

#include <fusion/autodiff.hpp>
#include <fusion/fusion.hpp>

int main() {
  using namespace fusecl;
  const matrix_cl<double> y(std::vector<double>{1, 0, 3, 2}), eta(std::vector<double>{0.5, -1, 1, 0.5});
  const auto e = sum(elt_multiply(y, eta) - exp(eta));
  const auto [value, gradient] = value_and_gradient(e, wrt(eta));
  std::cout << value << '\n' << std::get<0>(gradient) << '\n' << gradient_kernel_source(e, wrt(eta));
}
