// What is broadcast is on the device.
// expect: copy a host matrix by to_matrix_cl
#include <fusion/fusion.hpp>

auto misuse(const Eigen::VectorXd& v) { return fusecl::rowwise_broadcast(v); }
