// The same on the device.
#include <fusion/fusion.hpp>

auto use(const fusecl::matrix_cl<double>& a, const Eigen::VectorXd& v) {
  return a + fusecl::rowwise_broadcast(fusecl::to_matrix_cl(v));
}
