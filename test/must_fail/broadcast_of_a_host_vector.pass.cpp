// The same on the device.
#include <fusion/fusion.hpp>

auto use(const Eigen::VectorXd& v) { return fusecl::rowwise_broadcast(fusecl::to_matrix_cl(v)); }
