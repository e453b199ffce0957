// A copy from the host as an operand, and a number of the device among host matrices.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a, const Eigen::MatrixXd& b) { return a + fusecl::to_matrix_cl(b); }
Eigen::MatrixXd use_number(const fusecl::matrix_cl<double>& a, const Eigen::MatrixXd& b) {
  return double(sum(a)) * b;
}
