// The twin of array_times_matrix.fail.cpp.
#include <Eigen/Dense>

#include <fusion/fusion.hpp>

auto use(const Eigen::MatrixXd& host, const fusecl::matrix_cl<double>& a) {
  return elt_multiply(host.array() > 0, a) + host.array().matrix() * a + 2.0 * host.array() + a;
}
