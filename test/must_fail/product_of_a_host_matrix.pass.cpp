// What is on the device is multiplied there; a sum may be of either.
#include <fusion/fusion.hpp>

auto use(const Eigen::MatrixXd& a) { return fusecl::prod(fusecl::to_matrix_cl(a)) + fusecl::sum(a); }
