// What is on the device is summed there.
#include <fusion/fusion.hpp>

auto use(const Eigen::MatrixXd& a) { return fusecl::sum(fusecl::to_matrix_cl(a)); }
