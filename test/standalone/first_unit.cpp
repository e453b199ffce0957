// With second_unit.cpp: two header-only translation units link into one program and share one runtime.

#include <cmath>
#include <cstdio>

#include <Eigen/Dense>

#include <fusion/fusion.hpp>

double sum_in_second_unit(const fusecl::matrix_cl<double>& m);

int main() {
  const Eigen::MatrixXd host = Eigen::MatrixXd::Constant(3, 4, 0.5);
  const fusecl::matrix_cl<double> m(host);
  const fusecl::matrix_cl<double> doubled = m * 2.0;
  const double sum = sum_in_second_unit(doubled);
  std::printf("sum %g, expected 12\n", sum);
  return std::abs(sum - 12) < 1e-12 ? 0 : 1;
}
