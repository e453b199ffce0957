// Adds two matrices on the device and checks the sum.

#include <cmath>
#include <cstdio>

#include <Eigen/Dense>

#include <fusion/fusion.hpp>

int main() {
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(5, 7);
  const fusecl::matrix_cl<double> a(ones);
  const fusecl::matrix_cl<double> b = a + a;
  const double total = fusecl::sum(b);
  std::printf("%s: total %g, expected 70\n", FUSECL_VERSION, total);
  return std::abs(total - 70) < 1e-12 ? 0 : 1;
}
