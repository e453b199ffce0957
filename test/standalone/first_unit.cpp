// With second_unit.cpp: two header-only translation units link into one program and share one runtime.

#include <cmath>
#include <cstdio>

#include <Eigen/Dense>

#include <fusion/fusion.hpp>

double sum_in_second_unit(const fusecl::matrix_cl<double>& m);
double adjoints_in_second_unit(const Eigen::VectorXd& values);

int main() {
  const Eigen::MatrixXd host = Eigen::MatrixXd::Constant(3, 4, 0.5);
  const fusecl::matrix_cl<double> m(host);
  const fusecl::matrix_cl<double> doubled = m * 2.0;
  const double sum = sum_in_second_unit(doubled);
  std::printf("sum %g, expected 12\n", sum);
  const double difference = adjoints_in_second_unit(Eigen::VectorXd::LinSpaced(3, 1, 3));
  std::printf("difference of adjoints %g, expected 0\n", difference);
  return std::abs(sum - 12) < 1e-12 && difference == 0 ? 0 : 1;
}
