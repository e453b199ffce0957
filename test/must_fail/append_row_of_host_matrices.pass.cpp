// The other may be a matrix of Eigen, or a number.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a, const Eigen::MatrixXd& b) {
  return fusecl::append_row(fusecl::append_row(a, b), 1.0);
}
