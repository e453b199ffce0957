// Copies from the host are spelled out.
// expect: copied to the device by to_matrix_cl
#include <fusion/fusion.hpp>

void misuse(fusecl::matrix_cl<double>& a, const Eigen::MatrixXd& b) { a = b; }
