// What is on the device is inverted there.
#include <fusion/fusion.hpp>

auto use(const Eigen::MatrixXd& a) { return fusecl::inverse_spd(fusecl::to_matrix_cl(a)); }
