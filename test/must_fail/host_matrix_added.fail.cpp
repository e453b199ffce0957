// Copies from the host are spelled out, in expressions too.
// expect: copied to the device by to_matrix_cl
#include <fusion/fusion.hpp>

auto misuse(const fusecl::matrix_cl<double>& a, const Eigen::MatrixXd& b) { return a + b; }
