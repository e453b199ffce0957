// A matrix of Eigen takes one expression, several results matrices of the device.
#include <fusion/fusion.hpp>

void use(Eigen::MatrixXd& host, fusecl::matrix_cl<double>& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(a, b) = fusecl::expressions(b + 1.0, b * 2.0);
  host = a + b;
}
