// What is broadcast is on the device.
// expect: copy a host matrix by to_matrix_cl
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a, const Eigen::VectorXd& v) {
  return a + fusecl::rowwise_broadcast(v);
}
