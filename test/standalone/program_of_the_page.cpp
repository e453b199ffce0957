// A program that needs both libraries of the split form.

#include <cmath>
#include <iostream>

#include <primitives/primitives.hpp>

int main() {
  using namespace fusecl;
  const matrix_cl<float> x(std::vector<float>{1, 2, 3});
  if (static_cast<float>(sum(x * 2.0f)) != 12) return 1;
  if (!opencl_context.capabilities().fp64) return 0;
  const matrix_cl<double> y(std::vector<double>{0.5, -1});
  const double density = normal_lpdf(y, 0.0, 1.0);
  std::cout << density << '\n';
  return std::fabs(density - (-0.625 - std::log(2 * 3.14159265358979323846))) < 1e-12 ? 0 : 1;
}
