// Several results go to the device.
// expect: results\(...\) writes matrices of the device
#include <fusion/fusion.hpp>

void misuse(Eigen::MatrixXd& a, fusecl::matrix_cl<double>& b) {
  fusecl::results(a, b) = fusecl::expressions(b + 1.0, b * 2.0);
}
