// Matrices that are not const take matrices, expressions and Eigen objects.
#include <Eigen/Dense>

#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const fusecl::matrix_cl<double>& b, const Eigen::MatrixXd& host) {
  a = b;
  a = exp(b);
  a = host;
  a = fusecl::matrix_cl<double>(2, 2);
  a = {};
}
