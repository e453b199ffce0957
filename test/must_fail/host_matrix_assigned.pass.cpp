// A copy from the host.
#include <fusion/fusion.hpp>

void use(fusecl::matrix_cl<double>& a, const Eigen::MatrixXd& b) { a = fusecl::to_matrix_cl(b); }
